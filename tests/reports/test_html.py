"""Reports: every kind of result as a page, as Markdown, as CSV; safe whatever a file calls its models."""

import dataclasses
import html.parser
import itertools
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import clearwin as cw
from clearwin.cli import main
from clearwin.reports.html import as_html, as_markdown
from clearwin.text import shell_word
from tests.hostile import NAMES
from tests.one_of_each import MAKERS, data_of
from tests.reports.pages import every_kind, spaced
from tests.simulation.keller2004.texts import made_up, rows_of, write_csv

VOID = {"meta", "br", "img", "link", "input", "hr", "base"}
SVG = {
    "svg",
    "title",
    "desc",
    "defs",
    "g",
    "path",
    "use",
    "text",
    "tspan",
    "clippath",
    "rect",
    "line",
    "polyline",
    "pattern",
    "lineargradient",
    "stop",
    "circle",
    "polygon",
}
OURS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "main",
    "header",
    "section",
    "p",
    "h1",
    "h2",
    "h3",
    "div",
    "figure",
    "figcaption",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "pre",
    "code",
    "bdi",
    "strong",
} | SVG


class Page(html.parser.HTMLParser):
    """What a browser would make of a page: elements with their attributes, the text, whether all are closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.open = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    @property
    def words(self):
        return " ".join("".join(self.text).split())

    def tags(self, *names):
        return [tag for tag, _ in self.elements if tag in names]


@pytest.fixture
def without_pictures(monkeypatch):
    """Nothing is drawn, where the subject is what a page says."""
    import clearwin.plots

    monkeypatch.setattr(clearwin.plots, "pictures", lambda *_, **__: [])


@pytest.fixture(scope="module")
def pages(results):
    return {kind: as_html(result, command="clearwin compare x.csv") for kind, result in results.items()}


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("kind", ["comparison", "per_class", "folds", "unpaired", "against_chance"])
def test_a_level_that_is_not_the_usual_one_is_told(kind):
    r = MAKERS[kind](confidence_level=0.99)
    summary, usual = r.summary(), MAKERS[kind]().summary()
    assert ", judged at 0.01" in summary.opening[0]
    assert ", judged at 0.01" in summary.verdict
    for text in (Page(as_html(r)).words, as_markdown(r)):
        assert "judged at 0.01" in text
    assert "judged at" not in f"{usual.opening}{usual.verdict}{usual.blocks}"


# --- the page -------------------------------------------------------------------------------------------------


@every_kind
def test_the_page_is_sound(pages, kind):
    page = Page(pages[kind])
    assert page.elements[0] == ("html", {"lang": "en", "dir": "ltr"})
    assert set(page.tags(*{tag for tag, _ in page.elements})) <= OURS
    assert page.tags("h1") == ["h1"]
    levels = [int(tag[1]) for tag in page.tags("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.elements:
        assert set(attrs.get("aria-labelledby", "").split()) <= set(ids)


@every_kind
def test_nothing_is_loaded_and_nothing_runs(pages, kind):
    page = Page(pages[kind])
    policy = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'", policy[0]
    )
    for tag, attrs in page.elements:
        for name, value in attrs.items():
            assert not name.startswith("on")
            assert name not in ("src", "style", "srcset", "action")
            if name in ("href", "xlink:href"):
                assert value.startswith("#"), (tag, value)
            assert "url(" not in (value or "") or re.search(r"url\(#[\w-]+\)", value)
    style = re.search(r"<style>(.*?)</style>", pages[kind], flags=re.S)[1]
    assert "url(" not in style
    assert "@import" not in style


@every_kind
def test_the_page_can_be_listened_to(pages, kind):
    page = Page(pages[kind])
    pictures = [attrs for tag, attrs in page.elements if tag == "svg"]
    on_phones = [attrs for tag, attrs in page.elements if attrs.get("class") == "on-phones"]  # the same once more
    assert len(pictures) - len(on_phones) == len(page.tags("figure")) == len(page.tags("figcaption")) >= 1
    for attrs in pictures:
        assert attrs["role"] == "img"
        assert {"aria-labelledby", "aria-describedby"} <= set(attrs)
    assert len(page.tags("desc")) == len(pictures)
    for table in re.findall(r"<table.*?</table>", pages[kind], flags=re.S):
        assert re.search(r'<th scope="(row|col)">', table)
    for _, attrs in (e for e in page.elements if e[0] == "th"):
        assert attrs["scope"] in ("row", "col")


@every_kind
def test_the_page_tells_all_in_order(results, pages, kind):
    result, words = results[kind], Page(pages[kind]).words
    summary = result.summary()
    assert summary.verdict in result.verdict()
    assert summary.body
    assert summary.body in summary.verdict
    parts = [
        summary.headline,
        summary.body,
        "Pictures" if pages[kind].count("<figure") > 1 else "Picture",
        "Numbers",
        summary.null_title,
        summary.null_hypothesis or "Nothing is tested",
        "Caveats",
        *summary.caveats,
        "Method",
        summary.method[0][1],
        "How to repeat it",
        "clearwin compare x.csv",
        result.signature.seed,
        cw.__version__,
        np.__version__,
        "hash of the data",
        str(result.signature),
        "What this does not show",
        *summary.limits,
    ]
    place = words.index("clearwin report")
    for part in map(spaced, parts):
        place = words.index(part, place)
    for block in summary.blocks:
        for row in getattr(block, "rows", ()):
            for cell in row:
                assert spaced(cell) in words


@pytest.mark.parametrize("kind", ["comparison", "leaderboard", "curves"])
def test_the_same_result_gives_the_same_page(pages, kind):
    assert as_html(MAKERS[kind](), command="clearwin compare x.csv") == pages[kind]


def test_the_size_of_a_comparison_of_ten_thousand_replicates():
    r = MAKERS["comparison"](test="bootstrap", n_resamples=10_000)
    assert len(as_html(r).encode()) < 500_000


def _decisions(k):
    rng = np.random.default_rng(4)
    names = np.array([f"a class of quite a long name, number {i}" for i in range(k)])
    truth = rng.integers(0, k, 15 * k)
    return [names[truth], *(names[np.where(rng.random(truth.size) < 0.3, rng.permutation(truth), truth)] for _ in "ab")]


def _ranked(k, **settings):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 150)
    models = {f"model {i}": np.where(rng.random(150) < 0.2, 1 - truth, truth) for i in range(k)}
    return cw.rank(truth, models, measure="accuracy", n_resamples=100, rng=1, **settings)


def _many(kind, times):
    """Return a result with so many times the rows: what many classes, models or tests would give."""
    made = _ranked(3, baseline="model 1") if kind == "leaderboard" else MAKERS[kind]()
    rows = {
        "per_class": ["classes"],
        "leaderboard": ["models", "pairs"],
        "data_sets": ["pairs", "groups"],
        "study": ["size", "coverage", "power", "calibration", "confidence"],
    }[kind]
    more = {name: getattr(made, name) * times for name in rows}
    if kind == "study":  # a row for each category set
        for name, repeated in more.items():
            n = len(repeated) // times
            more[name] = tuple(dataclasses.replace(r, category_set=f"set {i // n}") for i, r in enumerate(repeated))
        more["needed"], more["detectable"] = (
            tuple(dataclasses.replace(r, category_set=f"set {i}") for i in range(times) for r in getattr(made, name))
            for name in ("needed", "detectable")
        )
    return dataclasses.replace(made, **more)


# how many replicates there are is another test's subject
QUICK = {"measure": "accuracy", "n_resamples": 99, "rng": 1}
LARGE = {
    "compare 30": (lambda: cw.compare(*_decisions(30), **QUICK), ()),
    "compare 31": (lambda: cw.compare(*_decisions(31), **QUICK), ("not drawn: there are 31 classes",)),
    "compare 500": (lambda: cw.compare(*_decisions(500), **QUICK), ("not drawn: there are 500 classes",)),
    "estimate 118": (lambda: cw.estimate(*_decisions(118)[:2], **QUICK), ("there are 118 classes",)),
    "chance 40": (lambda: cw.against_chance(*_decisions(40)[:2], method="chi2"), ()),
    "chance 100": (
        lambda: cw.against_chance(*_decisions(100)[:2], method="chi2"),
        ("not drawn: there are 100 classes", "the first 60 of 101"),
    ),
    "per class 6,000": (
        lambda: _many("per_class", 2_000),
        ("the 60 of 6,000 with the smallest p", "of 6,000 rows are shown here. The JSON has all"),
    ),
    "rank 3,000": (
        lambda: _many("leaderboard", 1_000),
        ("the first 60 of 3,000", "the 60 of 2,000 with the smallest p", "of 3,000 rows are shown here"),
    ),
    "pairs 2,400": (lambda: _many("data_sets", 800), ("the 60 of 2,400 with", "of 2,400 rows are shown here")),
    "study 150": (
        lambda: _many("study", 150),
        ("found at 0.05 where there is none, the first 60 of 300", "The JSON has all of them"),
    ),
}


@pytest.mark.parametrize("case", LARGE)
def test_no_report_is_too_large_and_what_is_left_out_is_reported(case):
    make, reported = LARGE[case]
    result = make()
    page = as_html(result)
    assert len(page.encode()) < 500_000
    words = Page(page).words
    for part in reported:
        assert part in words
    if not reported:
        assert "The JSON has all" not in words
        assert "not drawn" not in words
    assert len(as_markdown(result)) <= 65_536


def test_a_picture_that_the_page_has_no_room_for_is_named(monkeypatch):
    monkeypatch.setattr("clearwin.reports.html.FOR_PICTURES", 10_000)
    page = Page(as_html(MAKERS["comparison"](test="bootstrap")))
    assert page.tags("svg") == ["svg", "svg"]
    assert "Left out, as the page would be too large: " in page.words
    for kind in ("mosaic", "confusion_a", "confusion_b"):
        assert f"plot(kind='{kind}') draws it" in page.words


def test_pictures_are_judged_at_the_level_of_the_verdict(pages):
    for page, alpha in ((pages["comparison"], "0.05"), (as_html(MAKERS["comparison"](confidence_level=0.99)), "0.01")):
        assert set(re.findall(r">shown at ([\d.]+)<", page)) == {alpha}


def test_a_picture_can_be_moved_sideways_where_the_page_is_narrow(pages):
    page = pages["curves"]
    assert re.search(r'<div class="wide" role="group" aria-label="[^"]+" tabindex="0"><svg', page)
    page = pages["per_class"]  # which is drawn once more for phones
    assert re.search(r'<div class="wide not-on-phones" role="group" aria-label="[^"]+" tabindex="0"><svg', page)
    assert '<div class="on-phones"><svg' in page
    narrow = page[page.index("@media (max-width: 34rem)") :]
    assert re.search(r"figure svg \{ max-width: none; \}", narrow)
    assert re.search(r"\.wide \{ overflow-x: auto", page)


@pytest.mark.usefixtures("without_pictures")
def test_the_level_of_the_verdict():
    p = MAKERS["comparison"]().p_value
    verdicts = set()
    for alpha in (p / 2, (1 + p) / 2):
        r = MAKERS["comparison"](confidence_level=1 - alpha)
        assert spaced(r.summary().body) in as_markdown(r)
        assert spaced(r.summary().body) in Page(as_html(r)).words
        verdicts.add(r.decision)
    assert verdicts == {"better", "not shown"}


def test_the_templates_are_in_the_package():
    folder = Path(cw.__file__).parent / "reports" / "templates"
    assert {path.name for path in folder.iterdir()} == {"blocks.html", "fragment.html", "report.css", "report.html"}
    for path in folder.glob("*.html"):  # `safe` is for what no file can say: the style sheet and its hash
        assert set(re.findall(r"\{\{ (\w+)\|safe", path.read_text(encoding="utf-8"))) <= {"style", "style_hash"}


@pytest.mark.usefixtures("without_pictures")
def test_to_html_writes_the_page(tmp_path):
    r = MAKERS["estimate"]()
    written = r.to_html(tmp_path / "r.html")
    assert written.read_text(encoding="utf-8") == as_html(r)
    with pytest.raises(cw.errors.FileError, match="cannot be written"):
        r.to_html(tmp_path / "no folder" / "r.html")


def test_colours_can_be_told_apart():
    """WCAG 2: text has a contrast of 4.5 or more against what it stands on, by day and by night."""
    style = (Path(cw.__file__).parent / "reports" / "templates" / "report.css").read_text(encoding="utf-8")

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    schemes = [dict(re.findall(r"--(\w+): (#\w{6})", rule)) for rule in re.findall(r":root \{(.*?)\}", style, re.S)]
    assert len(schemes) == 3
    for scheme in schemes:
        for ink in ("ink", "soft", "accent"):
            for ground in ("paper", "band"):
                light, dark = sorted((luminance(scheme[ink]), luminance(scheme[ground])), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


# --- how to repeat it -----------------------------------------------------------------------------------------


@every_kind
def test_the_call_in_python_gives_the_same(results, kind):
    again = eval(results[kind].summary().call, {"cw": cw, **data_of(kind)})
    assert again.to_json() == results[kind].to_json()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 150)
    columns = {"y": truth}
    for i, name in enumerate(("svm", "r b'f", "-tree")):
        columns[name] = np.where(rng.random(150) < 0.3 - 0.06 * i, 1 - truth, truth)
    columns |= {"s1": truth + rng.normal(size=150), "s2": 1.5 * truth + rng.normal(size=150)}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    Path("my data.csv").write_text("\n".join(lines))
    Path("-dash.csv").write_text("\n".join(lines))
    Path("matrix.csv").write_text("20,4\n6,15\n")
    rows = [f"d{i},{0.7 + 0.01 * (i % 3)},{0.72 + 0.012 * (i % 4)}" for i in range(9)]
    Path("folds.csv").write_text("\n".join(["name,a,b", *rows]))
    write_csv(Path("news.csv"), rows_of(made_up(300)))
    return tmp_path


FEW = ["--n-resamples", "99"]
VERBS = {
    "compare": ["my data.csv", "--truth", "y", "--a", "svm", "--b", "r b'f", "--test", "bootstrap", *FEW],
    "compare dash": ["--truth=y", "--a", "svm", "--b=-tree", "--measure", "mcc", *FEW, "--", "-dash.csv"],
    "compare per class": ["my data.csv", "--truth", "y", "--a", "svm", "--b", "r b'f", "--per-class", *FEW],
    "estimate": ["my data.csv", "--truth", "y", "--a", "svm", *FEW],
    "gate": ["my data.csv", "--truth", "y", "--a", "svm", "--b", "r b'f", "--margin", "0.9", *FEW],
    "rank": ["my data.csv", "--truth", "y", "--models", "svm,r b'f,-tree", "--n-resamples", "200"],
    "plan": ["--pilot", "my data.csv", "--truth", "y", "--a", "svm", "--b", "r b'f", "--difference", "0.1", *FEW],
    "chance": ["matrix.csv", "--method", "monte_carlo", "--n-resamples", "300"],
    "curve": ["my data.csv", "--truth", "y", "--a", "s1", "--b", "s2", "--bands", "--n-resamples", "50", "--pr"],
    "folds": ["folds.csv", "--a", "a", "--b", "b", "--design", "independent", "--lower-is-better"],
    "datasets": ["folds.csv", "--n-resamples", "500"],
    "reproduce": ["keller2004", "--corpus", "news.csv", "--train-size", "80", "--test-size", "60", "--sets", "9", *FEW],
    "demo": [],
    "compare margin": ["my data.csv", "--truth", "y", "--a", "svm", "--b", "r b'f", "--margin", "0.02", *FEW],
    "study": ["my data.csv", "--truth=y", "--a=svm", "--b=-tree", "--test-size=50", "--sets=9", "--n-resamples=99"],
}


def ran(*words):
    result = CliRunner().invoke(main, list(words), prog_name="clearwin")
    assert result.exit_code == 0, result.output
    return result.stdout


def command_in(page):
    shown = re.search(r"<h3>On the command line</h3>\s*<pre[^>]*><code>(.*?)</code>", page, flags=re.S)[1]
    return re.sub(r"</?bdi>", "", shown)


def test_every_verb_that_has_a_result_writes_a_report():
    told = {name for name, command in main.commands.items() if any(p.name == "html" for p in command.params)}
    assert told == {name.split()[0] for name in VERBS}
    assert set(main.commands) - told <= {"inspect", "measures", "tests", "serve"}


@pytest.mark.parametrize("case", VERBS)
@pytest.mark.usefixtures("folder", "without_pictures")
def test_the_command_in_the_report_gives_the_same(case):
    verb, words = case.split()[0], VERBS[case]
    words = (
        [*words[:-2], "--json", "--html", "r.html", *words[-2:]]
        if "--" in words
        else [*words, "--json", "--html", "r.html"]
    )
    first = json.loads(ran(verb, *words))
    command = shlex.split(html.unescape(command_in(Path("r.html").read_text(encoding="utf-8"))))
    assert command[:2] == ["clearwin", verb]
    assert ("--seed" in command) == (verb != "demo")  # which has a seed of its own
    assert ("--margin" in command) == ("--margin" in words)
    assert "--html" not in command
    place = command.index("--") if "--" in command else len(command)
    assert json.loads(ran(*command[1:place], "--json", *command[place:])) == first


@pytest.mark.usefixtures("folder")
def test_files_are_not_written_over_and_only_one_thing_is_printed():
    words = ["compare", *VERBS["compare"], "--seed", "1"]
    text = ran(*words)
    assert ran(*words, "--html", "r.html") == text
    refused = CliRunner().invoke(main, [*words, "--html", "r.html"])
    assert refused.exit_code == 2
    assert "r.html exists already" in refused.stderr
    assert ran(*words, "--html", "r.html", "--force") == text
    both = CliRunner().invoke(main, [*words, "--json", "--markdown"])
    assert both.exit_code == 2
    assert "--json and --markdown were given" in both.stderr
    same = CliRunner().invoke(main, [*words, "--html", "x", "--json", "x"])
    assert same.exit_code == 2
    assert "both name x" in same.stderr
    assert ran(*words, "--markdown").startswith("### No clear evidence that r b'f differs")
    assert "--seed 1" in ran(*words, "--markdown")


@pytest.mark.parametrize(
    "text", ["a b", "it's", "a\nb", "a\u202eb'c\\d", "x\x1b[2J", "$HOME`id`", "é", "\U000e0001tag", "a\xa0b\x85c\xad1"]
)
def test_words_in_the_shells_quotes(text):
    import subprocess

    assert shell_word(text).isprintable()
    run = subprocess.run(
        ["bash", "-c", f"printf %s {shell_word(text)}"], capture_output=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert run.stdout.decode() == text


# --- hostile names --------------------------------------------------------------------------------------------


def test_there_are_enough_names():
    assert len(set(NAMES)) >= 100


def check_page(text):
    page = Page(text)
    assert {tag for tag, _ in page.elements} <= OURS
    for _, attrs in page.elements:
        assert not any(name.startswith("on") or name in ("src", "style") for name in attrs)
        assert attrs.get("href", "#").startswith("#")
    for character in text:
        assert character.isprintable() or character == "\n", hex(ord(character))
    return page


@pytest.mark.usefixtures("without_pictures")  # which have their own tests, and the next one
def test_no_name_is_live_in_a_page(hostile_results):
    for kind, pair, result in hostile_results:
        page = check_page(as_html(result, command=shlex.join(["clearwin", *pair]).replace("\x00", "")))
        for name in pair if kind != "estimate" else pair[:1]:
            assert spaced(name) in page.words or kind == "against_chance", (kind, name)
        check_page(result._repr_html_())


@pytest.mark.parametrize("kind", ["comparison", "per_class", "leaderboard", "data_sets", "curves"])
def test_no_name_is_live_in_a_page_with_pictures(kind):
    check_page(as_html(MAKERS[kind](names=("</desc><script>$x$\u202e", "]]>&<b onload='x'>\x1b"))))


@pytest.mark.usefixtures("without_pictures")
def test_no_name_is_live_as_a_label():
    matrix = np.eye(len(NAMES), dtype=int) * 3 + 1
    result = cw.against_chance(matrix, labels=NAMES, method="chi2")
    page = check_page(as_html(result))
    for name in NAMES:
        assert spaced(f"recall of {name}") in page.words
    assert check_page(result._repr_html_())


def test_heads_of_tables_are_not_broken_inside_words(pages):
    assert re.search(r"\nth \{[^}]*overflow-wrap: break-word", pages["per_class"])


def test_one_of_a_kind_is_no_plural():
    sets = cw.compare([["x", "y"]], [["x"]], [["x"]], measure="micro_f1", test="permutation", rng=1)
    assert "there is only 1 outcome" in sets.why
    areas = cw.rank([1, 0, 1, 0], {"p": [0.9, 0.2, 0.3, 0.4], "q": [0.1, 0.2, 0.3, 0.4]}, measure="auc", rng=1)
    assert "on 1 degree of freedom" in str(areas)
    two = cw.compare(None, [1.0, 2.0], [2.0, 2.5], measure="mean", test="paired_t", rng=1)
    assert "2 items, 1 degree of freedom" in two.why
    assert "on 1 item, " in cw.estimate([1], [1], measure="accuracy").summary().verdict
    for result in (sets, areas, two):
        assert not re.search(r"\b1 (items|groups|documents|degrees|possible outcomes|tests)\b", spaced(str(result)))


def test_headings_begin_with_a_capital_and_say_class_once():
    assert cw.against_chance([[30, 2], [3, 40]], rng=1).summary().headline.startswith("The classifier is")
    assert cw.estimate([1, 0, 1], [1, 0, 0], measure="accuracy").summary().headline.startswith("Accuracy of")
    named = cw.against_chance([[30, 2], [3, 40]], rng=1, name="svm")
    assert named.summary().headline.startswith("svm is")
    y = [f"class number {i % 2}" for i in range(200)]
    worse = [y[0] if i % 3 == 0 else each for i, each in enumerate(y)]
    classes = cw.compare_by_class(y, y, worse, measure="recall", n_resamples=500, rng=1)
    assert "in class number 1 (" in str(classes)
    assert "class class" not in spaced(str(classes))
