"""Names and numbers as text: on one line, visible, counted, rounded."""

from __future__ import annotations

import csv
import math
import re
import shlex
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from clearwin.errors import LONGEST_NAME, DataError, shortened

WIDTH = 110
# Invisible characters that Python calls printable: fillers, joiners, variation selectors, an empty Braille cell.
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


MINUS = "\u2212"
DASHES = re.compile(
    "[-\u2010\u2011\u2012\u2013\u2212_]"
)  # hyphens, a figure dash, an en dash, a minus sign, an underscore


def listed(text: str) -> list[str]:
    """Split names at commas, as in a line of CSV: a name that holds a comma stands in double quotes.

    >>> listed('svm, "gpt, v2",tree')
    ['svm', 'gpt, v2', 'tree']
    """
    try:
        return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""])]
    except csv.Error:  # a name with a line break
        return [name.strip() for name in text.split(",")]


def as_listed(names: Iterable[object]) -> str:
    """Join names with commas so that ``listed`` gives them back.

    >>> as_listed(["svm", "gpt, v2"])
    'svm,"gpt, v2"'
    """
    texts = map(str, names)
    quoted = ('"' + name.replace('"', '""') + '"' if "," in name or name[:1] == '"' else name for name in texts)
    return ",".join(quoted)


def with_underscores(name: str) -> str:
    """Return a name with underscores where it was written with any kind of hyphen.

    >>> with_underscores("average-precision"), with_underscores("paired\u2011proportion")
    ('average_precision', 'paired_proportion')
    """
    return DASHES.sub("_", name)


def with_hyphens(name: str) -> str:
    """Return a name with plain hyphens where it was written with any kind of them, or with underscores.

    >>> with_hyphens("mid_p"), with_hyphens("clopper\u2013pearson")
    ('mid-p', 'clopper-pearson')
    """
    return DASHES.sub("-", name)


def capital(text: str) -> str:
    """Begin a sentence with a capital; a name of a model is left as it is.

    >>> capital("accuracy of svm: 0.9")
    'Accuracy of svm: 0.9'
    """
    return text[:1].upper() + text[1:]


def counted(n: float, singular: str, plural: str = "") -> str:
    """Write a number with its noun, in the singular for one.

    >>> counted(1, "item"), counted(1200, "item"), counted(1, "class", "classes"), counted(2.5, "group")
    ('1 item', '1,200 items', '1 class', '2.5 groups')
    """
    return f"{_number(n)} {singular if n == 1 else plural or f'{singular}s'}"


def _number(n: float) -> str:
    return f"{int(n):,}" if n == int(n) else f"{n:.4g}"


def rounded(share: float, decimals: int, whole: float = 1.0, sign: str = "") -> str:
    """Write a share of the ``whole``; with more decimals where it would be rounded to nothing or all and is not.

    >>> rounded(98.53, 1, 100), rounded(99.95, 1, 100), rounded(0.04, 1, 100), rounded(100, 1, 100), rounded(1e-9, 3)
    ('98.5', '99.95', '0.04', '100.0', '1e-09')
    """
    rest = min(abs(share), abs(whole - abs(share)))
    if not 0.0 < rest < 10.0**-decimals:
        return f"{share:{sign}.{decimals}f}"
    if rest == abs(share):
        return f"{share:{sign}.2g}"
    more = min(1 - math.floor(math.log10(rest)), 15)  # two digits of the rest, as far as a float has them
    return f"{share:{sign}.{more}f}".rstrip("0").rstrip(".")


def percent(share: float, decimals: int = 1, sign: str = "") -> str:
    """Write a share in hundredths, without the sign for them.

    >>> percent(0.9853), percent(0.9995), percent(0.0005), percent(1.0), percent(-0.25, sign="+")
    ('98.5', '99.95', '0.05', '100.0', '-25.0')
    """
    return rounded(100.0 * share, decimals, 100.0, sign)


def degrees_of_freedom(*degrees: float) -> str:
    """Write degrees of freedom, of which F has two numbers.

    >>> degrees_of_freedom(1), degrees_of_freedom(10, 5), degrees_of_freedom(1.25)
    ('1 degree of freedom', '10 and 5 degrees of freedom', '1.25 degrees of freedom')
    """
    noun = "degree of freedom" if degrees == (1,) else "degrees of freedom"
    return f"{' and '.join(map(_number, degrees))} {noun}"


def called(noun: str, name: object) -> str:
    """Put the noun before a name that does not begin with it.

    >>> called("class", "cat"), called("class", "class number 0")
    ('class cat', 'class number 0')
    """
    return f"{name}" if f"{name}".lower().startswith(f"{noun} ") else f"{noun} {name}"


def printable(text: str) -> str:
    r"""Escape invisible characters as Python does: a name or label from a file could change the text around it.

    They include characters that change the direction of writing or have no width; escaped, they separate names that
    otherwise would look alike. Line breaks stay.

    >>> print(printable("rbf\x1b[2J"), printable("m\u200b, m\u200c"), printable("a\u202eb"))
    rbf\x1b[2J m\u200b, m\u200c a\u202eb
    """
    if text.replace("\n", "").isprintable() and not UNSEEN.search(text):  # nearly always
        return text
    is_visible = (c == "\n" or (c.isprintable() and not UNSEEN.match(c)) for c in text)
    return "".join(
        c if visible else c.encode("unicode_escape").decode() for c, visible in zip(text, is_visible, strict=True)
    )


def one_line(text: str) -> str:
    r"""Return a name or label as it can stand inside a line.

    >>> print(one_line("two\nlines\x1b[2J"))
    two\nlines\x1b[2J
    """
    return printable(text).replace("\n", "\\n")


# --- one text in several spellings ------------------------------------------------------------------------------


def composed(value: Any) -> Any:
    r"""Return a text with every accent and its letter in one piece (NFC), and what is not a text as it is.

    Programs write é in one piece or in two, which nobody can see, so labels and ids are compared in this form.
    In a tuple every part is written so.

    >>> composed("Sa\u0303o") == "S\u00e3o", composed(3)
    (True, 3)
    """
    if isinstance(value, tuple):
        return tuple(map(composed, value))
    return unicodedata.normalize("NFC", value) if isinstance(value, str) and not value.isascii() else value


TOTALS = ("total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg", "avg.", "overall", "all")


def sums_up(text: str) -> bool:
    """Whether a cell says that its row or column sums up the others.

    >>> sums_up("Total:"), sums_up("cat")
    (True, False)
    """
    return text.strip(" :").casefold() in TOTALS


def without_unseen(text: str) -> str:
    r"""Return a text without the characters that have no width.

    >>> without_unseen("m\u200b\ufeff")
    'm'
    """
    if text.isascii():  # nearly always
        return text
    return unicodedata.normalize("NFC", "".join(c for c in UNSEEN.sub("", text) if unicodedata.category(c) != "Cf"))


def bare(text: str) -> str:
    r"""Return a text without case, surrounding spaces, full-width forms and characters of no width.

    >>> bare(" \uff33pam\u200b")
    'spam'
    """
    return unicodedata.normalize("NFKC", without_unseen(text)).strip().casefold()


# --- numbers that were written as text --------------------------------------------------------------------------

PERCENT = re.compile(r"\s*[%\u2030]\Z")
CURRENCY = re.compile(r"\A(USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD)\b|\b(USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD)\Z")
# A pattern, its notation, and the characters to delete; a comma that remains is a decimal comma.
OTHER_NUMBERS = (
    (r"[-+]?[\d.]+(_[\d.]+)+([eE][-+]?\d+)?", "underscores between digits", "_"),
    (r"[-+]?\d{1,3}((,\d{3})+\.\d+|(,\d{3}){2,})", "commas between thousands", ","),
    (r"[-+]?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})", "points between thousands", "."),
    (r"[-+]?\d{1,3}([ '\u2019]\d{3})+([.,]\d+)?", "spaces or apostrophes between thousands", " '\u2019"),
    (r"[-+]?\d*,\d+", "decimal commas", ""),
)
EITHER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")  # a comma between thousands, or before decimals


def as_number(text: str) -> float | None:
    """Return the number that a text is, in ASCII digits with a point before decimals; None where it is none.

    Python's own reading takes more: digits of other scripts, and 1_003 for 1003.

    >>> as_number(" -1.5e3 "), as_number("1_003"), as_number("\u0661"), as_number("1,5")
    (-1500.0, None, None, None)
    """
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def other_number(text: str) -> tuple[str, str] | None:
    """Return the notation that keeps a text from being a plain number, and the plain number; None for other texts.

    >>> other_number("1.0%"), other_number("0,5"), other_number("$3.20")
    (('percent signs', '0.010'), ('decimal commas', '0.5'), ('signs of a currency', '3.20'))
    >>> other_number("1,234"), other_number("cat"), other_number("7")
    (('commas between thousands or before decimals', '1234 or 1.234'), None, None)
    """
    if as_number(text) is not None or not any(map(str.isdigit, text)):
        return None
    # NFKC makes wide digits ASCII digits; digits of other scripts are replaced by their value.
    plain = unicodedata.normalize("NFKC", text).strip().replace(MINUS, "-")
    plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in plain)
    if as_number(plain) is not None:
        return "characters that are not ASCII", plain
    without_sign = "".join(c for c in CURRENCY.sub("", plain) if unicodedata.category(c) != "Sc").strip()
    if without_sign != plain:
        number = _plain_number(without_sign)
        return ("signs of a currency", number) if number else None
    share = PERCENT.sub("", plain)
    if share != plain:
        number = _plain_number(share)
        places = -2 if plain.endswith("%") else -3
        number = number if " or " in number or not number else f"{Decimal(number).scaleb(places):f}"
        return ("percent signs", number) if number else None
    if EITHER.fullmatch(plain):
        return "commas between thousands or before decimals", f"{plain.replace(',', '')} or {plain.replace(',', '.')}"
    for pattern, notation, deleted in OTHER_NUMBERS:
        if re.fullmatch(pattern, plain):
            number = "".join(c for c in plain if c not in deleted).replace(",", ".")
            return (notation, number) if as_number(number) is not None else None
    return None


def refuse_other_numbers(column: str, examples: Iterable[tuple[str, str]], kind: type[DataError] = DataError) -> None:
    """Raise where a text is a number, but not a plain one; ``examples`` are texts and where they stand."""
    for text, where in examples:
        notation_and_plain = other_number(text)
        if notation_and_plain is not None:
            notation, plain = notation_and_plain
            raise kind(
                f"{column} has {notation}, for instance {shortened(text.strip(), LONGEST_NAME)} {where}.",
                "plain numbers, with a point before decimals: 0.5",
                f"write {plain} instead of {shortened(text.strip(), LONGEST_NAME)}, and the other numbers alike",
            )


def _plain_number(text: str) -> str:
    """Return the text of a plain number; empty if it is none."""
    if as_number(text) is not None:
        return text
    notation_and_plain = other_number(text)
    return notation_and_plain[1] if notation_and_plain else ""


def right_to_left(text: str) -> list[tuple[bool, str]]:
    """Split a text into pieces that are written from right to left, and others.

    Without that a name in Arabic or Hebrew would pull the number behind it to its other side.

    >>> right_to_left("F1 of \\u05d0\\u05d1 0.5")
    [(False, 'F1 of '), (True, 'אב'), (False, ' 0.5')]
    """
    if text.isascii():  # nearly always
        return [(False, text)]
    places = [i for i, c in enumerate(text) if unicodedata.bidirectional(c) in ("R", "AL", "AN")]
    pieces: list[tuple[bool, str]] = []
    end = 0
    for i, place in enumerate(places):
        if place < end:
            continue
        # The piece ends with the last such letter before a left-to-right letter or a number.
        last = place
        for later in places[i:]:
            if any(unicodedata.bidirectional(c) in ("L", "EN") for c in text[last + 1 : later]):
                break
            last = later
        pieces += [(False, text[end:place])] if place > end else []
        pieces.append((True, text[place : last + 1]))
        end = last + 1
    return [*pieces, (False, text[end:])] if end < len(text) or not pieces else pieces


def alike(names: Sequence[str]) -> tuple[str, str] | None:
    r"""Return the first two names that a reader could not tell apart, if there are any.

    Repeated spaces look like one, invisible characters are written as escapes, and é looks the same composed or not.
    Letters of different scripts with the same shape are not compared.

    >>> alike(["m\u200b", "m\u200c"]), alike(["rbf", "m", "m "]), alike(["m\n", r"m\n"])
    (None, ('m', 'm '), ('m\n', 'm\\n'))
    """
    by_look: dict[str, str] = {}
    for name in names:
        look = unicodedata.normalize("NFC", " ".join(one_line(name).split()))
        if look in by_look:
            return by_look[look], name
        by_look[look] = name
    return None


def refuse_alike(names: Sequence[str]) -> None:
    """Raise if a verdict could not tell these models apart by their names."""
    pair = alike(names)
    if pair is not None:
        first, second = (shortened(repr(name), LONGEST_NAME) for name in pair)
        raise DataError(f"{first} and {second} look alike when printed.", "names that can be told apart")


def wrapped(text: str, lead: str = "") -> str:
    """Return the text in lines of a readable length, indented like the text after ``lead``."""
    whole = one_line(text).replace("(p = ", "(p\xa0=\xa0")  # a p-value stays in one piece
    return textwrap.fill(
        whole,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\xa0", " ")


def shell_word(text: str) -> str:
    r"""Return a word in the shell's quotes, with invisible characters escaped for bash and zsh.

    >>> shell_word("my file.csv"), shell_word("a\nb"), shell_word("a\u202eb'c"), shell_word("\xa0")
    ("'my file.csv'", "$'a\\nb'", "$'a\\u202eb\\'c'", "$'\\u00a0'")
    """
    if one_line(text) == text:
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(c if one_line(c) == c else _escape(c) for c in escaped) + "'"


def _escape(c: str) -> str:
    """Return what bash reads as this character; from \\x80 on, \\x is a byte to it."""
    code = ord(c)
    if code < 0x80:
        return repr(c)[1:-1]
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a path that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
