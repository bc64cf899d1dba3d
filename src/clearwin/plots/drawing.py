"""What all pictures share: the record of a picture, plain texts, new axes, files.

Names come from files and are shown as text, never as mathematics or markup. matplotlib is imported only when something
is drawn, and pyplot never.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import singledispatch
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearwin.errors import FileError, NotApplicableError
from clearwin.results.writing import write_bytes
from clearwin.text import one_line

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
GREY, LIGHT, GRID = "#767676", "#D9D9D9", "#E3E3E3"
STYLES = ((BLUE, "-"), (VERMILLION, (0, (5, 1.5))))  # for A and B
# Colour, line style and marker of each of many lines.
SERIES = (
    (BLUE, "-", "o"),
    (VERMILLION, (0, (5, 1.5)), "s"),
    (GREEN, (0, (1, 1.2)), "^"),
    (PURPLE, "-.", "D"),
    (ORANGE, (0, (3, 1, 1, 1, 1, 1)), "v"),
    (SKY, "-", "P"),
    ("black", (0, (8, 2)), "X"),
    (GREY, ":", "*"),
)


FORMATS = ("png", "svg", "pdf")
LONGEST_NAME = 24
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # for every text with a name in it
SMALL = 8.5  # points
POINTS = 72.0  # in an inch
LABEL_WIDTH = 0.88  # share of the width of the axes
NARROW = 240.0  # points across: narrower axes have room for fewer numbers
NARROW_FIGURE = 4.0  # inches
PHONE = 3.4  # inches: the width of a small phone at full size
HANDLE = 45.0  # points that a handle takes in a legend, with the room around it
BESIDE = 1.2  # a legend above the axes may be this much wider than they are
AROUND_NAMES = 20.0  # points between names at the left, the axes and the edge
BETWEEN_PARTS = " · "  # not just spaces, which a browser would collapse
MISSING_GLYPH = "Glyph .* missing from"  # matplotlib's warning; it draws the letter as a box


@dataclass(frozen=True)
class Picture:
    """A picture that can be drawn: its name, its title, and its content in words with the numbers.

    ``draw`` takes axes, draws on them and returns them. ``size`` is in inches; the axes of a ``bare`` picture fill it,
    without room for ticks and labels. ``narrow`` is the size on a phone, for pictures that have one.
    """

    name: str
    title: str
    alt: str
    draw: Callable[[Axes], Axes]
    size: tuple[float, float] = (5.6, 3.6)
    bare: bool = False
    narrow: tuple[float, float] | None = None


@singledispatch
def pictures_of(result: object, margin: float | None) -> list[Picture]:
    """Return the pictures of a result, the best first; every kind registers its own function.

    ``margin`` is the largest difference that does not matter, to be drawn where a picture shows differences.
    """
    problem = f"There are no pictures of a {type(result).__name__}."
    raise NotApplicableError(problem, "a result of one of the verbs", "compare(…).plot()")


def new_axes(size: tuple[float, float] = (5.2, 5.2), *, bare: bool = False) -> Axes:
    """Return the axes of a new figure, without a window, that a notebook shows."""
    from matplotlib.figure import Figure

    from clearwin.plots.notebook import ShownAxes

    if not bare:
        figure = Figure(figsize=size, layout="constrained")
        figure.get_layout_engine().set(w_pad=0.08, h_pad=0.05)  # type: ignore[union-attr,call-arg]
        return figure.add_subplot(axes_class=ShownAxes)
    width, height = size
    inside = (0.1 / width, 0.1 / height, 1 - 0.2 / width, 1 - 0.2 / height)
    return Figure(figsize=size).add_axes(inside, axes_class=ShownAxes)


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return the name as one line of text, and its middle left out if it is long.

    >>> short_name("a quite long name of a model, version 2")
    'a quite long…, version 2'
    """
    text = one_line(name)
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}…{text[-half + 1 :]}"


def short_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """Return short names; names that would look alike show where they differ, or are numbered.

    >>> short_names(["class number 1 of a long list", "class number 2 of a long list"], 16)
    ['…umber 1 of a l…', '…umber 2 of a l…']
    """
    texts = [one_line(name) for name in names]
    shortened = {text: short_name(text, longest) for text in texts}
    for alike in _alike(shortened):
        first, last = min(alike), max(alike)  # any common prefix of these two is shared by all
        differ = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
        start = max(0, min(differ - longest // 3 - 1, min(map(len, alike)) - longest + 1))
        for text in alike:
            piece = text[start:] if start else text
            piece = piece if len(piece) < longest else f"{piece[: longest - 2]}…"
            shortened[text] = f"…{piece}" if start else piece
    still_alike = {text for alike in _alike(shortened) for text in alike}
    for place, text in enumerate(shortened, 1):
        if text in still_alike:
            shortened[text] = f"{short_name(text, longest - 2 - len(str(place)))} #{place}"
    return [shortened[text] for text in texts]


def _alike(shortened: dict[str, str]) -> list[list[str]]:
    """Return the different texts that look alike when shown."""
    by_look: dict[str, list[str]] = {}
    for text, short in shortened.items():
        by_look.setdefault(short, []).append(text)
    return [texts for texts in by_look.values() if len(texts) > 1]


def better_side(axis: str, name: str, higher_is_better: bool) -> tuple[str, str]:
    """Return the label of an axis of differences, with the side on which the model ``name`` is better.

    >>> better_side("difference in EER (B − A)", "B", False)
    ('← B better', 'difference in EER (B − A)')
    """
    return (axis, f"{name} better →") if higher_is_better else (f"← {name} better", axis)


def value_axis(label: str, higher_is_better: bool) -> str:
    """Return the label of an axis of values, with the better side unless it is the usual one."""
    return label if higher_is_better else f"{label} (lower is better)"


def label_axes(ax: Axes, *, x: str | Sequence[str] = "", y: str = "") -> None:
    """Label the axes with plain text; long labels are wrapped.

    Several parts of the x label go side by side, or each on its own lines if that is too long.
    """
    parts = [x] if isinstance(x, str) else list(x)
    beside = BETWEEN_PARTS.join(parts)
    fits = text_width(beside, float(ax.xaxis.label.get_fontsize())) <= _most_across(ax)
    ax.set_xlabel(beside if fits else "\n".join(_in_lines(part, ax) for part in parts), **PLAIN)
    ax.set_ylabel(y, **PLAIN)


def _most_across(ax: Axes) -> float:
    # Names to the left and numbers to the right narrow the axes, but a label may be wider than they are.
    return LABEL_WIDTH * points_across(ax)


def points_across(ax: Axes) -> float:
    """Return the approximate width of the axes, in points, before the figure is laid out."""
    return ax.get_window_extent().width / ax.figure.dpi * POINTS


def is_narrow(ax: Axes) -> bool:
    """Return whether names beside the axes would leave them no room; they then go above their rows."""
    figure = ax.figure.get_figure(root=True)
    assert figure is not None
    return float(figure.get_size_inches()[0]) < NARROW_FIGURE


def right_of(ax: Axes, points: float) -> Any:
    """Return where to draw this many points to the right of the axes, at 1 across, in the rows of the axes."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.figure.get_figure(root=True)
    return ax.get_yaxis_transform() + ScaledTranslation(points / POINTS, 0.0, figure.dpi_scale_trans)


def _in_lines(text: str, ax: Axes) -> str:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, float(ax.xaxis.label.get_fontsize())) > _most_across(ax):
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def name_ticks(axis: Axis, places: Sequence[float], names: Sequence[str], **settings: Any) -> None:
    """Put names at places of an axis, as text."""
    axis.set_ticks(list(places), labels=list(names), **PLAIN, **settings)


def whole_numbers(axis: Axis) -> None:
    """Put ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def few_ticks(axis: Axis) -> None:
    """Leave room between the numbers at an axis."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=5 if points_across(axis.axes) > NARROW else 3))


def legend(ax: Axes, handles: Sequence[Any], labels: Sequence[str], place: Any, **settings: Any) -> None:
    """Put a legend inside the axes, or ``place`` it "above"; names in it are text and do not squeeze the axes."""
    above = place == "above"
    if is_narrow(ax):
        labels = [_in_two(label, POINTS * (PHONE - 0.8) - HANDLE) for label in labels]
    if above:
        place = "lower left"
        settings = {"bbox_to_anchor": (0.0, 1.0), "frameon": False, "borderpad": 0.1, **settings}
        across = settings.get("ncols", 1) * (max(text_width(label, 9.0) for label in labels) + HANDLE)
        if across > _room_above(ax):
            settings["ncols"] = 1
    settings = {"framealpha": 0.9, "fontsize": 9, "handlelength": 2.6, **settings}
    # matplotlib skips labels that begin with "_", so the names are set afterwards.
    drawn = ax.legend(list(handles), ["name"] * len(handles), loc=place, **settings)
    drawn.set_in_layout(above)
    for text, label in zip(drawn.get_texts(), labels, strict=True):
        text.set_usetex(False)
        text.set_parse_math(False)
        text.set_text(label)
        text.set_fontsize(9 if max(map(len, labels)) <= 30 else SMALL - 0.5)


def _in_two(label: str, most: float) -> str:
    """Return a label, with a new line after a comma or "interval" where it is longer than this many points."""
    if text_width(label, SMALL) <= most:
        return label
    return label.replace(", ", ",\n", 1) if ", " in label else label.replace(" interval ", " interval\n", 1)


def _room_above(ax: Axes) -> float:
    """Return how wide a legend above may be, in points; it begins at the axes, to the right of their names."""
    names = [text_width(name.get_text(), float(name.get_fontsize())) for name in ax.get_yticklabels()]
    beside_names = ax.figure.bbox.width / ax.figure.dpi * POINTS - max(names, default=0.0) - AROUND_NAMES
    return min(BESIDE * points_across(ax), beside_names)


def name_rows(ax: Axes, names: Sequence[str], x: str | Sequence[str]) -> None:
    """Finish a picture of rows: their names at the left, the axis below."""
    name_ticks(ax.yaxis, range(len(names)), names, fontsize=9)
    ax.tick_params(axis="y", length=0)
    label_axes(ax, x=x)
    quiet_frame(ax)


def quiet_frame(ax: Axes, grid: str | None = "x") -> None:
    """Remove the frame at the top and right, and add thin grid lines."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=GRID, linewidth=0.6)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def text_width(text: str, size: float) -> float:
    """Return the width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with boxes_for_missing_letters():
        width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(width)


def picture_format(path: str | os.PathLike[str]) -> str:
    """Return the picture format by the ending of a file.

    >>> picture_format("curve.SVG")
    'svg'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        problem = f"{path} ends in .{ending}." if ending else f"{path} has no ending."
        raise FileError(problem, "a picture: .png, .svg or .pdf", f"{Path(path).with_suffix('.png')}")
    return ending


def rendered(figure: Figure, kind: str) -> bytes:
    """Return the figure as PNG, SVG or PDF; the same figure always gives the same bytes."""
    import matplotlib as mpl

    # Text stays text in SVG, and fonts are embedded in PDF. Nothing random or dated is written.
    reproducible: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "clearwin", "pdf.fonttype": 42}
    undated: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    drawn = BytesIO()
    with mpl.rc_context(reproducible), boxes_for_missing_letters():
        figure.savefig(drawn, format=kind, dpi=200, metadata=undated[kind])
    return drawn.getvalue()


@contextmanager
def boxes_for_missing_letters() -> Iterator[None]:
    """Do not warn of letters that the font does not have."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING_GLYPH)
        yield


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure as PNG, SVG or PDF by the ending."""
    write_bytes(path, rendered(figure, picture_format(path)))
