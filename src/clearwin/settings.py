"""Every option once: Python, the command, the page, the TOML of the gate, the docs and printed calls take it from here.

To add an option, add its row here with its name among those of its verbs, the code that uses it, and its test. Choices
are named, "module:name", and imported only when used, because `clearwin --help` must not pay for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any, Literal

Door = Literal["python", "command", "page", "toml"]
ValueKind = (
    Literal["text", "number", "whole number", "share", "flag", "seed", "column", "labels", "two names"]
    | Literal["names or all", "thresholds", "numbers", "named lists", "file", "new file", "folder", "data", "object"]
)


@dataclass(frozen=True)
class Reads:
    """What an option reads."""

    kind: ValueKind
    metavar: str = ""  # in the help of the command
    several: bool = False  # can be given more than once
    alone: str = ""  # what it means with no word after it
    within: tuple[int | None, int | None] | None = None  # the least and the most

    @property
    def takes_a_list(self) -> bool:
        """Whether JSON and TOML can write several as a list."""
        return self.several or self.kind in ("labels", "two names", "names or all", "thresholds")


NAME, TEXT, WAY, CLAIM, LABEL = (Reads("text", word) for word in ("NAME", "TEXT", "WAY", "CLAIM", "LABEL"))
SEVERAL_NAMES = Reads("text", "NAME", several=True)
NUMBER, D, X = Reads("number"), Reads("number", "D"), Reads("number", "X")
WHOLE, N = Reads("whole number"), Reads("whole number", "N")
SHARE = Reads("share", "D")  # a number, or per cent
FLAG, SEED = Reads("flag"), Reads("seed", "N")
COLUMN, SEVERAL_COLUMNS = Reads("column", "COLUMN"), Reads("column", "COLUMN", several=True)
NAMES, COLUMNS = Reads("labels", "NAMES"), Reads("labels", "COLUMNS")
TWO_NAMES, NAMES_OR_ALL = Reads("two names", "A,B"), Reads("names or all", "[NAMES]", alone="all")
THRESHOLDS, NUMBERS = Reads("thresholds", "T[,T]"), Reads("numbers", "NUMBERS")
NAMED_LISTS = Reads("named lists", "NAME=LABELS", several=True)
FILE, FILES, FOLDER = Reads("file", "FILE"), Reads("file", "FILE", several=True), Reads("folder", "PATH")
NEW_FILE, PRINTED_OR_FILE = Reads("new file", "FILE"), Reads("new file", "[FILE]", alone="-")
DATA, OBJECT = Reads("data"), Reads("object")  # only Python has it

# verb, by its command if it has one → the doors it has
DOORS: dict[str, tuple[Door, ...]] = {
    **dict.fromkeys(("estimate", "rank", "chance", "curve", "folds", "datasets", "study"), ("python", "command")),
    **dict.fromkeys(("compare", "plan"), ("python", "command", "page")),
    "gate": ("python", "command", "toml"),
    **dict.fromkeys(("inspect", "reproduce", "measures", "tests", "demo", "serve"), ("command",)),
    **dict.fromkeys(("compare_by_class", "compare_unpaired", "cross_compare", "assert_not_worse"), ("python",)),
}

# door that lacks a setting → why
BY_POSITION = {"python": "the data are its first arguments"}
OF_OUTPUT = {"python": "the result has a method", "page": "it shows every form", "toml": "each run has its own"}
OF_LOGS = {"python": "cw.logs.read takes it"}
FITTING = {"page": "an upload always fits into memory"}
AS_KIND = {"python": "it is a value of kind"}
OF_COLUMNS = {"command": "it takes the names of columns or files"}

CLAIM_HELP = "What you want to show about B: different, better or worse; with --margin {}not_worse or equivalent."
READING_AID: dict[str, Any] = {
    "reads": D,
    "help": "The largest difference that does not matter. The verdict compares the interval with it.",
}
ALL_CLAIMS = "clearwin.numerics.pvalues:ALL_CLAIMS"


@dataclass(frozen=True)
class Option:
    """One option: what it reads, which verbs have it, and how each door spells it."""

    name: str  # in Python
    reads: Reads
    help: str
    default: Any = None
    on_command: tuple[Any, ...] = ()  # the default there, if it is another
    flag: str = ""  # on the command, if it is not the name
    choices: str = ""
    why_not: dict[str, str] = field(default_factory=dict)  # door that lacks it → why
    in_calls: bool = True  # whether the printed call has it

    @property
    def typed(self) -> str:
        """What the command calls it."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """What the page and TOML call it."""
        return self.typed.partition("/")[0].removeprefix("--").replace("-", "_")

    @property
    def command_default(self) -> Any:
        """The default on the command and the page."""
        return self.on_command[0] if self.on_command else self.default


_OPTIONS = (
    Option("kind", NAME, "The curve: roc, det or pr.", "roc", why_not={"command": "each kind is a flag"}),
    Option("roc", FLAG, "Recall against the false positive rate; this is the default.", why_not=AS_KIND),
    Option("det", FLAG, "Both error rates, on axes of normal deviates.", why_not=AS_KIND),
    Option("pr", FLAG, "Precision against recall.", why_not=AS_KIND),
    Option("bands", FLAG, "Draw confidence bands, by the bootstrap.", False),
    Option(
        "train_size",
        Reads("whole number", within=(1, None)),
        "Documents to train on; by default a tenth, at most 7982.",
    ),
    Option(
        "categories_per_set",
        Reads("whole number", within=(2, None)),
        "Categories in each of X, Y and Z; by default 21, or fewer.",
    ),
    Option("study", FLAG, "Report size and coverage as well, which Table 3 cannot show."),
    Option("n_jobs", WHOLE, "Threads; -1 for all cores.", flag="--jobs", on_command=(-1,), in_calls=False),
    Option("folds", FLAG, "List the tests of `clearwin folds` instead."),
    Option("as_json", FLAG, "Print JSON.", flag="--json"),
    Option("host", Reads("text", "ADDRESS"), "Address of this machine to serve others as well. Default: 127.0.0.1."),
    Option("port", Reads("whole number", within=(0, 65535)), "Default: 8765, or a free one if that is taken."),
    Option("open_browser", FLAG, "Open the page in a browser.", True, flag="--open/--no-browser"),
    Option(
        "max_upload_mb",
        Reads("whole number", within=(1, 4096)),
        "The largest upload; eight times as much when unpacked.",
        64,
    ),
    Option("progress", OBJECT, "Show a bar.", why_not={"command": "a terminal has it"}, in_calls=False),
    Option("record_property", OBJECT, "The fixture of pytest that takes the figures.", in_calls=False),
)
_DATA = (
    Option(
        "files",
        FILES,
        "Answers of two models on some items, as for compare; several files, joined by --id, one after the other.",
        flag="--pilot",
        why_not={"python": "data takes it", "page": "uploads are pilots"},
    ),
    Option(
        "data",
        DATA,
        "A frame whose columns the other arguments name, or evaluation logs.",
        why_not={"command": "files are its arguments", "page": "files are uploaded", "toml": "files are arguments"},
    ),
    Option("truth", COLUMN, "Column with the true labels.", why_not=BY_POSITION),
    Option("a", COLUMN, "Column with A's decisions, scores or values; A is the reference.", why_not=BY_POSITION),
    Option("b", COLUMN, "Column with B's decisions, scores or values; B is the challenger.", why_not=BY_POSITION),
    Option(
        "models",
        NAMES,
        "Columns with the models' answers: svm,rbf,tree, or patterns: bert*. By default all columns with answers.",
        why_not=BY_POSITION,
    ),
    Option("names", TWO_NAMES, "What to call the two models; by default their columns."),
    Option("name", NAME, "What to call the model.", why_not=OF_COLUMNS),
    Option(
        "id",
        COLUMN,
        "Column with the items' ids, to join files by.",
        flag="--id",
    ),
    Option("test_set", FILE, "The one test set, with the same columns; otherwise one is drawn."),
    Option(
        "groups",
        SEVERAL_COLUMNS,
        "Column with the group of each item (author, passage, repeated run); groups are resampled whole. With "
        "several files it must be in the first. Give it twice for crossed groups (annotators and documents).",
    ),
    Option(
        "strata", COLUMN, "Column of strata, whose sizes every replicate keeps. Name the truth to stratify by class."
    ),
    Option(
        "order",
        COLUMN,
        "Column with the time of each item, as numbers or dates: the standard error then allows for items that "
        "resemble those before them.",
    ),
    Option(
        "corpus",
        FILES,
        "Documents: CSV, TSV, JSON, JSONL or Parquet, can be repeated; or rcv1, which is downloaded. By default the "
        "documentation inside scikit-learn.",
    ),
    Option("text", COLUMN, "Column with the texts.", "text"),
    Option("labels", NAMES, "The classes or labels to average over: joy,anger."),
    Option("separator", TEXT, 'What separates several labels in one field: ",".'),
    Option("columns", NAMES, "Names of the columns of files without a header: text,labels,id."),
    Option("label_names", FILE, "File with a name in each line; category 0 gets the first."),
    Option(
        "missing",
        WAY,
        "Items that lack a value: refuse the file, or drop them and say how many.",
        "refuse",
        choices="clearwin.data.arrays:MISSING",
    ),
    Option("threshold", THRESHOLDS, "Turn scores into decisions: one threshold, one for each model, or best."),
    Option(
        "dev",
        FILE,
        "File with the same columns to choose the thresholds on.",
        why_not={"page": "it has no field for it"},
    ),
    Option(
        "stratified",
        FLAG,
        "Draw sets that keep the shares of the strata, or of the true classes where none are given.",
        False,
    ),
    Option("rank_infinite", FLAG, "Rank infinite scores highest or lowest.", False),
    Option(
        "lower_is_positive",
        NAMES_OR_ALL,
        "Lower scores mean the positive class, as with distances: for all models, or for those named.",
        False,
    ),
    Option(
        "bins",
        Reads("text", "N"),
        "Count scores in bins: auto (if they exceed --memory-limit), none, or the number of bins.",
        "auto",
        why_not=FITTING,
    ),
    Option(
        "memory_limit",
        Reads("text", "SIZE"),
        "Memory for exact scores. Beyond it bins are used.",
        "2GB",
        why_not=FITTING,
    ),
    Option("metric", NAME, "For evaluation logs: the metric, if there are several.", why_not=OF_LOGS),
    Option("filter", NAME, "For evaluation logs: the filter whose answers count.", why_not=OF_LOGS),
    Option("partial", FLAG, "For evaluation logs: use the items that all runs have.", why_not=OF_LOGS),
    Option(
        "design",
        NAME,
        'How the folds were made: k-fold, "repeated k-fold", 10x10 (rounds × folds), resampled, 5x2 or independent.',
    ),
    Option("repeats", N, "Rounds of repeated k-fold cross-validation."),
    Option("test_train_ratio", Reads("number", "R"), "Size of a test set over that of its training set."),
    Option(
        "name_column",
        COLUMN,
        "Column with the names of the data sets; by default the only one without numbers.",
        flag="--name",
        why_not={"python": "names takes them"},
    ),
    Option(
        "long",
        COLUMNS,
        "Columns of data set, model and score, for a table with one row for each score: task,model,accuracy.",
    ),
    Option(
        "higher_is_better",
        FLAG,
        "Whether higher scores are better.",
        True,
        why_not={"command": "lower_is_better says so"},
    ),
    Option(
        "lower_is_better", FLAG, "The scores are losses or error rates.", why_not={"python": "higher_is_better says so"}
    ),
    Option("cv", OBJECT, "How the data are split."),
    Option("params", OBJECT, "Parameters for the learners' fit."),
    Option("pool", FLAG, "Compare the items of all test folds together.", False),
)
_MEASURE = (
    Option(
        "measure",
        NAME,
        'A name from `clearwin measures`, with options: "dcf(cost_fn=10, cost_fp=1, prior=0.01)".',
        "f1",
    ),
    Option("scoring", OBJECT, "A scorer of scikit-learn, in place of a measure."),
    Option("positive", LABEL, "The positive class; inferred only for 0/1, False/True, -1/1."),
    Option("cost_fn", NUMBER, "Cost of a false negative.", 1.0),
    Option("cost_fp", NUMBER, "Cost of a false positive.", 1.0),
    Option("prior", NUMBER, "Share of positives to expect; by default that in the file."),
    Option("fpr", NUMBER, "A further false positive rate at which recall is listed."),
    Option("measure_label", TEXT, "What to call the scores.", "score"),
)
_GOAL = (
    Option("difference", D, "The difference worth finding: how much better B is."),
    Option("items", N, "The number of items that you have, to see what they can show."),
    Option("power", Reads("number", "P"), "How often it should be shown; 0.8 by default."),
    Option("design_effect", X, "Variance relative to independent items. Twice the variance takes twice the items."),
)
_RATES = (
    Option("disagreement", X, "Share of items on which exactly one model is right."),
    Option("accuracy_a", X, "A's accuracy, to check the disagreement."),
    Option("prevalence", X, "Share of positive items."),
    Option("recall_a", X, "A's recall."),
    Option("false_positive_rate_a", X, "A's false positive rate."),
    Option("auc_a", X, "A's AUC."),
    Option("correlation", X, "Correlation of the models' scores among items of one class."),
    Option("deviation", X, "Standard deviation of B's values minus A's."),
)
_TEST = (
    Option("interval", NAME, "Kind of interval.", "auto", choices="clearwin.analyses.listing:names_of_intervals"),
    Option("test", NAME, "A name from `clearwin tests`.", "auto"),
    Option(
        "tests",
        SEVERAL_NAMES,
        "A name from `clearwin tests`, or with its variant: mcnemar/exact, bootstrap/bca. Can be repeated.",
        ("auto",),
        flag="--test",
    ),
    Option("method", NAME, "The variant of the test.", "auto"),
    Option(
        "claim",
        CLAIM,
        "What you want to show about B: different, better or worse.",
        "different",
        choices="clearwin.numerics.pvalues:CLAIMS",
    ),
    Option(
        "per_class",
        FLAG,
        "Compare in every class, each against the others.",
        why_not={"python": "compare_by_class does so"},
    ),
    Option("by", COLUMN, "Compare in every slice as well (a task, a language)."),
    Option("baseline", NAME, "Compare every model with this one; by default all pairs are compared."),
    Option("min_slice", WHOLE, "Smaller slices are reported but do not count.", 50),
    Option(
        "correction",
        NAME,
        "For --per-class and --by: holm or benjamini-hochberg.",
        "holm",
        choices="clearwin.numerics.corrections:CORRECTIONS",
    ),
    Option(
        "margin", SHARE, "The largest difference that does not matter: a number, or a share of A's value such as 5%."
    ),
    Option("alphas", NUMBERS, "Levels of the tests.", (0.1, 0.05, 0.01)),
    Option(
        "confidence_level",
        NUMBER,
        "Level of the interval. The verdict uses 1 minus this level, which is 0.05 for 0.95.",
        0.95,
    ),
    Option(
        "config",
        FILE,
        "A TOML file with the checks, or pyproject.toml with [tool.clearwin.gate]; used automatically if it exists "
        "and there is no --margin.",
        why_not={"python": "checks takes them", "toml": "it is this file"},
    ),
    Option(
        "checks",
        OBJECT,
        "Several checks, each with a measure, a margin, a claim and slices.",
        why_not={"command": "config names their file"},
    ),
    Option("undecided", WAY, "How an undecided gate ends: pass, fail, or exit code 3.", "3"),
    Option(
        "ledger",
        FILE,
        "Count the uses of this test set in this file, and divide the level among them.",
        why_not={"python": "it counts runs of the command", "toml": "each run has its own"},
    ),
    Option(
        "baseline_sha256",
        Reads("text", "HEX"),
        "Refuse a baseline file with a different digest.",
        why_not={"python": "only files have digests"},
    ),
    Option(
        "self_test",
        FLAG,
        "Test the gate on these items with equal models and with a planted drop.",
        why_not={"python": "it prints a report", "toml": "each run has its own"},
    ),
)
_RESAMPLING = (
    Option("test_size", N, "Items of a test set; by default those of --test-set."),
    Option("n_sets", WHOLE, "Test sets to draw.", 1_000, flag="--sets"),
    Option("sizes", NUMBERS, "Test sizes at which power is measured: 500,1000,2000."),
    Option("n_resamples", WHOLE, "Replicates to draw.", 10_000),
    Option(
        "rng",
        SEED,
        "Seed; the same seed gives the same numbers. By default the data give it; random draws one.",
        flag="--seed",
        in_calls=False,
    ),
    Option("category_sets", NAMED_LISTS, "A row of the tables: X=joy,anger. Can be repeated.", flag="--category-set"),
    Option(
        "device",
        NAME,
        'Where the bootstrap draws test sets: "cpu", or "cuda" by CuPy or torch.',
        "cpu",
        why_not={"page": "it draws on the processor"},
    ),
    Option(
        "workers",
        Reads("whole number", within=(1, None)),
        "Number of worker processes.",
        1,
        flag="--jobs",
        why_not={"python": "joblib takes it"},
    ),
    Option(
        "keep",
        FOLDER,
        "File for finished blocks, or folder for one named by data and settings; by default here.",
        on_command=(".",),
        in_calls=False,
    ),
    Option("resume", FLAG, "Continue from the finished blocks of an interrupted study.", False, in_calls=False),
)
_OUTPUT = (
    Option(
        "style",
        Reads("text", "STYLE"),
        "Print everything (full), a sentence for a paper (paper) or a line for a chat (brief).",
        "full",
    ),
    Option("json", PRINTED_OR_FILE, "Print JSON, or write it to FILE, which must end in .json."),
    Option("as_markdown", FLAG, "Print a short report for a pull request.", flag="--markdown"),
    Option("html", NEW_FILE, "Write a self-contained HTML report to a file."),
    Option("latex", NEW_FILE, "Write a LaTeX table (booktabs) to a .tex file."),
    Option("plot", NEW_FILE, "Draw it: .png, .svg or .pdf."),
    Option("picture", NAME, "The picture to draw if a result has several; the first by default.", flag="--kind"),
    Option("save", NEW_FILE, "Write the demo's data to a CSV file."),
    Option("disagreements", NEW_FILE, "Write the items on which the models differ to a CSV file."),
    Option("junit", NEW_FILE, "Write the checks as JUnit XML."),
    Option("force", FLAG, "Overwrite existing files."),
)

# Options in no other section come first in the help.
SECTIONS = {
    "Options": _OPTIONS,
    "Data": _DATA,
    "Measure": _MEASURE,
    "Goal": _GOAL,
    "Without a pilot": _RATES,
    "Test": _TEST,
    "Resampling": _RESAMPLING,
    "Output": tuple(replace(row, why_not=OF_OUTPUT) for row in _OUTPUT),
}
ROWS = tuple(row for rows in SECTIONS.values() for row in rows)
BY_NAME = {row.name: row for row in ROWS}

# what a check of the gate has itself, and what it can have instead of the value for all checks
OF_CHECKS, ALSO_OF_CHECKS = ("measure", "margin", "claim", "by"), ("positive", "labels", "threshold")

# Names that many verbs share.
UNITS, SCORES, LOGS = "groups strata labels separator", "rank_infinite lower_is_positive", "metric filter partial"
RATES = "disagreement accuracy_a prevalence recall_a false_positive_rate_a auc_a correlation deviation"
OUTPUT = "style json as_markdown html latex plot picture"

# The options of each verb, in the order of its help.
VERBS = {
    "compare": (
        f"data truth a b names id {UNITS} order missing threshold dev {SCORES} bins memory_limit {LOGS} measure "
        "positive interval confidence_level test method claim per_class by correction margin n_resamples rng "
        f"device {OUTPUT} disagreements force"
    ),
    "estimate": (
        f"data truth a name id {UNITS} order missing threshold dev {SCORES} bins memory_limit {LOGS} measure "
        f"positive interval confidence_level n_resamples rng device {OUTPUT} force"
    ),
    "gate": (
        f"data truth a b names id {UNITS} order missing threshold dev {SCORES} measure positive "
        "confidence_level claim margin by min_slice correction config checks undecided ledger baseline_sha256 "
        f"self_test n_resamples rng {OUTPUT} junit force"
    ),
    "rank": (
        f"data truth models id groups strata missing {SCORES} {LOGS} measure positive baseline correction "
        f"confidence_level margin n_resamples rng device {OUTPUT} force"
    ),
    "chance": f"truth a name id labels method confidence_level n_resamples rng {OUTPUT} force",
    "curve": (
        f"kind roc det pr bands data truth a b models names id missing {SCORES} positive cost_fn cost_fp "
        f"prior fpr confidence_level n_resamples rng {OUTPUT} force"
    ),
    "folds": (
        "a b names id design repeats test_train_ratio higher_is_better lower_is_better measure_label test "
        f"claim margin confidence_level n_resamples rng {OUTPUT} force"
    ),
    "datasets": (
        "models names name_column long higher_is_better lower_is_better baseline correction margin "
        f"confidence_level n_resamples rng {OUTPUT} force"
    ),
    "study": (
        f"progress data truth a b names id test_set {UNITS} threshold stratified {SCORES} measure positive "
        "tests claim alphas confidence_level test_size n_sets sizes n_resamples rng category_sets device workers "
        f"keep resume {OUTPUT} force"
    ),
    "plan": (
        f"files data truth a b names id {UNITS} missing threshold {SCORES} {LOGS} measure positive "
        f"difference items power design_effect {RATES} claim margin confidence_level n_resamples rng {OUTPUT} "
        "force"
    ),
    "inspect": f"as_json {LOGS}",
    "reproduce": (
        "train_size categories_per_set study n_jobs corpus text labels separator columns label_names measure "
        f"test_size n_resamples n_sets rng {OUTPUT} save force"
    ),
    "measures": "json force",
    "tests": "folds json force",
    "demo": f"save {OUTPUT} force",
    "serve": "host port open_browser max_upload_mb workers",
    "compare_by_class": f"data id {UNITS} missing measure correction",
    "compare_unpaired": f"names labels missing threshold {SCORES} measure positive claim confidence_level",
    "cross_compare": (
        "n_jobs progress names groups cv params pool measure scoring positive test claim margin confidence_level "
        "n_resamples rng"
    ),
    "assert_not_worse": "record_property margin undecided",
}

# What is different about an option of a verb.
DIFFERENT: dict[str, dict[str, dict[str, Any]]] = {
    "compare": {
        "claim": {"help": CLAIM_HELP.format("also "), "choices": ALL_CLAIMS},
        "test": {"choices": "clearwin.analyses.listing:names_of_tests"},
        "method": {"choices": "clearwin.analyses.listing:names_of_methods"},
    },
    "estimate": {
        "threshold": {"help": "Turn scores into decisions at this threshold.", "reads": Reads("thresholds", "T")},
        "dev": {"help": "File with the same columns to choose the threshold on."},
    },
    "gate": {
        "b": {"help": "Column with the candidate's decisions, scores or values."},
        "claim": {
            "help": "What must be shown about B: not_worse or equivalent.",
            "default": "not_worse",
            "choices": "clearwin.numerics.pvalues:MARGIN_CLAIMS",
        },
        "by": {"help": "Check every slice as well (a task, a language)."},
        "correction": {"help": "Correction of failures: holm or benjamini-hochberg."},
        "undecided": {"why_not": {"python": "assert_not_worse takes it"}},
    },
    "assert_not_worse": {"undecided": {"default": "fail"}},
    "rank": {
        "groups": {
            "help": "Column with the group of each item (author, passage, repeated run); groups are drawn whole.",
            "reads": COLUMN,
        },
        "correction": {
            "help": "Correction for many tests: holm (default up to 50 pairs), max-t (default beyond) or "
            "benjamini-hochberg.",
            "default": None,
            "choices": "",
        },
        "margin": {**READING_AID, "why_not": {"python": "verdict takes it"}},
        "n_resamples": {"default": None, "on_command": (10_000,)},
    },
    "chance": {
        "id": {"why_not": {"python": "it takes arrays or a matrix"}},
        "labels": {"help": "The classes, in the order of the matrix.", "why_not": {"command": "the file has them"}},
        "name": {"default": "the classifier"},
        "method": {"help": "exact, monte_carlo or chi2."},
        "n_resamples": {"help": "Random tables to draw; by default as many as the level needs.", "default": None},
    },
    "curve": {
        "a": {"help": "Column with the scores of A, the reference."},
        "b": {"help": "Column with the scores of B, the challenger, if there is one."},
        "models": {"help": "Columns with the scores of many models: svm,rbf,tree, or patterns: bert*."},
        "names": {"why_not": OF_COLUMNS},
        "confidence_level": {"help": "Level of the bands."},
        "n_resamples": {"help": "Replicates to draw for the bands.", "default": 1_000},
    },
    "folds": {
        "a": {"help": "Column with the scores of learner A, the reference."},
        "b": {"help": "Column with the scores of learner B, the challenger."},
        "id": {"why_not": {"python": "it takes arrays"}},
        "names": {"default": ("A", "B"), "why_not": OF_COLUMNS},
        "lower_is_better": {"help": "The scores are errors, losses or costs."},
        "test": {"help": "paired_t, corrected_t, 5x2cv_t, 5x2cv_f, permutation, partition, wilcoxon, sign or bayes_t."},
        "margin": {**READING_AID, "default": 0.01, "on_command": (None,)},
        "n_resamples": {"help": "Arrangements to draw where there are too many to count."},
    },
    "datasets": {
        "models": {"help": "Columns with the models' scores: nbc,aode; by default all others.", "reads": COLUMNS},
        "names": {"help": "The names of the data sets.", "why_not": OF_COLUMNS},
        "baseline": {"help": "Compare each model with this one; by default all pairs.", "reads": COLUMN},
        "correction": {"help": "holm or benjamini-hochberg."},
        "margin": {
            "reads": NUMBER,
            "help": "Scores that differ by at most this are practically equivalent.",
            "default": 0.01,
        },
        "n_resamples": {"help": "Draws from the posterior.", "default": 50_000},
        "plot": {"help": "Draw the critical-difference diagram: .png, .svg or .pdf."},
    },
    "study": {
        "names": {"why_not": OF_COLUMNS},
        "confidence_level": {"help": "Level of the intervals."},
        "n_resamples": {"help": "Replicates that a test draws on each set.", "default": 999},
    },
    "plan": {
        **{name: {"why_not": {**OF_LOGS, "page": "its pilots are tables"}} for name in ("metric", "filter", "partial")},
        "claim": {"help": CLAIM_HELP.format(""), "choices": ALL_CLAIMS},
        "n_resamples": {"help": "Test sets to draw at each size.", "default": 4_000},
    },
    "compare_unpaired": {"measure": {"default": "auc"}},
    "cross_compare": {"measure": {"default": None}, "margin": {"default": 0.01}},
    "reproduce": {
        "labels": {"reads": COLUMN, "help": "Column with the categories of each document.", "default": "labels"},
        "separator": {"help": "What separates several categories.", "default": ","},
        "measure": {"help": "A measure of label sets.", "default": "micro_f1"},
        "test_size": {
            "help": "Documents to test on; by default a tenth, at most 7909.",
            "reads": Reads("whole number", within=(1, None)),
        },
        "n_sets": {"help": "Test sets to draw from the rest."},
        "n_resamples": {"help": "Replicates on the test set."},
        "plot": {"help": "Draw Figure 1 for X: .png, .svg or .pdf."},
        "save": {"help": 'Write what both models decided to a CSV file; labels are separated by "|".'},
    },
    "serve": {
        "workers": {
            "help": "Short jobs at the same time, and as many long ones.",
            "default": 2,
            "reads": Reads("whole number", within=(1, 64)),
        }
    },
}


@cache
def options_of(verb: str) -> tuple[Option, ...]:
    """Return the options of a verb, in the order of its help."""
    different = DIFFERENT.get(verb, {})
    rows = (BY_NAME[name] for name in VERBS[verb].split())
    return tuple(replace(row, **different[row.name]) if row.name in different else row for row in rows)


@cache
def at_door(verb: str, door: Door) -> dict[str, Option]:
    """Return the options that a verb has at a door, by the names they have there."""
    rows = [row for row in options_of(verb) if door in DOORS[verb] and door not in row.why_not]
    return {row.key if door in ("page", "toml") else row.name: row for row in rows}


def names_in(section: str) -> list[str]:
    """Return the names of the options of a section."""
    return [row.name for row in SECTIONS[section]]


def choices_of(row: Option) -> tuple[str, ...]:
    """Return the names to choose among; none where any text will do."""
    if not row.choices:
        return ()
    module, _, name = row.choices.partition(":")
    choices = getattr(import_module(module), name)
    return tuple(choices() if callable(choices) else choices)
