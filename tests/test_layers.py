"""The house stands: imports point down only, functions keep their size, names keep their meaning."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import clearwin
from clearwin.measures import REGISTRY as MEASURES

ROOT = Path(clearwin.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


@cache
def nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


# lowest first: a module imports from lower layers and from its own package, on the ground floor from those to its left
LAYERS = [
    ("settings", "errors", "text", "counts", "streams", "workers"),
    ("numerics",),
    ("curves",),
    ("results", "measures"),
    ("data",),
    ("reading",),
    ("resampling",),
    ("significance",),
    ("analyses", "simulation"),
    ("words",),
    ("plots",),
    ("reports",),
    ("cli", "web"),
]
RANK = {package: rank for rank, layer in enumerate(LAYERS) for package in layer}
# lazy imports that go up: a result's methods open the door to those who read it, `clearwin serve` to the page
DOORS = {("results.base", "words"), ("results.base", "plots"), ("results.base", "reports"), ("cli.serve", "web")}
# the page offers the options that the command has
SAME_LAYER = {("web", "cli"), ("simulation", "analyses")}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_rooms(path):
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clearwin."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "clearwin":
            yield from (alias.name for alias in node.names if alias.name in RANK)


def points_down(package, imported):
    if RANK[imported] == RANK[package] == 0:
        return LAYERS[0].index(imported) < LAYERS[0].index(package)
    return RANK[imported] < RANK[package]


def test_every_package_has_its_layer():
    assert {module_name(path).partition(".")[0] for path in FILES} - {""} == set(RANK)
    assert len([entry for entry in ROOT.iterdir() if entry.name != "__pycache__"]) <= 24


def test_imports_point_down():
    for path in FILES:
        package = module_name(path).partition(".")[0]
        for imported in imported_rooms(path) if package else ():
            allowed = imported == package or (package, imported) in SAME_LAYER or (module_name(path), imported) in DOORS
            assert allowed or points_down(package, imported), f"{module_name(path)} imports {imported}"


def test_no_type_name_has_two_meanings():
    """A class, or a type under another name, is defined once."""
    found = {}
    for path in FILES:
        for node in nodes(path)[0].body:
            names = [node.name] if isinstance(node, ast.ClassDef) else []
            if isinstance(node, ast.Assign):
                named = [target.id for target in node.targets if isinstance(target, ast.Name)]
                names = [name for name in named if re.fullmatch("[A-Z][a-z][A-Za-z]*", name)]
            for name in names:
                found.setdefault(name, set()).add(module_name(path))
    assert not {name: modules for name, modules in found.items() if len(modules) > 1}


# modules without a test file of their name, and test files without a module, each with the reason
NOT_MIRRORED = {"numerics.arrays": "it only names types"}
OF_NO_MODULE = {
    "simulation.test_sizes_by_groups": "a study of tests, beside the scorecard",
    "web.test_browser": "the whole page in a real browser",
}


def test_tests_mirror_the_tree():
    """Whoever adds a module adds its tests; whoever mirrors a module that is listed takes it off the list."""
    tests = Path(__file__).parent
    wanted = {path.relative_to(ROOT).with_name(f"test_{path.name}") for path in FILES if path.name != "__init__.py"}
    rooms = {entry.name for entry in ROOT.iterdir() if entry.is_dir()}
    found = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    dotted = lambda paths: {".".join(path.with_suffix("").parts) for path in paths}  # noqa: E731
    assert {name.replace("test_", "") for name in dotted(wanted - found)} == set(NOT_MIRRORED)
    assert dotted(path for path in found - wanted if path.parts[0] in rooms) == set(OF_NO_MODULE)


distributions = cache(packages_distributions)


def imported_packages(path):
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


def declared(requirements):
    names = (re.match(r"[\w.-]+", text)[0] for text in requirements if isinstance(text, str))
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


@pytest.mark.parametrize("folder", ["src/clearwin", "tests", "scripts", "examples"])
def test_what_is_imported_is_declared(folder):
    """A package that comes with another one today may not come with it tomorrow."""
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    known = declared(project["project"]["dependencies"]) | declared(
        text for extra in project["project"]["optional-dependencies"].values() for text in extra
    )
    if folder != "src/clearwin":
        known |= declared(project["dependency-groups"]["test"])
    if folder == "scripts":
        known |= declared(project["dependency-groups"]["rivals"])
    ours = {"clearwin", "tests", "scorecard", "proof"} | {path.stem for path in (root / "scripts").glob("*.py")}
    by_package = distributions()
    for path in (root / folder).rglob("*.py"):
        for package in set(imported_packages(path)) - sys.stdlib_module_names - ours:
            found = declared(by_package.get(package, [package]))
            assert found & known, f"{path.name} imports {package}, which pyproject.toml does not declare"


def test_functions_keep_their_size():
    """60 lines of code is the end; docstrings do not count."""
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                assert not body or body[-1].end_lineno - body[0].lineno < 60, f"{path.name}: {node.name}"


def test_every_function_has_a_name_that_a_traceback_can_show():
    for path in FILES:
        nameless = [node.lineno for node in nodes(path) if isinstance(node, ast.FunctionDef) and node.name == "_"]
        assert not nameless, f"{path.name}: lines {nameless}"


def literals(node):
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def names_a_measure(node):
    """``measure.name``, ``r.measure``, ``measure["measure"]`` or the kernel ``measure.scan``."""
    return re.search(r"measure(\.name|\.scan|\['measure'\]|_name)?$", ast.unparse(node)) is not None


def test_measures_are_asked_for_facts_and_never_for_their_names():
    """What is special about a measure is declared where the measure is."""
    known = {name for m in MEASURES.values() for name in (m.name, m.scan, *m.aliases)} - {""}
    for path in FILES:
        if module_name(path).startswith("measures"):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Compare):
                sides = (node.left, *node.comparators)
                compared = known & set().union(*map(literals, sides))
                assert not (compared and any(map(names_a_measure, sides))), f"{path.name}:{node.lineno}: {compared}"


KNOW_DEVICES = {"numerics.devices", "numerics.cuda_kernels", "resampling.on_device"}
# whoever checks the option, and whoever takes arrays that lie on an accelerator
MAY_IMPORT_DEVICES = {"data.questions", "data.reading"}


def test_only_one_seam_knows_what_a_device_is():
    """Elsewhere ``device`` is an option that is handed on: nobody compares it, and nobody opens it."""
    for path in FILES:
        module = module_name(path)
        for node in nodes(path) if module not in KNOW_DEVICES else ():
            if isinstance(node, ast.ImportFrom):
                whole = node.module == "clearwin.numerics" and {"devices", "cuda_kernels"} & {
                    a.name for a in node.names
                }
                opens = whole or node.module in ("clearwin.numerics.devices", "clearwin.numerics.cuda_kernels")
                assert not opens or module in MAY_IMPORT_DEVICES, f"{module} opens devices"
            if isinstance(node, ast.Compare) and module != "results.base":  # a signature leaves the processor out
                assert not re.search(r"\bdevice\b", ast.unparse(node)), f"{module}:{node.lineno} compares devices"


def test_only_pvalues_makes_p_values():
    for path in FILES:
        if path.name not in ("pvalues.py", "intervals.py"):
            text = path.read_text()
            assert not re.search(r"\b(ndtr|log_ndtr|betainc|bdtr|chdtrc|norm\.sf)\b", text), path.name


def test_nothing_unfinished_and_no_vague_names():
    for path in FILES:
        assert path.stem not in ("utils", "helpers", "common", "misc", "manager")
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError|fmt: skip", path.read_text()), path.name


def test_the_public_door():
    assert clearwin.__all__ == sorted(clearwin.__all__)
    assert set(clearwin.__all__) == {*clearwin._HOME, *clearwin._NAMESPACES}
    for name in clearwin._HOME:
        assert getattr(clearwin, name).__name__ == name
        assert getattr(clearwin, name).__doc__
    for name in clearwin._NAMESPACES:
        assert getattr(clearwin, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'comparison'"):
        clearwin.comparison  # noqa: B018
    tree = ast.parse((ROOT / "__init__.py").read_text())
    typed = {
        a.name
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("clearwin")
        for a in n.names
    }
    assert typed == set(clearwin.__all__)
