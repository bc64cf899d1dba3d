"""The local page: every route, what it refuses, what its jobs may take, and that nothing from a file ever runs."""

from __future__ import annotations

import asyncio
import html
import json
import re
from html.parser import HTMLParser

import httpx
import pytest

from clearwin.text import without_unseen
from clearwin.web.app import TEMPLATES, make_app
from clearwin.web.safety import POLICY
from clearwin.web.uploads import EXAMPLES
from tests.web.asking import BASE, HOSTILE, SHIPPED, asking, form, until, words_of

# --- one comparison, looked at from all sides --------------------------------------------------------------------


def test_downloads_are_files(compared):
    assert compared["report.html"].headers["content-disposition"].startswith("attachment")
    assert "No clear evidence that gaussian differs from linear" in html.unescape(compared["report.html"].text)
    assert compared["result.json"].headers["content-disposition"].startswith("attachment")
    picture = compared["pictures/0.svg"]
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "script" not in picture.headers["content-security-policy"]
    assert "xmlns=" in picture.text[:300]
    assert compared["no picture"].status_code == 404


# --- what is refused ---------------------------------------------------------------------------------------------


def test_a_fault_answers_in_the_same_form_with_the_headers(monkeypatch):
    def broken():
        raise RuntimeError("secret")

    monkeypatch.setattr("clearwin.web.app.description", broken)

    async def ask():
        transport = httpx.ASGITransport(make_app(), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/openapi.json")

    answer = asyncio.run(ask())
    assert "secret" not in words_of(answer, 500)
    assert answer.headers["content-security-policy"] == POLICY


def test_a_client_that_goes_away_is_no_fault():
    async def gone(scope_type):
        parts = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

        async def receive():
            return next(parts)

        sent = []

        async def send(message):
            sent.append(message)

        app = make_app()
        async with app.router.lifespan_context(app):
            headers = [(b"host", b"localhost"), (b"content-type", scope_type)]
            scope = {"type": "http", "method": "POST", "path": "/api/compare", "query_string": b"", "headers": headers}
            await app(scope | {"http_version": "1.1", "scheme": "http", "root_path": ""}, receive, send)
            return sent[0]["status"], dict(app.state.pool.jobs)

    for kind in (b"application/json", b"multipart/form-data; boundary=x"):
        assert asyncio.run(gone(kind)) == (422, {})


def test_a_request_that_never_ends_is_dropped():
    async def trickle():
        yield b"--x\r\n"
        await asyncio.sleep(30)

    async def work(client, app):
        kind = {"content-type": "multipart/form-data; boundary=x"}
        return await client.post("/api/compare", content=trickle(), headers=kind), dict(app.state.pool.jobs)

    for limit, words in [
        ("upload_seconds", "not complete after 0.2"),
        ("idle_seconds", "No part of the request arrived"),
    ]:
        answer, jobs = asking(work, **{limit: 0.2})
        assert words in words_of(answer, 408)
        assert jobs == {}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("wiat=false", "did you mean 'wait'?"),
        ("wait=false&measure=f1", "send it in the body"),
        ("x=1", "wait, watched"),
    ],
)
@pytest.mark.parametrize("verb", ["compare", "columns"])
def test_an_unknown_query_parameter_is_refused(query, told, verb, shared):
    answer = shared(lambda c: c.post(f"/api/{verb}?{query}", files=form({"example": "eights"})))
    assert told in words_of(answer, 422)


# --- safety ------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """What a browser would make of a page: every tag with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_no_hostile_name_is_markup_in_any_template():
    for name in HOSTILE:
        told = {
            "job": "x",
            "opening": [name],
            "paper": name,
            "null": name,
            "warnings": [name],
            "caveats": [name],
            "command": name,
            "blocks": [{"text": name}, {"rows": [[name, name]], "head": [name], "title": name}],
            "pictures": [{"title": name, "alt": name, "wide": False, "narrow": True}],
            "thresholds": True,
            "renamed": [{"was": name, "now": name, "again": ""}],
        }
        harmless_one = json.loads(json.dumps(told).replace(json.dumps(name), '"x"'))
        plain = Tags(TEMPLATES.get_template("result.html").render(harmless_one))
        hostile = Tags(TEMPLATES.get_template("result.html").render(told))
        assert [tag for tag, _ in hostile.found] == [tag for tag, _ in plain.found]
        assert not any(key.startswith("on") or key == "style" for _, attributes in hostile.found for key in attributes)


def test_our_own_pages_have_nothing_inline(shared):
    tags = Tags(shared(lambda client: client.get("/")).text).found
    assert [attributes.get("src") for tag, attributes in tags if tag == "script"] == ["/static/page.js"]
    assert not any(key.startswith("on") or key == "style" for _, attributes in tags for key in attributes)
    for path in (SHIPPED.parent.parent / "web" / "static").glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?://(?!www\.w3)", text
        )
    assert "url(" not in (SHIPPED.parent.parent / "web" / "static" / "page.css").read_text(encoding="utf-8")


def test_every_field_of_the_form_has_a_label(shared):
    tags = Tags(shared(lambda client: client.get("/")).text).found
    labelled = {attributes["for"] for tag, attributes in tags if tag == "label"}
    assert {attributes["id"] for tag, attributes in tags if tag in ("input", "select")} <= labelled
    described = {i for _, attributes in tags for i in (attributes.get("aria-describedby") or "").split()}
    assert described <= {attributes.get("id") for _, attributes in tags}


def test_a_hundred_hostile_names_go_through_a_job_as_text():
    """As labels of every class, as columns and as the file's name: in the page, the pictures and the report."""
    assert len(HOSTILE) > 100
    # no CSV can hold a zero byte; names that differ in what nobody can see are refused as labels of the truth
    labels = list({without_unseen(name): name for name in HOSTILE if "\x00" not in name}.values())
    a, b = BASE[1], BASE[2]
    quote = lambda text: '"' + text.replace('"', '""') + '"'  # noqa: E731
    rows = [("<b>y</b>", a, b)]
    rows += [(name, other, name) for name, other in zip(labels, labels[1:] + labels[:1], strict=True)]
    rows += [(name, name, name) for name in labels]
    text = "\n".join(",".join(map(quote, row)) for row in rows)

    async def work(client, _):
        sent = [("files", ("../<i>&\u202e x.csv", text.encode()))]
        settings = form(
            {
                "truth": "<b>y</b>",
                "a": a,
                "b": b,
                "measure": "f1",
                "test": "permutation",
                "seed": "1",
                "per_class": "true",
                "n_resamples": "100",
            }
        )
        job = (await client.post("/api/compare?wait=false", files=[*sent, *settings])).json()["id"]
        await until(client, job, "done")
        shown = await client.get(f"/jobs/{job}/shown")
        pictures = [await client.get(f"/jobs/{job}/pictures/{i}.svg") for i in range(shown.text.count("<img"))]
        return shown.text, [picture.text for picture in pictures], (await client.get(f"/jobs/{job}/report.html")).text

    shown, pictures, report = asking(work, in_process=True)
    for page_text in (shown, report, *pictures):
        assert not re.search(r"<(script|iframe|b|i|base|img src=x|svg onload)[ >]", page_text)
        assert not re.search("[\u202e\u2066\x1b]", page_text)
        assert not any(key.startswith("on") for _, attributes in Tags(page_text).found for key in attributes)
    assert "&lt;base href=//evil&gt;" in shown
    assert pictures


def test_no_pickle():
    for path in (SHIPPED.parent.parent / "web").glob("*.py"):
        assert "pickle" not in path.read_text(encoding="utf-8")


# --- the settings and their description --------------------------------------------------------------------------


def test_examples_can_be_downloaded(shared):
    for file, _ in EXAMPLES.values():
        assert shared(lambda c, file=file: c.get(f"/examples/{file}")).content == (SHIPPED / file).read_bytes()
    assert shared(lambda c: c.get("/examples/README.csv")).status_code == 404


# --- the command -------------------------------------------------------------------------------------------------


def test_looking_at_the_columns_takes_no_settings(shared):
    sent = [
        {"files": form({"example": "eights", "bogus": "1"})},
        {"files": form({"example": "eights", "truth": "y"})},
        {"json": {"columns": {"truth": [1]}, "seed": 1}},
    ]
    for one, name in zip(sent, ("bogus", "truth", "seed"), strict=True):
        assert name in words_of(shared(lambda client, one=one: client.post("/api/columns", **one)), 422)
    inline = shared(lambda client: client.post("/api/columns", json={"columns": {"truth": [1, 0], "a": [1, 1]}}))
    assert [column["name"] for column in inline.json()["files"][0]["columns"]] == ["truth", "a"]


def test_looking_at_no_file_is_refused(shared):
    assert "no file" in words_of(shared(lambda c: c.post("/api/columns", files=form({"example": ""}))), 422)
