"""The house stands: imports point down only, files and functions keep their size, names keep their meaning."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import clearwin

ROOT = Path(clearwin.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# lowest first; a module may import from layers below its own. Inside measures/ and significance/ the order is
# given too, so that siblings do not import each other.
LAYERS = [
    {"decisions", "direction", "errors", "fingerprints", "outcomes", "streams", "tolerance"},
    {"writing"},
    {"story", "telling"},
    {"result", "kernels", "auc_covariance", "curves", "curves.base"},
    {"data_set_record", "study_record", "reproduce"},
    {"reproduce.record", "reproduce.corpora"},
    {"curves.points", "curves.pairs", "curves.bands", "curves.classes"},
    {"claims", "counts", "pvalues", "intervals", "execution", "corrections", "compact_letters"},
    {"data", "sources", "paired_intervals"},
    {"labels", "formats", "grouping"},
    {"label_spelling", "label_tables", "file_columns", "units", "span_sums"},
    {"scores", "label_sets", "unit_tables", "value_kernels"},
    {"values", "files", "label_files", "matrices", "score_tables"},
    {"answer_files"},
    {"measures.base"},
    {"measures.accuracy", "measures.agreement", "measures.detection_cost", "measures.f_measure", "measures.custom"},
    {"measures.ranking", "measures.losses", "measures.averages", "measures.label_sets", "measures.values"},
    {"measures.naming"},
    {"measures"},
    {"answers"},
    {"model_pairs", "overall"},
    {"leaderboard"},
    {"significance.questions"},
    {"significance.score_questions", "significance.value_questions"},
    {"significance.base"},
    {"significance.caveats"},
    {"significance.left_out"},
    {"significance.posterior", "significance.score_draws", "significance.sign_flips", "significance.unit_draws"},
    {
        "significance.value_draws",
        "significance.model_draws",
        "significance.rank_permutation",
        "significance.rank_tests",
        "significance.signed_posterior",
        "significance.walsh",
    },
    {"significance.replicates"},
    {
        "significance.bootstrap",
        "significance.delong",
        "significance.mcnemar",
        "significance.paired_t",
        "significance.permutation",
        "significance.proportion",
        "significance.rook",
        "significance.wilcoxon",
    },
    {"significance.chance", "significance.fold_designs"},
    {"significance"},
    {"significance.fold_base"},
    {"significance.fold_caveats", "significance.fold_counting", "significance.fold_t"},
    {"significance.fold_tests"},
    {"thresholds"},
    {"judging"},
    {"registries", "asking", "item_values", "board_caveats", "methods"},
    {"model_values"},
    {"model_value_draws"},
    {"compare"},
    {"estimate", "chance", "areas", "classes", "curve", "data_sets", "folds", "splits", "fold_values", "ranking"},
    {"cross_validation"},
    {"urns", "study_keep", "study_data", "study_levels"},
    {"study_rows"},
    {"populations"},
    {"recentring", "study_blocks"},
    {"study_plan", "study_doubts"},
    {"study_tables"},
    {"study"},
    {"verdict"},
    {"study_verdicts"},
    {
        "verdict_rows",
        "curve_words",
        "data_set_words",
        "fold_words",
        "leaderboard_words",
        "study_words",
        "reproduce.words",
    },
    {"margins"},
    {"pictures.drawing"},
    {"pictures.forest", "pictures.score_curves", "pictures.critical_difference", "pictures.tables", "pictures.svg"},
    {"pictures.differences", "pictures.standings"},
    {"pictures.fold_differences"},
    {"pictures.words"},
    {"pictures.of_pairs", "pictures.studies"},
    {"pictures.of_models", "pictures.of_studies"},
    {"pictures.of_experiments"},
    {"pictures.choosing"},
    {"pictures"},
    {"reproduce.text_models", "reproduce.corpus_files", "reproduce.table_3"},
    {"reproduce.keller2004"},
    {"markdown", "csv_cells", "terminal"},
    {"report"},
    {"cli.repeating"},
    {"cli.options"},
    {"cli.output"},
    {"cli.reading"},
    {
        "cli.chance",
        "cli.comparing",
        "cli.curve",
        "cli.datasets",
        "cli.folds",
        "cli.listing",
        "cli.ranking",
        "cli.reproduce",
        "cli.study",
    },
    {"page.guessing"},
    {
        "page",
        "page.limits",
        "page.folder",
        "page.columns",
        "page.threshold",
        "page.inline",
        "page.settings",
        "page.processes",
    },
    {"page.safety", "page.showing", "page.two_files", "page.uploads", "page.form", "page.refusals", "page.work"},
    {"page.schemas"},
    {"page.connections", "page.jobs", "page.openapi"},
    {"page.job", "page.app"},
    {"page.warm"},
    {"cli.serve"},
    {"cli"},
]
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}
# a result's methods open the door to those who read it, lazily
DOORS = {
    ("result", "verdict"),
    ("result", "verdict_rows"),
    ("result", "margins"),
    ("folds", "margins"),
    ("leaderboard", "margins"),
    ("result", "csv_cells"),
    ("telling", "result"),
    ("telling", "report"),
    ("telling", "story"),
    ("telling", "study_record"),
    ("telling", "pictures"),
    ("curve", "curve_words"),
    ("folds", "fold_words"),
    ("data_set_record", "data_set_words"),
    ("leaderboard", "leaderboard_words"),
    ("study_record", "study_words"),
    ("study_record", "csv_cells"),
    ("reproduce.record", "reproduce.words"),
    ("leaderboard", "csv_cells"),
    ("data_set_record", "csv_cells"),
}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clearwin"):
            inside = node.module.removeprefix("clearwin").lstrip(".")
            for alias in node.names:
                full = f"{inside}.{alias.name}".lstrip(".")
                yield full if full in RANK else inside


def imported_packages(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
    ours = {"clearwin", "tests", "scorecard"} | {path.stem for path in (root / "scripts").glob("*.py")}
    by_package = packages_distributions()
    for path in (root / folder).rglob("*.py"):
        for package in set(imported_packages(path)) - sys.stdlib_module_names - ours:
            found = declared(by_package.get(package, [package]))
            assert found & known, f"{path.name} imports {package}, which pyproject.toml does not declare"


def test_every_module_has_its_layer():
    assert {module_name(path) for path in FILES} - {""} == set(RANK)


@pytest.mark.parametrize("path", [p for p in FILES if module_name(p)], ids=module_name)
def test_imports_point_down(path):
    module = module_name(path)
    for imported in imported_modules(path):
        if imported and (module, imported) not in DOORS:
            assert RANK[imported] < RANK[module], f"{module} imports {imported}, which is not below it"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_functions_keep_their_size(path):
    """40 lines of code is where to look again; docstrings do not count, and 60 is the end."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            assert not body or body[-1].end_lineno - body[0].lineno < 60, f"{path.name}: {node.name}"


def test_only_pvalues_makes_p_values():
    for path in FILES:
        if path.name not in ("pvalues.py", "intervals.py"):
            text = path.read_text()
            assert not re.search(r"\b(ndtr|log_ndtr|betainc|bdtr|chdtrc|norm\.sf)\b", text), path.name


def test_nothing_unfinished_and_no_vague_names():
    for path in FILES:
        assert path.stem not in ("utils", "helpers", "common", "misc", "manager")
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError", path.read_text()), path.name


def test_the_public_door():
    assert clearwin.__all__ == sorted(clearwin.__all__)
    assert set(clearwin.__all__) == set(clearwin._HOME)
    for name in clearwin.__all__:
        assert getattr(clearwin, name).__name__ == name
        assert getattr(clearwin, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'comparison'"):
        clearwin.comparison  # noqa: B018
    tree = ast.parse((ROOT / "__init__.py").read_text())
    typed = {
        a.name
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("clearwin.")
        for a in n.names
    }
    assert typed == set(clearwin.__all__)


def test_importing_a_module_does_not_hide_the_verb_of_the_same_name():
    import clearwin.compare
    import clearwin.estimate
    import clearwin.measures

    assert callable(clearwin.compare)
    assert callable(clearwin.estimate)
    assert callable(clearwin.measures)
