"""The sentences of docs/scorecard.md."""

from __future__ import annotations

POWER_CELL = "prevalence 0.1"
NULL = {
    "exchangeable": "exchangeable",
    "equal": "equal in the measure, not exchangeable",
    "hard": "equal in the measure, hard",
    "different": "different",
    "at the margin": "worse by the margin",
}

HEAD = """<!-- made by scripts/make_scorecard.py from docs/scorecard.json (make study); do not edit -->

# Scorecard

Does every test keep its level, and does every interval cover the truth as often as it says? Test sets are drawn from
known populations, clearwin is asked about each, and its answers are compared with the truth. All figures are per
cent; every one of them, with its cell, its band and its number of test sets, is in [scorecard.json](scorecard.json).

- **Size**: how often a true null hypothesis is rejected at 5 %. A test with more than 5 raises too many false alarms.
  One with less is conservative, as every exact test must be with few items.
- **Coverage**: how often the 95 % interval covers the true difference. An interval with less than 95 promises too
  much. One with more is wider than necessary, like Tango's where the models hardly ever disagree.
- A cell of a table shows the *worst* of its populations (the one furthest out of its band).
- A figure out of its band is **bold**; with a † at least nine in ten of the results carried a caveat about the
  approximation (few items of a class, few disagreements, a poor normal approximation), so the reader was warned.
- A figure in *italics* is out of its band by no more than chance explains; more test sets would show.

These are the bands. On exchangeable models, a test that keeps its level by construction (exact McNemar, the sign
test, permutations of decisions and values), or should (permutations of scores, which swap ranks; mid-p, which never
exceeds it in the enumerated cells below, but can where nearly all items are discordant: 7.7 % if all of 16 are), may
reject at most at its level. Every other test may reject at most 6 % at 5 % and 1.5 % at 1 %, the upper ends of what
Cochran (Annals of Mathematical Statistics 23, 1952) accepted for the χ² approximation. An interval must be within one
point of 95 %. What chance does once in 700 cells is allowed on top, by the binomial distribution: for a size of 5 %
that is 2.2 points with 1,000 test sets and 3.5 with 400, so a figure inside its band is not a proof. The number of
test sets of each section is at the end.
"""

DEFAULTS = """
## What the defaults do

What you get without naming a test or an interval, for every measure on independent items, and for some of them on 5
to 50 groups of about 20 items and on strata of 2 and 4. Each figure is the worst of the row's populations; two
figures are those at 5 % and at 1 %.

- **exchangeable**: swapping the models' answers would change nothing in distribution;
- **equal, mild**: the measure is equal, and the models are like two good ones that err in different ways;
- **equal, hard**: the measure is equal, and one model answers in a very different way: it predicts a fifth of the
  positives, its scores have a third or three times the spread, it is right on frequent classes and not on rare ones;
  about ten items decide; or one model's errors cluster in groups (an intraclass correlation of .5) and the other's do
  not (.02);
- **one-sided**: the claim that B is better, or that it is worse, whichever is shown more often; all of these cells;
- **difference**, **estimate**: how often the 95 % intervals of `compare` (models that differ, too) and of `estimate`
  cover the truth;
- **caveat**: the share of results that carry a caveat or are not decided, where the row is furthest out of its bands,
  or nearest to their ends. A result that is not decided rejects nothing.

The bands are 6 % at 5 %, 1.5 % at 1 % and a coverage of 93 to 99 %, and what chance does once in 700 cells on top.
Mirrored measures have the same figures as those that they mirror: {mirrored}.

These figures are older than the present rules for means and losses, for scores and one-sided claims in groups, and for
macro measures of more than ten classes. Those rows are still to be measured again; the power of the present rules, and
their size where models are equal, is below ("What keeping the level costs").
"""

UNSEEN = """
## What the test set has not seen

Equal models, of which one fails rarely and badly. A test set without such a failure makes that model look better, and
nothing in it shows the failure. Where values have a range (a Brier score, grades whose range was declared, shares),
p-value and interval allow for a kind of item that was missed: one that has a share q of the population is missing
among n items with chance (1 − q)ⁿ, and the other items show a difference too large by q/(1 − q) times the range.
Where there is none (squared errors, log loss), and where whole groups or documents could fail, a caveat says what the
result assumes. It looks at how much items vary, and never at what was decided. What goes beyond that assumption cannot
be guarded against: log loss on items far below any probability seen, documents longer than any here, and grades whose
range was not declared, where a failure lies six to eight times as far out as the largest difference between the models.

**False alarms** are results that show a difference, at 5 %; **warned** is the share of them with a caveat. For one
model alone the figure is the coverage of its 95 % interval, and warned the share of all results.
"""

SERIAL = """## Items in time order

Equal models whose values, or whose errors, follow an autoregression with the coefficient ρ: how often one is decided
to be better at 5 %, by default and with `order=`, and the share of the default's false alarms that carry the question
"Are these rows in time order?". In 50 rows a correlation of .3 is hardly to be seen, and of decisions only the few on
which the models differ count."""

ASKED_IN_VAIN = (
    """How often that question is asked in vain, of rows that are independent or sorted by something else:"""
)

ORDINARY = """
The same rules on ordinary data, beside a test by name on the same test sets; **warned** is the share of all results
that carry a caveat or are not decided.
"""

CONTRADICTIONS = """
## No contradictions

Random data of several kinds, judged by the defaults with claims and levels in turn. A result contradicts itself where
its interval excludes 0 and p is above the level, or the other way round, where the interval does not contain the
difference, or where the decision follows neither. `compare` and `rank` contradict each other where they do not give
the same p-value and the same interval for two models, to the last bit.
"""

BY_NAME = """
## Tests by name

What `test=` and `interval=` choose. Where models are exchangeable, permutations keep their level by construction;
where they are only equal in the measure, that is not their null hypothesis.
"""

MCNEMAR = """
### McNemar's forms, enumerated

The largest size over the 9,595 cells of Fagerland, Lydersen and Laake (BMC Medical Research Methodology 13:91, 2013):
19 numbers of items from 10 to 100, 5 odds ratios, 101 marginal probabilities. Nothing is drawn. They publish 5.367
for the asymptotic form, 3.572 corrected, 3.674 exact and 4.947 mid-p, which is never above 5; the unconditional
form is exact.
"""

SIZE = """
### Size at 5 %: decisions of two classes, by the number of items

The worst of two prevalences (0.5 and 0.1), and for 50 items also of 0.02, where one positive is expected and the models
differ on few items. Where the models are equal in the measure, B finds fewer positives and raises fewer false alarms.
"""

COVERAGE = """
### Coverage of 95 % intervals, by the number of items

B is better; the worst of these prevalences. The bootstrap's intervals are the same for every test that offers them,
as are McNemar's for the sign test.
"""

POWER = """
### Power at 5 %, prevalence 0.1, by the number of items
"""

KINDS = {
    "size": "Size at 5 %:",
    "coverage": "Coverage of 95 % intervals:",
    "ranks": "How often the intervals of all ranks hold together, at 95 %:",
    "power": "Power at 5 %:",
    "claim": "One-sided claims at 5 %:",
    "interval": "Coverage of 95 % intervals:",
}

CORRECTIONS = {"rank, holm": "Holm", "rank, max-t": "max-T"}

OF_DEFAULTS = {
    "rare": """## What few items cannot show

Without bounds on the values, no test of a mean keeps its level and has any power (Bahadur and Savage, Annals of
Mathematical Statistics 27, 1956): a rare large value may be missing from the test set, and nothing in the test set
shows that. Here 3 % of B's errors are five times as large as the others and make up almost half of its squared error.
Of 100 test sets of 100 items, 5 have no such item, and 42 have at most two. The same goes for groups: with an
intraclass correlation of .5 most of a model's false alarms lie in a tenth of the groups. Figures out of the band come
into it with more items and groups. Until then a caveat says so: a kind of error that is too rare to be seen could
change the result, or groups are few. The columns are the numbers of items, or of groups.""",
    "powers": """## What keeping the level costs

The power of the default beside that of tests by name, on the same test sets, and the size of each where the measure
is equal and the models are not exchangeable. A test that rejects equal models too often owes its power to that. Here
values, groups and the positives of scores are harmless. Where groups are skewed (above, ".02 and .5"), Student's t
shows one-sided claims of equal models in 10 to 14 % of the test sets with 20 groups, and the default, which doubles
that tail with fewer than 30 groups, in 6 to 8.""",
    "unpaired": """## Two models on two test sets

`compare_unpaired`: equal models whose values are skewed or whose areas are near 1, and models that differ, with the
number of items (of positives + negatives) of A and of B. `welch` is Welch's t test, `delong` DeLong's with Welch's
degrees of freedom, as in R's pROC. A false alarm is what is decided: a difference that skewed values, or a kind of item
that a test set of this size can miss, could explain is not decided, and the result says so. Where one test set is small
and its model's area near 1, hardly anything is; there `delong` owes its power to its false alarms. Values that are
nearly all alike on a wide range, as the shares in 50 and 50, need more items.""",
    "slices": """## Do slices differ?

How often `compare(…, by=…)` finds that the difference varies between slices at 5 %: where it is the same in all of
them, also with spreads that differ, and where B is better and worse by turns. The numbers are shares of items that only
one model has right. `anova` is the analysis of variance with one variance for all slices, which does not keep its level
where spreads and sizes differ.""",
    "ledger": """## The ledger at use 1, 18 and 100

How often `gate`, with a margin of 5 points of F1, passes and fails a candidate whose F1 is the same, lower by just the
margin, and lower by more. The k-th use of a ledger is judged at 0.05·6/(π²k²): 3 % at the first, 0.009 % at the 18th
and 0.0003 % at the 100th. At the margin neither a pass nor a failure is right, and each may happen that often.""",
    "unstable": """## Learners that follow single items

The corrected t test takes ρ = ratio/(1 + ratio) for the correlation of two folds' differences. That is an assumption:
no estimator of the variance of cross-validation is unbiased, because all folds share one data set (Bengio and
Grandvalet 2004). Here A and B are the same learner on 5 features each that share half of their noise. The training set
moves 1-nearest neighbour so much that 10 × 10 folds and hold-outs of a tenth find a difference too often, and one round
of 10 folds does not. Nothing in the scores tells: the rounds of such learners vary no more than ρ allows, in false
alarms as elsewhere, so no caveat warns. A ratio 1.5 times as large keeps the level and costs other learners power; the
second table has B ahead by .5/√m, with m tested items in a fold.""",
    "margins": """## Claims at their margins

How often a claim with a margin is shown where it is only just false: B is worse than A by exactly the margin, where
the level is hardest to keep. For groups the number is that of groups, of 20 items each. Models, measures and margins
are in `scripts/scorecard/margins.py`; `make study ONLY=margins` measures them again.""",
    "rank": """## Many models

**False findings**: how often `rank` shows a difference between equal models, or in the wrong direction, at 5 %.
**Ranks**: how often the 95 % intervals of all ranks hold together. The correction that `rank` takes by itself is Holm's
for up to 50 pairs (10 models) and max-T for more. *Eager and shy* models have the same precision and call more or fewer
items positive; *two groups of equals* are better and worse ones. Means of values that are too skewed for so few items
are not decided, and the result says so. There are
{boards}.""",
    "folds": """## Learners over folds

The model of Nadeau and Bengio (2003). A plain t test over folds with overlapping training sets has a true level of
15.39 (10 folds), 61.30 (30 resamples, 2 : 1), 56.99 (10 × 10 folds) and 51.23 (5 × 2 folds).""",
    "learners": """## Learners on equivalent feature sets

Learners that are really trained: the same one on two feature sets with the same distribution, so both have the same
expected accuracy. The worst of Gaussian naive Bayes and logistic regression, on 5 features that share half of their
noise and on 20, by the number of items. `auto` is the corrected t test for all of these designs. The 5x2cv tests take
the differences of the two halves of a round as independent, which they are not. One-sided: that B is better, or that it
is worse, whichever is shown more often.""",
    "real": """## Real data

Test sets are drawn from a large labelled set and judged by that set (`clearwin study`). Under the null hypothesis the
answers of the two models are *swapped* at random, item by item, or items are drawn from *recentred* cells, in which
both models have the same value of the measure. GoEmotions (Demszky et al. 2020; Apache-2.0): a linear and a Gaussian
SVM on 44,763 comments, by the most frequent label. HANS (McCoy, Pavlick and Linzen 2019; MIT): SPINN and BERT on
30,000 pairs of sentences. The data are not part of clearwin; `make study DATA=folder` measures them.""",
}

OF_TESTS = {
    "precision": """### Precision

Kosinski's test where the models have the same precision and B predicts fewer positives, and where B is better.""",
    "positives": """### AUC with few positives

Why DeLong's test carries a caveat where a class has fewer than 20 items: equal models, 100 negatives. Their normal
scores have half of their variance in common, and an area of 0.73.""",
    "values": """### Per-item values

A true difference is 0.3. The skewed differences are exponential; signs and ranks have other null hypotheses, which
are false there.""",
    "groups": """### Groups of items

Equally good models; every group leans towards one of them. Asked by groups, and as if the items were independent: a
test that cannot handle groups carries a caveat, but one that was not given them cannot.""",
}

MEASURED = """
## How it was measured

`make study` measures everything again and writes this page; `make study ONLY=defaults` measures only the table of the
defaults, `ONLY=mcnemar,folds` other sections, `SETS=200` uses fewer test sets, and `DATA=folder` includes real data,
whose rows otherwise stay as they were measured. `make study AGAIN=20 ONLY=defaults` measures every twentieth cell again
and says which figures are not what they were. The populations of the defaults are in `scripts/scorecard/hard_nulls.py`.
There coverage follows from the p-value, which is checked against the interval itself on one test set in twenty, and on
one in four where the models differ. The numbers are the same for any number of workers. Replicates: 499 per test set
(999 for the defaults, over folds and for boards of 20 models or more, 1,999 for smaller boards, 99 for random data).
Permutations of decisions count all arrangements up to 20,000 and draw 499 beyond. A test set without an item of a class
is refused, which rejects nothing; coverage is reported for the others (the study of real data counts it as not
covered).
"""
