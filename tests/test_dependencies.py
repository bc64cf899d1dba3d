"""What is installed from elsewhere: bounds above known holes, pins with hashes, actions named by their commit."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

# package: the first version without the hole, as its advisory says; of what users install
HOLES = {
    "h11": ("0.16", "CVE-2025-43859"),
    "jinja2": ("3.1.6", "CVE-2025-27516"),
    "python-multipart": ("0.0.31", "CVE-2026-53540, CVE-2026-53539, CVE-2026-42561, CVE-2026-40347, CVE-2026-24486"),
    "starlette": ("1.3.1", "CVE-2026-54283, CVE-2026-48710, CVE-2025-62727"),
    "scikit-learn": ("1.5", "CVE-2024-5206"),
    "ray": ("2.52", "CVE-2025-62593"),
    "pyspark": ("3.5.2", "CVE-2025-55039"),
}


def group(name):
    """Return the requirements of a dependency group, with those of the groups in it."""
    for one in PROJECT["dependency-groups"][name]:
        yield from group(one["include-group"]) if isinstance(one, dict) else [Requirement(one)]


FOR_USERS = [Requirement(one) for one in PROJECT["project"]["dependencies"]]
EXTRAS = [Requirement(one) for extra in PROJECT["project"]["optional-dependencies"].values() for one in extra]
PAGE = [Requirement(one) for one in PROJECT["project"]["optional-dependencies"]["page"]]


def pins():
    """Return name, version and number of hashes of every pin; a package may have one for each Python."""
    for block in re.findall(r"^\S[^\\\n]*(?:\\\n    [^\\\n]*)*", PINNED, re.M):
        if not block.startswith("#"):
            requirement = Requirement(block.partition("\\")[0].partition(";")[0])
            [only] = requirement.specifier
            assert only.operator == "==", block
            yield canonicalize_name(requirement.name), Version(only.version), block.count("--hash=sha256:")


@pytest.mark.parametrize("package", HOLES)
def test_bounds_lie_above_known_holes(package):
    safe = Version(HOLES[package][0])
    [declared] = [one for one in (*FOR_USERS, *EXTRAS) if canonicalize_name(one.name) == package]
    lowest = max(Version(one.version) for one in declared.specifier if one.operator == ">=")
    assert lowest >= safe, HOLES[package][1]
    assert all(version >= safe for name, version, _ in pins() if name == package)


def test_what_is_declared_is_pinned_as_declared():
    pinned = {}
    for name, version, _ in pins():
        pinned.setdefault(name, []).append(version)
    for requirement in (*FOR_USERS, *PAGE, *group("dev")):
        versions = pinned[canonicalize_name(requirement.name)]
        assert all(map(requirement.specifier.contains, versions)), f"{requirement}: make lock"


def test_every_pin_has_hashes_and_no_registry():
    """A registry's address belongs to the machine that resolved; hashes hold whatever the registry."""
    assert all(hashes for *_, hashes in pins())
    assert not re.search(r"://|index|find-links|@", PINNED)


def test_actions_are_named_by_their_commit():
    """A tag can be moved to another commit; the comment says which version the commit is."""
    assert WORKFLOWS
    for path in WORKFLOWS:
        for used in re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+", used), f"{path.name}: {used}"


def test_one_action_is_one_commit():
    used = [one for path in WORKFLOWS for one in re.findall(r"uses: *(\S+)@(\S+)", path.read_text(encoding="utf-8"))]
    assert len({action for action, _ in used}) == len(set(used))


def test_ci_installs_and_audits_what_is_pinned():
    ci, audit = (
        (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8") for name in ("ci", "audit")
    )
    for target in ("test", "site", "wheel"):
        assert f"run: make {target} LOCKED=yes\n" in ci
    assert re.search(r"pip-audit .*--requirement requirements-dev\.txt\n", audit)
    assert "schedule:" in audit
