"""What several test files of this folder are given."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "preds.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def write_parquet(tmp_path):
    def write(columns: dict[str, list[object]], name: str = "preds.parquet") -> Path:
        pq.write_table(pa.table(columns), tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def feed(monkeypatch):
    return lambda content: monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
