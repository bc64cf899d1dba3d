"""A picture as SVG text that can stand in any page: no scripts, no styles, nothing fetched from elsewhere.

matplotlib's file is cleaned: styles become plain attributes, so that a page may forbid inline styles; ids get a prefix
made from the content, so that several pictures fit into one page; metadata, dates and decimals without use are dropped.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from clearwin.pictures.drawing import Picture, new_axes, rendered

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SVG = "http://www.w3.org/2000/svg"
DROPPED = ("metadata", "style")
FONT = "DejaVu Sans, Verdana, sans-serif"
REFERENCE = re.compile(r"#([\w.-]+)")
DECIMALS = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
ALLOWED_CONTROL = "\t\n\r"


def picture_svg(picture: Picture, *, width: float | None = None, height: float | None = None) -> str:
    """Return the picture as one ``<svg>`` element; width and height are in inches, by default the picture's own.

    >>> import clearwin as cw
    >>> text = picture_svg(pictures(cw.estimate([1, 0, 1], [1, 0, 0], measure="accuracy"))[0])  # doctest: +SKIP
    """
    size = (width or picture.size[0], height or picture.size[1])
    axes = picture.draw(new_axes(size, bare=picture.bare))
    figure = axes.figure.get_figure(root=True)
    assert figure is not None  # it was just made
    root = ElementTree.fromstring(rendered(figure, "svg"))
    _clean(root)
    body = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    prefix = "cw" + hashlib.sha256((picture.name + body).encode()).hexdigest()[:10]
    _prefix_ids(root, prefix)
    _describe(root, picture, prefix)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(root: Element) -> None:
    """Make every element plain: no namespaces in names, no styles, only the ids that something refers to."""
    used = {
        name for node in root.iter() for value in node.attrib.values() for name in REFERENCE.findall(value)
    }  # fmt: skip
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in DROPPED:
                parent.remove(child)
    for node in root.iter():
        node.tag = _local(node.tag)
        attributes = {_local(name): value for name, value in node.attrib.items()}
        attributes |= _attributes_of(attributes.pop("style", ""))
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        if node.tag == "text":
            attributes["stroke"] = "none"
        node.attrib.clear()
        node.attrib.update({name: DECIMALS.sub(_shorter, value) for name, value in attributes.items()})
        node.text, node.tail = _squeezed(node.text, node.tag), None
    # what matplotlib says in a style sheet, which would hold for the whole page
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt"}
    root.attrib.pop("version", None)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attributes_of(style: str) -> dict[str, str]:
    """Turn ``fill: none; font: 9px 'DejaVu Sans'`` into attributes."""
    found: dict[str, str] = {}
    for part in style.split(";"):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name == "font":
            size = re.search(r"([\d.]+)px", value)
            found |= {"font-size": size[1] if size else "10", "font-family": FONT}
        elif name and not name.startswith("-"):
            found[name] = value
    return found


def _shorter(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".").replace("-0.00", "0") or "0"


def _squeezed(text: str | None, tag: str) -> str | None:
    return text if tag in ("text", "tspan") else None


def _prefix_ids(root: Element, prefix: str) -> None:
    names = {node.attrib["id"]: f"{prefix}-{i}" for i, node in enumerate(root.iter()) if "id" in node.attrib}
    for node in root.iter():
        for name, value in node.attrib.items():
            if name == "id":
                node.attrib[name] = names[value]
            elif "#" in value and (name == "href" or value.startswith("url(")):
                node.attrib[name] = REFERENCE.sub(lambda m: f"#{names.get(m[1], m[1])}", value)


def _describe(root: Element, picture: Picture, prefix: str) -> None:
    """Say what is to be seen, for those who cannot."""
    root.attrib |= {"xmlns": SVG, "role": "img", "aria-labelledby": f"{prefix}-t", "aria-describedby": f"{prefix}-d"}
    for place, (tag, end, text) in enumerate((("title", "t", picture.title), ("desc", "d", picture.alt))):
        node = ElementTree.Element(tag, {"id": f"{prefix}-{end}"})
        node.text = text
        root.insert(place, node)
