"""Colours are Okabe and Ito's, which the colour-blind can tell apart; lines and markers differ too, for print."""

from __future__ import annotations

BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9"
GREY, LIGHT, GRID = "#767676", "#D9D9D9", "#E3E3E3"
STYLES = ((BLUE, "-"), (VERMILLION, (0, (5, 1.5))))  # of A and B
# of many lines: colour, style, marker
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
