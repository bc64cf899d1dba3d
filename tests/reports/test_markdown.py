"""Markdown: the verdict, the caveats, and names that stay text."""

import re

from markdown_it import MarkdownIt

from clearwin.reports import markdown
from clearwin.reports.html import as_markdown
from tests.one_of_each import MAKERS
from tests.reports.pages import every_kind, spaced


def markdown_tokens(text):
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


PLAIN = {
    "heading_open",
    "heading_close",
    "paragraph_open",
    "paragraph_close",
    "inline",
    "text",
    "table_open",
    "table_close",
    "thead_open",
    "thead_close",
    "tbody_open",
    "tbody_close",
    "tr_open",
    "tr_close",
    "th_open",
    "th_close",
    "td_open",
    "td_close",
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
    "list_item_close",
    "html_block",
    "html_inline",
    "fence",
    "strong_open",
    "strong_close",
}
LINKED = re.compile(r"(?<![\w])@\w|\w@\w|https?://|www\.\w|(?<!\w)#\w|GH-\d|\$|:\w+:", re.I)


def test_no_name_is_live_in_markdown(hostile_results):
    for kind, pair, result in hostile_results:
        text = as_markdown(result)
        tokens = list(markdown_tokens(text))
        assert {token.type for token in tokens} <= PLAIN, (kind, pair)
        assert [t.tag for t in tokens if t.type == "heading_open"] == ["h3"]
        assert sum(t.type == "strong_open" for t in tokens) == (2 if result.summary().caveats else 1)
        assert sum(t.type == "fence" for t in tokens) == bool(result.summary().call)
        assert sum(t.type == "bullet_list_open" for t in tokens) == (2 if result.summary().caveats else 1)
        for token in tokens:
            if token.type == "html_inline":
                assert token.content in ("<!-- -->", "<span>", "</span>")
            elif token.type == "html_block":
                assert token.content.strip() in (
                    "<details><summary>Method, and how to repeat it</summary>",
                    "</details>",
                    *([result.marker] if result.marker else []),
                )
        for line in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
            for child in line.children or ():
                if child.type == "text" and child.content != "$":
                    assert not LINKED.search(child.content), (kind, child.content)
        for character in text:
            assert character.isprintable() or character in "\n\u2068\u2069"


@every_kind
def test_markdown_has_the_verdict_and_the_caveats(results, kind):
    result = results[kind]
    tokens = [t for t in markdown_tokens(as_markdown(result, command="clearwin x `y`")) if t.type == "inline"]
    texts = ["".join(c.content for c in t.children if c.type == "text") for t in tokens]
    summary = result.summary()
    assert texts[:2] == [spaced(summary.headline), spaced(summary.body)]
    for caveat in summary.caveats:
        assert spaced(caveat) in texts
    assert "```sh\nclearwin x `y`\n```" in as_markdown(result, command="clearwin x `y`")
    assert result.to_markdown() == as_markdown(result)


def test_a_fence_in_a_command_does_not_end_the_block():
    text = as_markdown(MAKERS["estimate"](), command="clearwin '```\n<b>x</b>\n```'")
    assert sum(t.type == "fence" for t in markdown_tokens(text)) == 1


def test_addresses_are_broken_up_however_they_are_spelled():
    assert markdown.text("WwW.example.org") == f"WwW.{markdown.BREAK}example.org"
