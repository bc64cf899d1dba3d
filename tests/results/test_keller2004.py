"""The record of the experiment as JSON."""

import json


def test_json_has_the_table_and_the_papers(small):
    found = json.loads(small.to_json())
    assert found["table"][2]["category_set"] == "Z"
    assert found["paper"]["Z"] == {"leader": "linear", "confidence": 0.965, "value": 0.825}
    assert found["study"] is None
    assert not {"decisions", "replicates"} & set(found)
