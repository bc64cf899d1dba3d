"""A hundred names that a file could hold to do harm: markup, formulas, paths, bidi, mathematics, control characters."""

MARKUP = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "</td></tr></table><h1>x</h1>", "</title><b>x</b>",
    "</style><style>*{display:none}</style>", "<!-- x", "--><b>x</b>", "<![CDATA[x]]>", "]]><b>x</b>", "<?php x ?>",
    "<iframe src=//example.org></iframe>", "<a href='javascript:alert(1)'>x</a>", '" onmouseover="alert(1)',
    "' onfocus='alert(1)' autofocus='", "&lt;b&gt;x", "&#60;b&#62;x", "&nbsp;&copy", "{{ 7 * 7 }}",
    "{% raw %}", "{# x #}",
    "${7*7}", "<b>bold</b>", "<meta http-equiv=refresh content='0;url=//example.org'>", "<base href=//example.org>",
    "<link rel=stylesheet href=//example.org>", "</desc><script>x</script>", "<math><mtext></mtext></math>",
    "</details><b>x</b>", "<details open><summary>x",
]  # fmt: skip
MARKDOWN = [
    "*star*", "_under_", "**bold**", "`code`", "``` fence", "~~gone~~", "[x](http://example.org)",
    "![x](//example.org/x.png)",
    "[x][y]", "<http://example.org>", "http://example.org", "www.example.org", "mail@example.org", "@someone", "#1",
    "owner/repo#2", "GH-3", "a|b", "|", "||", "| --- | --- |", "- item", "+ item", "1. item", "1) item", "# head",
    "> quote",
    "---", "===", "    four", "\\", "\\|", "trailing\\", "$x^2$", "$$y$$", ":smile:", "[ ] task", "[^1]",
]  # fmt: skip
FORMULA = [
    "=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "-1+cmd", "@SUM(A1)", "\t=1+1", "\r=1+1", "=HYPERLINK(\"http://example.org\")",
    " =1+1", "＝1+1", '"=1+1"', "'=1+1", ";=1+1", ",=1+1",
]  # fmt: skip
PATH = ["../../etc/passwd", "C:\\Windows\\x", "file:///etc/passwd", "/dev/null", "a\x00.png", "con"]
BIDI = [
    "abc\u202edef", "\u202eabc", "a\u2066b\u2067c", "a\u200fb\u200ec", "\u061cabc", "שלום", "مرحبا 5", "שם (x) 12",
]  # fmt: skip
MATHTEXT = [r"$\frac{1}{2}$", r"$\alpha", "a_b^c", r"\textbf{x}", "$", "%", "_leading"]
CONTROL = [
    "\x1b[2J\x1b[31mred",
    "two\nlines",
    "cr\rlf\n",
    "tab\tbed",
    "\x07bell",
    "\u200bzero",
    "\ufeffbom",
    "\x85nel",
    "\u2028line",
]
LONG = ["x" * 3000, "word " * 400, "<b>" * 500]
NAMES = [*MARKUP, *MARKDOWN, *FORMULA, *PATH, *BIDI, *MATHTEXT, *CONTROL, *LONG]
