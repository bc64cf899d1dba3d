"""Which way a text is written: names may come in Arabic or Hebrew."""

from __future__ import annotations

import unicodedata


def right_to_left(text: str) -> list[tuple[bool, str]]:
    """Split a text into pieces that are written from right to left and others, for whoever has to keep them apart.

    Without that a name in Arabic or Hebrew would pull the number behind it to its other side.

    >>> right_to_left("F1 of \\u05d0\\u05d1 0.5")
    [(False, 'F1 of '), (True, 'אב'), (False, ' 0.5')]
    """
    places = [i for i, c in enumerate(text) if unicodedata.bidirectional(c) in ("R", "AL", "AN")]
    pieces: list[tuple[bool, str]] = []
    end = 0
    for i, place in enumerate(places):
        if place < end:
            continue
        # on to the last such letter before one that is written from left to right, or a number
        last = place
        for later in places[i:]:
            if any(unicodedata.bidirectional(c) in ("L", "EN") for c in text[last + 1 : later]):
                break
            last = later
        pieces += [(False, text[end:place])] if place > end else []
        pieces.append((True, text[place : last + 1]))
        end = last + 1
    return [*pieces, (False, text[end:])] if end < len(text) or not pieces else pieces
