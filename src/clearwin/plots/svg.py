"""A picture as SVG text that can stand in any page: no scripts, no styles, nothing fetched from elsewhere.

matplotlib's file is cleaned: styles become plain attributes, so that a page may forbid inline styles; ids get a prefix
made from the content, so that several pictures fit into one page; metadata, dates, and empty groups are dropped.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from clearwin.plots.drawing import Picture, new_axes, rendered

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


SVG = "http://www.w3.org/2000/svg"
FONT = "DejaVu Sans,Verdana,sans-serif"
DROPPED = ("metadata", "style")
REFERENCE = re.compile(r"#([\w.-]+)")
DECIMALS = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
# Attributes that the elements of a group inherit.
STROKE = ("stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-width")
SHARED = ("clip-path", "fill", "font-size", "stroke", *STROKE, "text-anchor")


def picture_svg(
    picture: Picture, *, width: float | None = None, height: float | None = None, narrow: bool = False
) -> str:
    """Return the picture as one ``<svg>`` element; width and height are in inches, by default the picture's own.

    A ``narrow`` one is for phones, where the picture has such a size.

    >>> from clearwin.plots.drawing import Picture
    >>> text = picture_svg(Picture("dot", "A dot", "A dot at 1.", lambda ax: ax.plot([1], "o")[0].axes))
    >>> text[:4], "<script" in text, "<title" in text
    ('<svg', False, True)
    """
    default = picture.narrow if narrow and picture.narrow is not None else picture.size
    size = (width or default[0], height or default[1])
    figure = picture.draw(new_axes(size, bare=picture.bare)).figure.get_figure(root=True)
    assert figure is not None  # new_axes made it
    root = ElementTree.fromstring(rendered(figure, "svg"))
    _clean(root)
    _share(root)
    body = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    prefix = "cw" + hashlib.sha256((picture.name + body).encode()).hexdigest()[:10]
    _prefix_ids(root, prefix)
    _describe(root, picture, prefix)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(root: Element) -> None:
    """Make every element plain: no namespaces, no styles, only the ids that something refers to."""
    used = {name for node in root.iter() for value in node.attrib.values() for name in REFERENCE.findall(value)}
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
        if attributes.get("transform", "").startswith("rotate(-0 "):
            del attributes["transform"]
        node.attrib.clear()
        node.attrib.update({name: DECIMALS.sub(_shorter, value) for name, value in attributes.items()})
        if "d" in node.attrib:
            node.attrib["d"] = re.sub(r"\s*([A-Za-z])\s*", r"\1", node.attrib["d"])
        node.text, node.tail = node.text if node.tag in ("text", "tspan") else None, None
    # matplotlib sets these in a style sheet, which would apply to the whole page.
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt", "font-family": FONT}
    root.attrib.pop("version", None)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _attributes_of(style: str) -> dict[str, str]:
    """Turn ``fill: none; font-size: 9px`` into attributes; the font is given once, at the top."""
    parts = (part.partition(":") for part in style.split(";"))
    attributes = {name.strip(): value.strip() for name, _, value in parts if name.strip()}
    return {name: value for name, value in attributes.items() if name != "font-family" and not name.startswith("-")}


def _shorter(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".").replace("-0", "0" if float(match[0]) > -0.005 else "-0")


def _share(node: Element) -> None:
    """Drop groups without attributes, and move attributes that all children share to their group."""
    for child in list(node):
        _share(child)
    for child in list(node):
        if child.tag in ("g", "defs") and not child.attrib and (child.tag == "g" or not len(child)):
            place = list(node).index(child)
            node.remove(child)
            for i, inner in enumerate(child):
                node.insert(place + i, inner)
    if node.tag not in ("g", "svg") or len(node) < 2 or any(child.tag == "defs" for child in node):
        return
    for name in SHARED:
        values = {child.attrib.get(name) for child in node}
        if len(values) == 1 and None not in values and name not in node.attrib:
            node.attrib[name] = str(values.pop())
            for child in node:
                del child.attrib[name]


def _prefix_ids(root: Element, prefix: str) -> None:
    names = {node.attrib["id"]: f"{prefix}-{i}" for i, node in enumerate(root.iter()) if "id" in node.attrib}
    for node in root.iter():
        for name, value in node.attrib.items():
            if name == "id":
                node.attrib[name] = names[value]
            elif name == "href" or value.startswith("url("):
                node.attrib[name] = REFERENCE.sub(lambda match: f"#{names[match[1]]}", value)


def _describe(root: Element, picture: Picture, prefix: str) -> None:
    """Describe the picture for readers who cannot see it."""
    root.attrib |= {"xmlns": SVG, "role": "img", "aria-labelledby": f"{prefix}-t", "aria-describedby": f"{prefix}-d"}
    for place, (tag, end, text) in enumerate((("title", "t", picture.title), ("desc", "d", picture.alt))):
        node = ElementTree.Element(tag, {"id": f"{prefix}-{end}"})
        node.text = text
        root.insert(place, node)
