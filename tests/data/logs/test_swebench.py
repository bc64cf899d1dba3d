"""SWE-bench: the data set is the denominator, a repository is a group, and a partial run is not a bad one."""

from __future__ import annotations

import pytest

import clearwin as cw
from clearwin.errors import DataError, FileError
from tests.data.logs.made import swe_ids, swe_report, write_json

IDS = swe_ids(30)


def test_what_is_absent_has_failed(tmp_path):
    old = swe_report(tmp_path / "old.json", IDS[:6], IDS[:28], IDS)
    new = swe_report(tmp_path / "new.json", IDS[:12], IDS, IDS)
    runs = cw.logs.read(old, new)
    r = cw.compare(data=runs, groups="item", test="mcnemar", method="exact")
    assert (r.n, r.estimate_a, r.estimate_b, r.p_value) == (30, 0.2, 0.4, pytest.approx(2 * 0.5**6))
    assert any("2 instances that old did not submit count as failed" in c.text for c in r.caveats)


def test_repositories_are_groups(tmp_path):
    old = swe_report(tmp_path / "old.json", IDS[:6], IDS, IDS)
    new = swe_report(tmp_path / "new.json", IDS[4:14], IDS, IDS)
    r = cw.compare(data=cw.logs.read(old, new), n_resamples=99, rng=1)
    assert (r.sampling.unit, r.sampling.n_units) == ("group", 3)


def test_a_partial_run_is_refused(tmp_path):
    old = swe_report(tmp_path / "old.json", IDS[:3], IDS[:10], IDS)
    new = swe_report(tmp_path / "new.json", IDS[:5], IDS[2:], IDS)
    with pytest.raises(DataError, match="20 items of old cannot be judged: django__12 was not submitted"):
        cw.logs.read(old, new)
    assert cw.logs.read(old, new, partial=True).n == 10


def test_failures_of_the_infrastructure_are_not_failures_of_the_model(tmp_path):
    old = swe_report(tmp_path / "old.json", IDS[:3], IDS, IDS, infra_failure_ids=IDS[5:7])
    new = swe_report(tmp_path / "new.json", IDS[:5], IDS, IDS)
    with pytest.raises(DataError, match="failed because of the infrastructure"):
        cw.logs.read(old, new)
    assert cw.logs.read(old, new, partial=True).n == 28


def test_results_of_the_experiments_need_the_data_set(tmp_path):
    old = write_json(tmp_path / "old" / "results.json", {"no_generation": [], "no_logs": [], "resolved": IDS[:3]})
    with pytest.raises(FileError, match="does not list the instances that were not resolved"):
        cw.logs.read(old)
    for content in (IDS, {"name": "lite", "instance_ids": IDS}, [{"instance_id": i} for i in IDS]):
        data_set = write_json(tmp_path / "ids.json", content)
        runs = cw.logs.read(old, data_set)
        assert cw.estimate(data=runs, groups="item").estimate == 0.1
        assert runs.names == ("old",)


def test_the_older_layout_lists_all_instances(tmp_path):
    lists = {"no_generation": IDS[20:], "generated": IDS[:20], "applied": IDS[:18], "resolved": IDS[:6]}
    runs = cw.logs.read(write_json(tmp_path / "aider" / "results.json", lists))
    assert (runs.n, cw.estimate(data=runs, groups="item").estimate) == (30, 0.2)


def test_another_data_set_is_refused(tmp_path):
    old = swe_report(tmp_path / "old.json", IDS[:3], IDS, IDS)
    with pytest.raises(FileError, match="resolved instances that are not in the data set: django__0"):
        cw.logs.read(old, write_json(tmp_path / "ids.json", IDS[1:]))


def test_reports_of_single_instances(tmp_path):
    for model, right in (("old", 2), ("new", 9)):
        for place, one in enumerate(IDS[:10]):
            write_json(tmp_path / model / one / "report.json", {one: {"resolved": place < right, "tests_status": {}}})
    r = cw.compare(data=cw.logs.read(tmp_path / "old", tmp_path / "new"), groups="item", test="mcnemar", method="exact")
    assert (r.name_a, r.n, r.p_value) == ("old", 10, pytest.approx(2 * 0.5**7))
