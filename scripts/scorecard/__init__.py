"""The scorecard: does every test keep its level, does every interval cover? ``make study`` writes docs/scorecard.md.

Read in this order: ``rows.py`` (what is measured, and the data file), ``bands.py`` (what is demanded), ``trials.py``
(how a question is put to every test), ``cells.py`` and its neighbours (what the data are drawn from), ``page.py``.
"""
