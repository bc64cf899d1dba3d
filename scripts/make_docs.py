"""Write what is generated in docs/; --check only says whether it is up to date.

The pages of measures, tests, caveats and settings come from their tables, that of benchmarks from the figures that were
kept.
The pictures of the README and of the benchmarks are written, too, but not checked, because another version of
matplotlib moves their points.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import benchmarks_page
import clearwin as cw
import rivals
from clearwin.results.caveats import CAVEATS, PLACES, SEVERITIES, CaveatKind
from clearwin.settings import DOORS, SECTIONS, VERBS, Option, options_of
from clearwin.words.methods import SOURCES

DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- made by scripts/make_docs.py from the registries (make docs); do not edit -->\n\n"

MEASURES_HEAD = """# Measures

Every measure of decisions is a formula on the counts of a confusion matrix (rows = truth, columns = prediction; tp,
fn, fp, tn for two classes); a measure of scores reads them off the items, sorted once; a measure of losses is a mean or
a sum over items of what truth and score make of each, a measure of values (no truth) one of numbers that every item
comes with. Its *decomposition* decides
which tests can judge it: a mean over **items**, a weighted sum of the **classes'** error rates, or **none** of these,
a *bizarre* measure in the sense of keller2004.

Options are spelled alike in Python and on the command line: `measure="dcf(cost_fn=10, cost_fp=1, prior=0.01)"`,
`--measure "dcf(cost_fn=10, cost_fp=1, prior=0.01)"`. Where a measure is undefined (0/0) it takes the value
`zero_division`, 0 unless told otherwise, for the estimate and every replicate alike, and the result says so. For a sum
over classes that is the value of each rate that has no item.

| name | label | takes | better | decomposition | formula | range | options | undefined when | source |
|---|---|---|---|---|---|---|---|---|---|
"""

REACH = {  # where it depends on the options
    "dcf": "0 to cost_fn · prior + cost_fp · (1 − prior)",
    "min_dcf": "0 to the smaller of cost_fn · prior and cost_fp · (1 − prior)",
    "log_loss": "0 to −log(clip)",
}

TESTS_HEAD = """# Tests

`test="auto"` goes by how the items were drawn, never by the models' answers:

| the items are | test |
|---|---|
{auto}

Every p-value lies in (0, 1], two identical models give p = 1, and a p-value too small for a float is kept as its log10.
A one-sided claim (`better`, `worse`) gets a one-sided interval. p-values that are sampled carry their standard error.

"""

CAVEATS_HEAD = """# Caveats

A caveat is a warning about a result, in words, with the source of its rule. Results carry them as `caveats`, each with
its `code`, `text`, `source` and what it `changes`: a caveat that puts the decision in question stands above the
verdict, the others below the table. Codes and fields stay the same within a major version, texts may change in any.

"""


SETTINGS_HEAD = """# Settings

Every setting, and which verbs have it. Verbs are called as their commands; in Python `chance` is `against_chance`,
`folds` is `compare_folds` and `datasets` is `rank_data_sets`. The TOML table of a gate and the endpoint of the page
write the command's names with `_` for `-`: `n_resamples = 2000`. The page has the settings of `compare` and `plan`, the
table those of `gate`. The last column says why one of the four lacks a setting.

"""


def cell(text: str) -> str:
    """Return text that does not break a Markdown table."""
    return text.replace("|", "\\|")


def measures_page() -> str:
    """Return the table of measures."""
    rows = []
    for m in cw.list_measures().values():
        names = ", ".join(f"`{name}`" for name in (m.name, *m.aliases))
        low, high = m.bounds
        reach = REACH.get(m.name, f"{low:g} to {high:g}")
        options = ", ".join(f"`{k}={v:g}`" for k, v in m.defaults.items()) or "none"
        better = "higher" if m.higher_is_better else "lower"
        fields = (
            names,
            m.label,
            m.takes + (", label sets" if m.of_label_sets and m.takes == "decisions" else ""),
            better,
            m.decomposition,
            m.formula,
            reach,
            options,
            m.undefined_when,
            m.source,
        )
        rows.append("| " + " | ".join(cell(field) for field in fields) + " |")
    needless = ", ".join(
        f"`{m.name}`" for m in cw.list_measures().values() if not m.needs_positive and m.takes == "decisions"
    )
    many = ", ".join(f"`{m.name}`" for m in cw.list_measures().values() if m.any_number_of_classes)
    tail = (
        f"\nThese do not depend on which class is positive: {needless}. These take any number of classes: {many}; the "
        "others take two, or one named class against the others.\n"
    )
    return MADE + MEASURES_HEAD + "\n".join(rows) + "\n" + tail


def tests_page() -> str:
    """Return one section for each test, with its docstring."""
    from clearwin.significance import AUTO
    from clearwin.words.methods import INTERVALS

    auto = "\n".join(f"| {drawn} | `{name}`: {why} |" for drawn, (name, why) in AUTO["items"].items())
    parts = [MADE + TESTS_HEAD.format(auto=auto)]
    for t in cw.list_tests().values():
        null = t.null_hypothesis.format(a="A", b="B", measure="value of the measure", unit="item, document or group")
        facts = {
            "Question": t.question,
            "Null hypothesis": f"{null}.",
            "Judges": "measures that are " + ", ".join(f"`{d}`" for d in t.judges) + ", of " + ", ".join(t.takes),
            "Whole groups": "taken, of " + ", ".join(t.whole_units) if t.whole_units else "not taken: a caveat says so",
            "Methods": ", ".join(f"`{m}`" for m in t.methods),
            "Intervals": ", ".join(f"`{i}`" for i in t.intervals),
            "Formula": t.formula,
            "Assumes": t.assumes,
            "Source": t.source,
        }
        told = "\n".join(f"- **{name}**: {text}" for name, text in facts.items())
        example = inspect.cleandoc(t.function.__doc__ or "")
        example = example[example.index(">>>") :]
        parts.append(f"## `{t.name}`: {t.label}\n\n{told}\n\n```python\n{example}\n```\n\n")
    parts.append("## Intervals\n\nEvery test says above which it offers.\n\n| name | what it is |\n|---|---|\n")
    parts.extend(f"| `{name}` | {cell(what)} |\n" for name, what in INTERVALS.items())
    return "".join(parts).rstrip() + "\n"


def settings_page() -> str:
    """Return a table of the settings of each section."""
    parts = [MADE + SETTINGS_HEAD]
    for title in SECTIONS:
        parts.append(f"## {title}\n\n| Python | command | what it is | of | default | not there |\n")
        parts.append("|---|---|---|---|---|---|\n")
        parts.extend(f"| {' | '.join(map(cell, setting_cells(row)))} |\n" for row in SECTIONS[title])
        parts.append("\n")
    return "".join(parts).rstrip() + "\n"


def setting_cells(row: Option) -> tuple[str, ...]:
    """Return what the table says of one setting."""
    verbs = {verb: one for verb in VERBS for one in options_of(verb) if one.name == row.name}
    doors = {door for verb, one in verbs.items() for door in DOORS[verb] if door not in one.why_not}
    defaults = {verb: shown_default(one) for verb, one in verbs.items()}
    usual = Counter(defaults.values()).most_common(1)[0][0]
    others = [f"{verb}: {default or 'none'}" for verb, default in defaults.items() if default != usual]
    why_not = {door: why for one in verbs.values() for door, why in one.why_not.items() if door not in doors}
    return (
        f"`{row.name}`" if "python" in doors else "",
        f"`{row.typed}`" if "command" in doors else "",
        row.help,
        ", ".join(verbs),
        "; ".join(filter(None, [usual, *others])),
        "; ".join(f"{door}: {why}" for door, why in why_not.items()),
    )


def shown_default(row: Option) -> str:
    """Return the default as Python has it; nothing where there is none."""
    return "" if row.default in (None, False) else f"`{row.default!r}`"


def caveats_page() -> str:
    """Return one table of caveats for each place they have."""
    parts = [MADE + CAVEATS_HEAD]
    for place, title in PLACES.items():
        rows = [kind for kind in CAVEATS.values() if kind.order == place]
        parts.append(
            f"## {title}\n\n| code | what it is about | puts in question | rule and source |\n|---|---|---|---|\n"
        )
        parts += [
            f"| `{kind.code}` | {cell(kind.about)} | {severity(kind)} | {cell(sources(kind))} |\n" for kind in rows
        ]
        parts.append("\n")
    named = [name for name in SOURCES if any(name in text for text in parts)]
    parts.append("## Short names of sources\n\n" + "".join(f"- {name}: {SOURCES[name]}\n" for name in named))
    return "".join(parts).rstrip() + "\n"


def severity(kind: CaveatKind) -> str:
    """Return what a caveat changes, the most first, where its texts differ."""
    changed = {wording.changes for wording in kind.wordings.values()}
    return " or ".join(changes for changes in SEVERITIES if changes in changed)


def sources(kind: CaveatKind) -> str:
    """Return the sources of a caveat's rule, each once, with links to pages of ours."""
    source = kind.source_in_docs or "; ".join(wording.source for wording in kind.wordings.values() if wording.source)
    return re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", "; ".join(dict.fromkeys(source.split("; "))))


def write_pictures() -> None:
    """Draw the demo's answer for the README, and the growth of the bootstrap of F1 for the benchmarks."""
    import pandas as pd
    from matplotlib import rc_context

    from clearwin.plots import picture_svg, pictures

    with as_file(files("clearwin") / "data/shipped/digits_eight.csv") as path:
        eights = pd.read_csv(path)
    r = cw.compare(data=eights, truth="truth", a="linear", b="gaussian", measure="f1", positive="eight", rng=2004)
    svg = picture_svg(pictures(r)[0], width=6.4, height=2.9)
    (DOCS / "verdict.svg").write_text(f"{svg}\n", encoding="utf-8")
    with rc_context({"svg.hashsalt": "benchmarks", "svg.fonttype": "none"}):
        rivals.plot("f1").savefig(DOCS / "benchmarks.svg", metadata={"Date": None})


def main() -> int:
    """Write the pages, or with --check compare them with what is there."""
    stale = []
    if "--check" not in sys.argv:
        write_pictures()
    pages = {
        "measures.md": measures_page(),
        "tests.md": tests_page(),
        "caveats.md": caveats_page(),
        "settings.md": settings_page(),
        "benchmarks.md": benchmarks_page.page(),
    }
    for name, text in pages.items():
        path = DOCS / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"docs/{', docs/'.join(stale)}: not what the registries, the figures or the pages say; run `make docs`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
