"""The folder in which server and jobs talk."""

from __future__ import annotations

import os
import stat

from clearwin.web.folder import held_folder


def test_folders_of_servers_that_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    living, lock = held_folder("clearwin-page-")
    left, fresh, other = (tmp_path / name for name in ("clearwin-page-left", "clearwin-page-fresh", "other"))
    elsewhere = tmp_path / "elsewhere"
    for folder in (left, fresh, other, elsewhere):
        folder.mkdir()
        (folder / "sent.csv").write_text("secret")
    (tmp_path / "clearwin-page-link").symlink_to(elsewhere)
    for folder in (living, left, other, elsewhere):
        os.utime(folder, (0, 0))
    new, second = held_folder("clearwin-page-")
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {living.name, new.name, fresh.name, "other", "elsewhere", "clearwin-page-link"}
    assert stat.S_IMODE(new.stat().st_mode) == 0o700
    assert (elsewhere / "sent.csv").exists()
    os.close(lock)
    os.close(second)
