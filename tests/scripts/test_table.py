"""The page of reliability is what its data files make, and a figure that misses its band can be seen."""

import json

from proof import record, table


def test_the_page_is_its_data_files():
    assert table.text(table.load()) == table.PAGE.read_text(encoding="utf-8"), "python -m proof.table"


def test_a_missed_band_stands_in_bold_and_an_unknown_attack_comes_last(tmp_path):
    for name in ("soak", "crashes", "another"):
        row = record.Row(f"{name} | x", 1200, "2 lost", "0 lost", name != "soak", seed=3, seconds=90.0)
        record.write(name, [row], tmp_path)
    found = table.load(tmp_path)
    assert list(found) == ["crashes", "soak", "another"]
    page = table.text(found)
    commit = json.loads((tmp_path / "soak.json").read_text(encoding="utf-8"))[0]["commit"]
    assert f"| soak \\| x | 1,200 | **2 lost** | 0 lost | 3 | {commit} |" in page
    assert page.count("**") == 2
    assert page.index("## Crashes") < page.index("## Long use") < page.index("## another")
