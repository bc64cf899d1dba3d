"""The page in a real browser: files in, verdict read, threshold moved, report taken home, errors read, keys only."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from clearwin.cli import main
from clearwin.text import one_line
from tests.data.logs.made import lm_eval_line, write_lines

SHIPPED = Path(str(files("clearwin"))) / "data" / "shipped"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_browser():
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


pytestmark = pytest.mark.skipif(find_browser() is None, reason="no browser: install Debian's package chromium")
playwright_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    words = [sys.executable, "-c", "from clearwin.cli import main; main()", "serve", "--no-browser", "--port", "0"]
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("served"))}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield re.search(r"http://\S+", process.stdout.readline())[0]
        process.terminate()


@pytest.fixture(scope="module")
def browser():
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, url):
    """Open the page; whatever the browser complains of fails the test."""
    context = browser.new_context(viewport={"width": 1100, "height": 900}, accept_downloads=True)
    context.set_default_timeout(30_000)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(url)
    yield page
    context.close()
    # a refusal is an answer with an error status, of which the browser takes note
    assert [c for c in complaints if "the server responded with a status of" not in c] == []


def look_at(page, name):
    """Keep a picture of the page where CLEARWIN_SHOTS says, to be looked at by eye."""
    if folder := os.environ.get("CLEARWIN_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def count_pictures(images):
    """Count them, each drawn and told in words; decoding waits for what the server still sends, and fails if broken."""
    told = images.evaluate_all(
        "all => Promise.all(all.map(img => img.decode().then(() => img.alt.trim(), why => `broken: ${why}`)))"
    )
    assert told
    assert [alt for alt in told if not alt or alt.startswith("broken:")] == []
    return len(told)


def test_a_file_the_verdict_the_report_and_the_same_offline(page, browser, tmp_path):
    page.set_input_files("#files", SHIPPED / "digits_eight.csv")
    page.wait_for_selector("#question:not([hidden])")
    assert page.locator("#tables tbody th").all_inner_texts() == ["id", "truth", "linear", "gaussian"]
    assert page.input_value("#positive") == "eight"
    assert "2 tp" in page.inner_text("#measure-help")
    look_at(page, "columns")
    page.click("summary")
    page.fill("#seed", "2004")
    page.click("button.main")
    # the README's example
    verdict = page.wait_for_selector("#result .verdict").inner_text()
    assert verdict.startswith("gaussian is better than linear in F1 by 5.1 points (")
    assert "p = 0.04" in verdict  # 0.0408 with the seed of the README
    assert page.inner_text("#command") == (
        "clearwin compare digits_eight.csv --truth truth --a linear --b gaussian --id id --positive eight --seed 2004"
    )
    shown = count_pictures(page.locator("#result img"))
    assert page.locator("#slider").is_hidden()
    look_at(page, "result")

    with page.expect_download() as waiting:
        page.click("text=Download the report")
    report = tmp_path / "report.html"
    waiting.value.save_as(report)
    offline = browser.new_context(offline=True)
    there = offline.new_page()
    there.goto(report.as_uri())
    assert "gaussian is better than linear in F1" in there.inner_text("h1")
    drawings = there.locator("figure svg[role=img]")  # in the file itself, so that nothing is fetched
    drawn = drawings.evaluate_all(
        "all => all.map(svg => [svg.getBoundingClientRect().width, svg.querySelectorAll('path').length])"
    )
    drawn = [one for one in drawn if one[0]]  # those for phones have no width here
    assert len(drawn) == shown
    assert all(width > 100 and paths > 3 for width, paths in drawn)
    look_at(there, "report")
    offline.close()


def test_the_slider_moves_matrix_rates_and_the_mark(page):
    page.click("button[data-example=scores]")
    page.wait_for_selector("#question:not([hidden])")
    assert page.input_value("#measure") == "auc"
    page.click("button.main")
    page.wait_for_selector("#slider:not([hidden])")
    rows = [line.split(",") for line in (SHIPPED / "digits_eight_scores.csv").read_text().splitlines()[1:]]

    def expected(column, threshold):
        """Count by hand."""
        called = [(row[1] == "eight", float(row[column]) >= threshold) for row in rows]
        tp, fn, fp, tn = (called.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
        return [tp, fn, fp, tn], 2 * tp / (2 * tp + fp + fn), 10 * 0.1 * fn / (tp + fn) + 2 * 0.9 * fp / (fp + tn)

    def shown(model):
        matrix = [int(cell) for cell in page.locator(f"#counts-{model} .matrix td").all_inner_texts()]
        rates = page.locator(f"#counts-{model} .rates td").all_inner_texts()
        return matrix, float(rates[2]), float(rates[4])

    def threshold(model):
        return float(page.inner_text(f"#at-{model}").removeprefix("threshold "))

    page.fill("#cost_fn", "10")
    page.fill("#cost_fp", "2")
    page.fill("#prior", "0.1")
    before, mark = shown(0), page.get_attribute("#mark-0", "cx")
    page.focus("#slide-0")
    at = [threshold(0)]
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "PageDown"):
        page.keyboard.press(key)
        at.append(threshold(0))
    assert at[0] < at[1] > at[2] < at[3] > at[4] > at[5]  # right and up are a higher threshold
    assert at[0] == at[2] == at[4]
    described = page.get_attribute("#slide-0", "aria-describedby")
    assert "To the right the threshold is higher" in page.inner_text(f"#{described}")
    for key in ["PageUp"] * 3 + ["ArrowLeft"] * 2 + ["PageDown"] * 6:
        page.keyboard.press(key)
    assert shown(0) != before
    assert page.get_attribute("#mark-0", "cx") != mark
    for model in (0, 1):
        counts, f1, cost = expected(2 + model, threshold(model))
        assert shown(model) == (counts, pytest.approx(f1, abs=5e-5), pytest.approx(cost, abs=5e-5))
    recall = shown(0)[0][0] / 145
    assert float(page.get_attribute("#mark-0", "cy")) == pytest.approx(10 + 280 * (1 - recall))
    page.check("#together")
    assert threshold(0) == threshold(1)
    assert shown(1)[0] == expected(3, threshold(1))[0]
    look_at(page, "slider")
    page.focus("#slide-0")
    page.keyboard.press("End")
    assert page.inner_text("#at-0") == "threshold above all scores"
    assert "undefined" in page.inner_text("#counts-0")  # no precision without a positive decision


def test_three_files_joined_by_an_id(page, tmp_path):
    rows = [line.split(",") for line in (SHIPPED / "digits_eight.csv").read_text().splitlines()[1:]]
    for name, column in (("a_linear", 2), ("b_gaussian", 3), ("gold", 1)):
        lines = "".join(f"{row[0]},{row[column]}\n" for row in reversed(rows))
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{lines}")
    page.set_input_files("#files", sorted(tmp_path.iterdir()))
    page.wait_for_selector("#question:not([hidden])")
    assert [page.input_value(f"#role-{i}") for i in range(3)] == ["a", "b", "truth"]
    page.click("button.main")
    verdict = page.wait_for_selector("#result .verdict").inner_text()
    # the seed is fresh: p is 0.041, give or take five standard errors of 0.002
    assert verdict.startswith("b_gaussian is better than a_linear in F1 by 5.1 points (")
    assert "p = 0.0" in verdict
    page.select_option("#role-0", "b")
    assert page.input_value("#role-1") == "a"


def test_a_bad_file_gives_a_clear_error_and_a_dropped_one_is_taken(page, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("truth,a,b\n1,0\n")
    page.set_input_files("#files", bad)
    page.wait_for_selector("#files-error:not([hidden])")
    said = page.inner_text("#files-error")
    assert "Line 2 of bad.csv has 2 fields, and the header has 3" in said
    assert "Next: correct that line" in said
    assert page.evaluate("document.activeElement.id") == "files-error"
    look_at(page, "error")
    hostile = "truth,<img src=x onerror=alert(1)>,b\n" + "yes,yes,yes\nno,no,no\nyes,no,yes\n" * 9
    make = "text => { const all = new DataTransfer(); all.items.add(new File([text], '<b>.csv')); return all; }"
    page.dispatch_event("#drop", "drop", {"dataTransfer": page.evaluate_handle(make, hostile)})
    page.wait_for_selector("#question:not([hidden])")
    assert "<img src=x" in page.inner_text("#tables")
    page.fill("#positive", "maybe")
    page.click("button.main")
    page.wait_for_selector("#field-error")
    assert "There is no class named 'maybe'" in page.inner_text("#field-error")
    assert page.get_attribute("#positive", "aria-invalid") == "true"
    assert page.locator("#field-error button").all_inner_texts() == ["no", "yes"]
    assert page.locator("#tables img").count() == 0


def test_progress_and_cancel(page):
    page.click("button[data-example=scores]")
    page.wait_for_selector("#question:not([hidden])")
    page.select_option("#measure", "average_precision")
    page.select_option("#test", "bootstrap")
    page.click("summary")
    page.fill("#n_resamples", "2000000")
    page.click("button.main")
    page.locator("#counted", has_text="of 2,000,000").wait_for()
    assert page.inner_text("#stage") == "drawing replicates"
    look_at(page, "progress")
    page.click("#cancel")
    page.wait_for_selector("#error:not([hidden])")
    assert page.inner_text("#error") == "The job was cancelled."
    assert page.locator("#progress").is_hidden()
    assert page.is_enabled("button.main")


def is_seen(page, selector):
    """Whether its top is inside the window."""
    box = page.locator(selector).first.bounding_box()
    return 0 <= box["y"] < page.viewport_size["height"] - 40


def write_rows(path, head, rows):
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_nothing_of_earlier_settings_or_files_stays(page):
    page.click("button[data-example=scores]")
    page.wait_for_selector("#question:not([hidden])")
    assert is_seen(page, "#columns-title")
    page.select_option("#measure", "f_beta")
    page.fill("#options", "beta=2")
    page.select_option("#measure", "dcf")
    assert page.input_value("#options") == ""
    page.click("summary")
    page.fill("#threshold", "0")
    assert "threshold" in page.inner_text("#changed")
    page.click("button.main")
    page.wait_for_selector("#result .verdict")
    assert is_seen(page, "#result .verdict")
    # the slider starts where the comparison was made, at the exact share of positives
    assert [page.inner_text(f"#at-{i}") for i in (0, 1)] == ["threshold 0", "threshold 0"]
    assert page.is_checked("#together")
    assert float(page.input_value("#prior")) == 145 / 1500
    page.fill("#cost_fn", "-1")
    assert "false negative is 0 or more" in page.inner_text("#costs-error")
    assert page.locator("#counts-0", has_text="expected cost").count() == 0
    assert page.locator("#stale").is_hidden()
    page.select_option("#claim", "better")
    assert page.locator("#stale").is_visible()
    look_at(page, "stale")
    page.click("button[data-example=eights]")
    page.locator("#files-status", has_text="digits_eight.csv").wait_for()
    assert (page.input_value("#threshold"), page.input_value("#claim")) == ("", "different")
    assert page.inner_text("#changed") == ""
    assert page.locator("#answer").is_hidden()


def test_a_late_answer_for_other_files_is_dropped_and_leaving_ends_the_job(page, url):
    held = []
    page.route("**/api/columns", lambda route: held.append(route) if not held else route.continue_())
    page.click("button[data-example=digits]")
    page.click("button[data-example=scores]")
    page.wait_for_selector("#question:not([hidden])")
    assert page.input_value("#measure") == "auc"
    page.select_option("#measure", "average_precision")
    page.select_option("#test", "bootstrap")
    page.click("summary")
    page.fill("#n_resamples", "2000000")
    for leave in (lambda: page.reload(), None):
        with page.expect_response("**/api/compare*") as begun:
            page.click("button.main")
        job = f"{url}api/jobs/{begun.value.json()['id']}"
        page.locator("#counted", has_text="of 2,000,000").wait_for()
        if leave is None:  # other files while it runs
            page.click("button[data-example=eights]")
            page.locator("#files-status", has_text="digits_eight.csv").wait_for()
        else:
            leave()
        for _ in range(50):
            if page.request.get(job).json()["state"] == "cancelled":
                break
            page.wait_for_timeout(100)
        else:
            raise AssertionError("the job goes on")
        if leave is None:
            assert page.is_enabled("button.main")
            assert page.locator("#answer").is_hidden()
            return
        page.click("button[data-example=scores]")
        page.wait_for_selector("#question:not([hidden])")
        page.select_option("#measure", "average_precision")
        page.select_option("#test", "bootstrap")
        page.click("summary")
        page.fill("#n_resamples", "2000000")


def test_two_exports_with_the_truth_in_both(page, tmp_path):
    truth = ["cat" if i % 2 else "dog" for i in range(60)]
    exports = [
        write_rows(tmp_path / name, "id,truth,prediction", [(i, t, t if i % k else "cat") for i, t in enumerate(truth)])
        for name, k in (("first.csv", 2), ("second.csv", 6))
    ]
    page.set_input_files("#files", exports)
    page.wait_for_selector("#question:not([hidden])")
    assert [page.input_value(f"#{role}") for role in ("truth", "a", "b", "id")] == [
        "truth",
        "prediction",
        "prediction",
        "id",
    ]
    page.click("button.main")
    # the classes do not tell which is positive: they are offered beside the field
    page.wait_for_selector("#field-error button")
    assert page.locator("#field-error button").all_inner_texts() == ["cat", "dog"]
    assert page.evaluate("document.activeElement.id") == "positive"
    assert page.get_attribute("#positive", "aria-invalid") == "true"
    assert is_seen(page, "#positive")
    look_at(page, "field-error")
    page.click("#field-error button:text('dog')")
    page.wait_for_selector("#result .verdict")
    words = page.inner_text("#command")
    assert words.startswith("clearwin compare first.csv second.csv --truth truth --a prediction")


INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def test_what_cannot_be_seen_is_shown_and_sent_as_it_is(page, tmp_path):
    """A name could show a number that is not there, and two names could look alike."""
    a, b, yes = "svm \u202e87.0 = 1F\u202c", "svm\u200b", "y\u200des"
    rows = [tuple(yes if i % 2 or not i % k else "no" for k in (61, 6, 8)) for i in range(1, 60)]
    page.set_input_files("#files", write_rows(tmp_path / "names.csv", f"truth,{a},{b}", rows))
    page.wait_for_selector("#question:not([hidden])")
    shown = [one_line(a), one_line(b)]
    assert page.locator("#tables tbody th").all_inner_texts() == ["truth", *shown]
    assert page.locator("#a option").all_inner_texts() == ["truth", *shown]
    assert page.locator("#a option").evaluate_all("all => all.map(o => o.value)") == ["truth", a, b]
    assert page.locator("#classes option").evaluate_all("all => all.map(o => o.value)") == ["no", one_line(yes)]
    assert page.input_value("#positive") == one_line(yes)
    look_at(page, "invisible")
    page.click("button.main")
    page.wait_for_selector("#result .verdict")
    words = page.inner_text("#command")  # of what was sent, as the shell reads it
    assert r"--a $'svm \u202e87.0 = 1F\u202c' --b $'svm\u200b'" in words
    assert r"--positive $'y\u200des'" in words
    assert not INVISIBLE.search(page.inner_text("body"))
    page.fill("#positive", "maybe")
    page.click("button.main")
    page.wait_for_selector("#field-error button")
    assert page.locator("#field-error button").all_inner_texts() == ["no", one_line(yes)]
    page.locator("#field-error button").nth(1).click()
    page.wait_for_selector("#result .verdict")


def test_a_quote_in_the_name_of_a_file_comes_back_in_the_command(page, tmp_path):
    path = tmp_path / "<b>x'\"&.csv"
    path.write_bytes((SHIPPED / "digits_eight.csv").read_bytes())
    page.set_input_files("#files", path)
    page.wait_for_selector("#question:not([hidden])")
    page.click("button.main")
    page.wait_for_selector("#result .verdict")
    assert shlex.split(page.inner_text("#command"))[2] == path.name


def test_every_digit_of_a_threshold_is_shown(page, tmp_path):
    rows = [(i % 2, 0.5 + (i * 7919 % 97) * 1e-11, 0.5 + (i * 104729 % 89) * 1e-11) for i in range(60)]
    page.set_input_files("#files", write_rows(tmp_path / "close.csv", "y,a,b", rows))
    page.wait_for_selector("#question:not([hidden])")
    page.click("button.main")
    page.wait_for_selector("#slider:not([hidden])")
    page.focus("#slide-0")
    for _ in range(3):
        page.keyboard.press("PageDown")
    at = float(page.inner_text("#at-0").removeprefix("threshold "))
    matrix = [int(cell) for cell in page.locator("#counts-0 .matrix td").all_inner_texts()]
    assert matrix[0] + matrix[2] == sum(a >= at for _, a, _ in rows)
    assert page.get_attribute("#slide-0", "aria-label") == "Threshold of a"
    assert "precision" in page.get_attribute("#slide-0", "aria-valuetext")


def test_everything_by_keyboard(page):
    """Tab to the example, press it, tab to the measure, choose, submit, and land on the answer."""
    for _ in range(4):  # the skip link, the files, the file of the first example comes after its button
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.example") == "eights":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#question:not([hidden])")
    assert page.evaluate("document.activeElement.id") == "columns-title"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "measure":
            break
    page.keyboard.type("accuracy")
    assert page.input_value("#measure") == "accuracy"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "main":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#result .verdict")
    assert page.evaluate("document.activeElement.id") == "answer-title"
    assert "accuracy" in page.inner_text("#result .verdict")


SMALLEST_WORDS = """() => Math.min(...[...document.querySelectorAll('figure text')]
    .filter(text => text.getBoundingClientRect().width > 0).map(text => {
    const drawn = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(drawn.a, drawn.b);
}))"""


def test_pictures_can_be_read_on_a_phone(browser, url, tmp_path):
    context = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(url)
    page.click("button[data-example=eights]")
    page.wait_for_selector("#question:not([hidden])")
    page.click("button.main")
    page.wait_for_selector("#result .verdict")
    count_pictures(page.locator("#result img"))
    # at their own size, not that of the screen; the page itself stays as wide as the screen
    widths = page.locator("#result img").evaluate_all("all => all.map(img => [img.width, img.naturalWidth])")
    assert [shown for shown, own in widths if abs(shown - own) > 0.1 * own] == []
    # what shows differences is as narrow as the screen, so that 0 is seen without moving it
    narrow = page.locator("#result source + img").evaluate_all("all => all.map(img => [img.currentSrc, img.width])")
    assert len(narrow) >= 2
    assert all("narrow" in source and width <= 340 for source, width in narrow)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    look_at(page, "pictures-phone")
    with page.expect_download() as waiting:
        page.click("text=Download the report")
    waiting.value.save_as(tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate(SMALLEST_WORDS) >= 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    narrow = page.locator("figure .on-phones svg").evaluate_all(
        "all => all.map(svg => svg.getBoundingClientRect().right)"
    )
    assert len(narrow) >= 2
    assert all(0 < right <= 360 for right in narrow)
    first = page.locator("figure .wide:not(.not-on-phones)").first
    assert first.evaluate("box => { box.scrollLeft = 50; return [box.scrollLeft, box.tabIndex]; }") == [50, 0]
    look_at(page, "report-phone")
    context.close()


def test_a_phone_needs_no_sideways_scrolling_in_the_light_and_in_the_dark(browser, url):
    context = browser.new_context(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(url)
    page.click("button[data-example=eights]")
    page.wait_for_selector("#question:not([hidden])")
    page.click("summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground)[:3])) < 300) == (scheme == "dark")
        look_at(page, f"phone-{scheme}")
    context.close()


def test_a_plan_by_rates_and_by_a_pilot(page):
    """Connor 1987 by closed form without files; the shipped predictions as a pilot with them."""
    page.click("#planning summary")
    page.fill("#plan-difference", "0.05")
    page.click("#plan button.main")
    page.wait_for_selector("#field-error")
    assert "“Disagreement”" in page.inner_text("#field-error")  # the field that is called so, not the option
    assert page.evaluate("document.activeElement.id") == "plan-disagreement"
    page.fill("#plan-disagreement", "0.15")
    page.click("#plan button.main")
    page.wait_for_selector("#result .verdict")
    assert "takes about 469 items" in page.inner_text("#result .verdict >> nth=0")
    command = page.inner_text("#command")
    assert command == "clearwin plan --measure accuracy --difference 0.05 --disagreement 0.15"
    assert count_pictures(page.locator("#result .pictures img")) == 1
    look_at(page, "plan-rates")
    page.click("button[data-example=eights]")
    page.wait_for_selector("#question:not([hidden])")
    assert page.is_checked("#plan-pilot")
    assert page.is_hidden("#plan-disagreement")
    page.select_option("#measure", "accuracy")
    page.click("#plan button.main")
    page.wait_for_selector("#result .verdict")
    assert "as the pilot has only 1,500)" in page.inner_text("#result .verdict >> nth=0")
    assert "--pilot digits_eight.csv" in page.inner_text("#command")
    look_at(page, "plan-pilot")


def test_evaluation_logs_are_read_as_the_command_does(page, tmp_path):
    logs = [tmp_path / f"samples_quiz_2026-01-16T{hour}-57-28.313639.jsonl" for hour in (20, 21)]
    for path, right in zip(logs, (40, 52), strict=True):
        write_lines(path, [lm_eval_line(doc, {"acc": float(doc % 60 < right)}) for doc in range(60)])
    page.set_input_files("#files", logs)
    page.wait_for_selector("#question:not([hidden])")
    assert "lm-evaluation-harness" in page.inner_text("#logs")
    assert page.is_hidden("#truth")
    assert page.input_value("#measure") == ""
    page.click("button.main")
    page.wait_for_selector("#result .verdict")
    assert "is better than" in page.inner_text("#result .verdict >> nth=0")
    shown = shlex.split(page.inner_text("#command"))
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        found = CliRunner().invoke(main, [*shown[1:], "--json"])
    finally:
        os.chdir(here)
    assert json.loads(found.stdout)["difference"] == pytest.approx(12 / 60)
    look_at(page, "logs")
    page.click("button[data-example=eights]")
    page.wait_for_selector("#tables table")
    assert page.is_hidden("#logs")
    assert page.is_visible("#truth")
    page.set_input_files("#files", {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"not a log"})
    page.wait_for_selector("#files-error:not([hidden])")
    assert "does not name a format" in page.inner_text("#files-error")


def test_columns_that_could_be_read_in_two_ways_are_left_to_the_reader(page, tmp_path):
    """Right/wrong columns: none of them is the truth, and those that are chosen are judged by accuracy."""
    rows = "".join(f"q{i},{i % 2},{(i % 3) // 2},{(i % 5) // 4}\n" for i in range(200))
    path = tmp_path / "correct.csv"
    path.write_text("item,old,new,other\n" + rows)
    page.set_input_files("#files", path)
    page.wait_for_selector("#question:not([hidden])")
    assert "is called like a truth" in page.inner_text("#guess")
    assert [page.input_value(f"#{role}") for role in ("truth", "a", "b")] == ["", "", ""]
    look_at(page, "columns-in-doubt")
    page.set_viewport_size({"width": 390, "height": 844})
    look_at(page, "columns-in-doubt-phone")
    page.set_viewport_size({"width": 1100, "height": 900})
    page.click("#question button.main")
    page.wait_for_selector("[role=alert]:visible")
    look_at(page, "columns-not-chosen")
    page.select_option("#a", "new")
    page.select_option("#b", "old")
    page.select_option("#measure", "accuracy")
    page.click("#question button.main")
    page.wait_for_selector(".verdict")
    assert "old is better than new in accuracy" in page.inner_text(".verdict")
    assert "--truth" not in page.inner_text("#command")
    look_at(page, "right-wrong")
