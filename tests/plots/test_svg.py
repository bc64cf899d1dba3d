"""SVG that can stand in any page: plain, repeatable, and names are text in it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import clearwin as cw
from clearwin.plots import picture_svg, pictures
from clearwin.plots.drawing import short_name
from tests.plots.made import MADE, RNG, decisions
from tests.two_scores import HOSTILE

# whose pictures are drawn by the same code as those of others
ALIKE = {
    "sampled",
    "one-sided permutation",
    "whole label sets",
    "scores",
    "values",
    "unpaired",
    "estimate of scores",
    "board with baseline",
    "folds, one-sided",
    "folds, posterior",
    "per label",
}


def texts(svg):
    root = ET.fromstring(svg)
    return [" ".join("".join(node.itertext()).split()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


# the counts of two models are drawn alike, whatever the test: seen of three classes
OF_COUNTS = {"mosaic", "confusion_a", "confusion_b"}


@pytest.mark.parametrize("key", sorted(set(MADE) - ALIKE))
def test_svg_is_plain_and_repeatable(made, key):
    ids, seen_elsewhere = [], set() if key in ("three classes", "classes of one item each") else OF_COUNTS
    for picture in [one for one in pictures(made[key]) if one.name not in seen_elsewhere]:
        text = picture_svg(picture)
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        for node in root.iter():
            assert node.tag.rpartition("}")[2] in {
                "svg",
                "title",
                "desc",
                "g",
                "path",
                "text",
                "tspan",
                "use",
                "defs",
                "clipPath",
                "rect",
                "pattern",
            }
            for name, value in node.attrib.items():
                assert name not in ("style", "class")
                assert not name.startswith("on")
                assert "http" not in value
                if name.endswith("href"):
                    assert value.startswith("#")
        found = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
        used = set(re.findall(r'(?:href="|url\()#([\w-]+)', text)) | set(re.findall(r'aria-\w+="([^"]+)"', text))
        assert used == set(found), "every id is used, and every use has its id"
        assert all(i.startswith("cw") for i in found)
        assert root[0].text == picture.title
        assert root[1].text == picture.alt
        assert len(text) < 100_000
        ids += found
    assert len(set(ids)) == len(ids), "several pictures fit into one page"
    if key in ("bootstrap", "three classes", "board", "roc"):
        assert text == picture_svg(picture)


NASTY = [*HOSTILE, "=1+2", "../x", "\u202eevil", "</svg><script>alert(1)</script>"]
OF_MODELS = ("bootstrap", "mcnemar", "estimate", "chance", "board", "folds", "roc", "data sets")


@pytest.mark.parametrize(("i", "key"), list(enumerate(OF_MODELS)))
def test_hostile_names_are_text(i, key):
    name = NASTY[-1 - i]  # the next test has them all
    cut = " ".join(short_name(name).split())[:6]
    for picture in pictures(MADE[key](name, "other")):
        found = picture_svg(picture)
        assert "<script" not in found
        if picture.name not in ("recalls", "confusion_b"):
            assert any(cut in text for text in texts(found)), picture.name


@pytest.mark.parametrize("name", NASTY)
def test_hostile_names_are_text_in_ticks_legends_and_labels(name):
    shown = " ".join(short_name(name).split())[:6]
    r = decisions((name, "other"), measure="accuracy", test="mcnemar")
    for kind in ("interval", "mosaic", "confusion_a"):
        ax = r.plot(kind=kind)
        legend = ax.get_legend().get_texts() if ax.get_legend() else []
        holding = [text for text in (ax.xaxis.label, *ax.get_yticklabels(), *legend) if shown in text.get_text()]
        assert holding
        assert not any(text.get_parse_math() or text.get_usetex() for text in holding)


def test_hostile_labels_are_text():
    labels = np.array([*HOSTILE, "</text><script>"])
    y = RNG.integers(0, len(labels), 200)
    a = np.where(RNG.random(200) < 0.5, y, RNG.integers(0, len(labels), 200))
    for result in (
        cw.compare(labels[y], labels[a], labels[y], measure="accuracy"),
        cw.against_chance(labels[y], labels[a]),
    ):
        for picture in pictures(result):
            found = texts(picture_svg(picture))
            if picture.name in ("mosaic", "confusion", "confusion_a", "confusion_b", "recalls"):
                for label in labels:
                    assert any(text.startswith(" ".join(short_name(label, 14).split())[:6]) for text in found), label
