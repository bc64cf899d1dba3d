"""The call that made a result: as it is typed, it makes the same result again."""

from __future__ import annotations

import clearwin as cw
from clearwin.results.call import Call


def test_the_call_of_a_result_makes_it_again():
    truth, a, b = [1] * 20 + [0] * 20, [1] * 15 + [0] * 25, [1] * 19 + [0] * 21
    result = cw.compare(truth, a, b, measure="f1", n_resamples=199, names=("old, one", "new"))
    call = result.summary().call
    assert f"rng={result.signature.seed}" in call
    names = {"cw": cw, "truth": truth, "a": a, "b": b}
    exec(call.replace("r = ", "result = ", 1), names)
    again = names.get("result") or eval(call.splitlines()[-1], names)
    assert again.to_json() == result.to_json()


def test_a_call_names_data_settings_and_the_seed():
    call = Call("cw.compare", ("truth", "a", "b"), {"measure": "'mcc'"})
    assert call.written("11") == "cw.compare(truth, a, b, measure='mcc', rng=11)"
    assert call.imported("11") == "import clearwin as cw"
    assert call.imported("11.2").startswith("import numpy")
    assert Call("cw.chance", ("matrix",), {}, keeps_seed=False).written("11") == "cw.chance(matrix)"
