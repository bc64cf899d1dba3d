"""Pages whose code runs: cells are found, run in order and shown, and become notebooks."""

import doctest
import json
from pathlib import Path

import pytest

import cells as the_module
from cells import TUTORIALS, CellError, cells, executed, notebook, write_notebooks

PAGE = """# Sums

Text with `code`.

```python run caption="A line"
x = 20
print("printed")
x + 2
```

```python
not_run()
```

```console run
$ echo hello > there.txt
$ cat there.txt
```
"""


def test_text_and_cells_are_found_in_order():
    found = cells(PAGE)
    assert [cell.kind for cell in found] == ["text", "python", "text", "console"]
    assert found[1].caption == "A line"
    assert "not_run()" in found[2].source  # shown as it is


def test_output_is_written_below_its_cell(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    page = executed(PAGE, "sums.md")
    assert page.index("x + 2") < page.index("```text\nprinted\n```") < page.index("```text\n22\n```")
    assert "$ cat there.txt\nhello" in page
    assert "python run" not in page
    assert list(tmp_path.iterdir()) == []  # cells have a folder of their own
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("```python run\n1 / 0\n```", "ZeroDivisionError"),
        ("```python run\ndef f(:\n```", "SyntaxError"),
        ("```console run\n$ false\n```", "ended with 1"),
        ("```console run\nls\n```", "begins with"),
        ("```python run\nimport sys\nsys.exit(3)\n```", "SystemExit"),
    ],
)
def test_a_cell_that_fails_is_named(cell, said):
    with pytest.raises(CellError, match=r"wrong\.md, piece 2") as caught:
        executed(f"# Wrong\n\n{cell}\n", "wrong.md")
    assert said in str(caught.value)


def test_results_are_html_and_pictures_are_inline_svg():
    page = executed(
        "```python run\nimport clearwin as cw\n"
        "r = cw.compare([1, 0] * 9, [1, 1] * 9, [1, 0] * 9, measure='accuracy', test='permutation')\nr\n```\n"
        '```python run caption="Two < three"\nr.plot(kind="interval")\n```\n'
        "```python run\nfrom clearwin.plots import pictures\ndisplay(pictures(r)[0])\n```\n",
        "pictures.md",
    )
    assert page.count("<div class='shown'>") == 1
    assert page.count("<svg") == 3  # the last one also in its narrow form
    assert "<figcaption>Two &lt; three</figcaption>" in page
    assert page.count("class='picture narrow'") == 1
    for line in page.splitlines():
        assert ("<figure" in line) == ("</figure>" in line)  # a blank line would end raw HTML in Markdown


def test_examples_in_docstrings_run():
    assert doctest.testmod(the_module) == (0, 2)


def test_a_notebook_holds_the_same_code():
    made = json.loads(notebook(PAGE))
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code", "markdown", "code"]
    assert "".join(made["cells"][1]["source"]) == 'x = 20\nprint("printed")\nx + 2'
    assert "".join(made["cells"][3]["source"]) == "!echo hello > there.txt\n!cat there.txt"
    assert len({cell["id"] for cell in made["cells"]}) == 4
    assert notebook(PAGE) == notebook(PAGE)


PAGES = sorted(TUTORIALS.glob("*.md"))


def test_every_tutorial_becomes_a_notebook(tmp_path):
    write_notebooks(tmp_path / "notebooks")
    made = sorted((tmp_path / "notebooks").iterdir())
    assert [path.stem for path in made] == [path.stem for path in PAGES]
    assert all(json.loads(path.read_text(encoding="utf-8"))["cells"] for path in made)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_tutorials_run(path):
    page = executed(path.read_text(encoding="utf-8"), path.name)
    assert "<svg" in page
    assert "## Checklist" in page or "## Questions for the class" in page


@pytest.mark.study
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")
def test_notebooks_run_in_a_kernel(path, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="no nbformat: pip install --group dev")
    nbclient = pytest.importorskip("nbclient", reason="no nbclient: pip install --group dev")
    write_notebooks(tmp_path)
    read = nbformat.read(tmp_path / f"{path.stem}.ipynb", as_version=4)
    nbformat.validate(read)
    done = nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {
        kind for cell in done.cells if cell.cell_type == "code" for out in cell.outputs for kind in out.get("data", {})
    }
    assert "image/png" in shown
