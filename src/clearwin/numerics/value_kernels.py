"""Compiled loops for per-item values: arrays in, arrays out, no words in them.

A unit is an item or a whole group of items. Replicates draw or flip units; all loops release the GIL and none starts
threads, and every replicate has a random state of its own (``kernels.py``).
"""

from __future__ import annotations

import numpy as np

from clearwin.numerics.compiling import compiled
from clearwin.numerics.kernels import draw_bits, draw_weights

MAGNITUDE = 2**63 - 1  # the bits of a float without its sign
ROUNDING = 1e-12  # a standard error below this part of the differences' size is the rounding error of a 0


@compiled()
def sign_flip_distribution(steps, plus):
    """Return P(K = k) for k = 0 … sum of steps, where K adds each step with its probability ``plus``.

    One step after the other; every probability is a sum of products of positive numbers, so none loses its digits.
    """
    last = steps.sum()
    now = np.zeros(last + 1)
    new = np.zeros(last + 1)
    now[0] = 1.0
    top = 0
    for i in range(steps.size):
        step, p = steps[i], plus[i]
        q = 1.0 - p
        for k in range(top + 1):
            new[k] = now[k] * q
        for k in range(top + 1, top + step + 1):
            new[k] = 0.0
        for k in range(top + 1):
            new[k + step] += now[k] * p
        top += step
        now, new = new, now
    return now


@compiled()
def flipped_sums(states, steps):
    """Return the sum of all steps, each with the sign of a fair coin, for every replicate."""
    bits = np.zeros(steps.size, np.uint8)
    sums = np.empty(states.shape[0])
    for r in range(states.shape[0]):
        draw_bits(bits, states[r])
        total = 0.0
        for i in range(steps.size):
            total += steps[i] if bits[i] else -steps[i]
        sums[r] = total
    return sums


@compiled()
def _error(weights, sums, counts, mean, total, first):
    """The standard error of a mean of units with these weights, centred within strata.

    ``first`` has where each stratum starts, and the number of units last.
    """
    variance, size = 0.0, 0.0
    for h in range(first.size - 1):
        drawn, middle, square = 0, 0.0, 0.0
        for g in range(first[h], first[h + 1]):
            w = np.int64(weights[g])
            drawn += w
            middle += w * (sums[g] - counts[g] * mean)
            size += w * abs(sums[g])
        middle /= drawn
        for g in range(first[h], first[h + 1]):
            gap = sums[g] - counts[g] * mean - middle
            square += np.int64(weights[g]) * gap * gap
        variance += square * drawn / (drawn - 1.0)
    error = np.sqrt(variance) / total
    return error if error > ROUNDING * size / total else 0.0


@compiled()
def standard_error(sums, counts, first):
    """Return the standard error of Σ sums / Σ counts over units, each counted once."""
    total = np.float64(counts.sum())
    return _error(np.ones(sums.size, np.uint16), sums, counts, sums.sum() / total, total, first)


@compiled()
def bootstrap_means(first, sizes, totals, states, each, sums, counts, target, strata):
    """Return the means of every model (rows of ``sums``) for every replicate, and the standard error of ``target``.

    ``each`` is what a unit weighs whenever it is drawn; it is empty, and of the type of a counter, where that is 1.
    Without a target (an empty array) there are no standard errors.
    """
    models, units = sums.shape
    drawn, weights = np.zeros(units, np.uint16), np.zeros(units, each.dtype)
    values = np.zeros((models + 1, totals.shape[0]))
    for r in range(totals.shape[0]):
        drawn[:] = 0
        draw_weights(drawn, first, sizes, totals[r], states[r])
        n = 0.0
        for g in range(units):
            weights[g] = drawn[g] * each[g] if each.size else drawn[g]
            n += weights[g] * counts[g]
        for m in range(models):
            total = 0.0
            for g in range(units):
                total += weights[g] * sums[m, g]
            values[m, r] = total / n
        if target.size > 0:
            total = 0.0
            for g in range(units):
                total += drawn[g] * target[g]
            values[models, r] = _error(drawn, target, counts, total / n, n, strata)
    return values


@compiled()
def trimmed_mean(ordered, weights, share):
    """Return the mean of rising values without the lowest and the highest ``share`` of the weighted sample."""
    n = 0.0
    for i in range(weights.size):
        n += weights[i]
    cut = min(np.floor(share * n + 1e-9), max(np.ceil(n / 2.0) - 1.0, 0.0))
    # first what is cut, then what is kept whole: asking of every value how much of it is kept would take three times
    # as long
    total, seen, i = 0.0, 0.0, 0
    while i < weights.size and seen + weights[i] <= cut:
        seen += weights[i]
        i += 1
    while i < weights.size:
        after = seen + weights[i]
        if after > n - cut:
            break
        total += (after - max(seen, cut)) * ordered[i]
        seen = after
        i += 1
    if i < weights.size:
        total += (n - cut - max(seen, cut)) * ordered[i]
    return total / (n - 2 * cut)


@compiled()
def bootstrap_trimmed_means(first, sizes, totals, states, each, ordered, unit, share):
    """Return the trimmed means of every model for every replicate; ``unit`` has the unit of each ordered value."""
    models, n = ordered.shape
    drawn = np.zeros(sizes.sum(), np.uint16)
    weights = np.zeros(n, each.dtype)
    values = np.empty((models, totals.shape[0]))
    for r in range(totals.shape[0]):
        drawn[:] = 0
        draw_weights(drawn, first, sizes, totals[r], states[r])
        for m in range(models):
            for i in range(n):
                weights[i] = drawn[unit[m, i]] * each[unit[m, i]] if each.size else drawn[unit[m, i]]
            values[m, r] = trimmed_mean(ordered[m], weights, share)
    return values


@compiled()
def flipped_trimmed_means(states, ordered, unit, from_b, n_units, share):
    """Return the trimmed means of A and B after swapping their values unit by unit with fair coins.

    The values of both models are sorted together once; each belongs to A or B by its unit's coin.
    """
    bits = np.zeros(n_units, np.uint8)
    mine = np.zeros(ordered.size, np.uint16)
    values = np.empty((2, states.shape[0]))
    for r in range(states.shape[0]):
        draw_bits(bits, states[r])
        for m in range(2):
            for i in range(ordered.size):
                mine[i] = 1 - (from_b[i] ^ bits[unit[i]]) if m == 0 else 1 - mine[i]
            values[m, r] = trimmed_mean(ordered, mine, share)
    return values


@compiled()
def leave_out_trimmed_means(ordered, part, n_parts, share):
    """Return the trimmed mean of one model without each part of its items."""
    weights = np.ones(ordered.size, np.uint16)
    values = np.empty(n_parts)
    for p in range(n_parts):
        for i in range(ordered.size):
            weights[i] = 0 if part[i] == p else 1
        values[p] = trimmed_mean(ordered, weights, share)
    return values


@compiled()
def largest_shares(weights, order, worse_before, better_from):
    """Count, for every pair (row), the draws of ``weights`` in which worse, equivalent and better is the largest share.

    ``order`` sorts the pair's values. The value at place i and those before ``worse_before[i]`` are worse together, it
    and those from ``better_from[i]`` on are better together.
    """
    pairs, n = order.shape
    counts = np.zeros((pairs, 3), dtype=np.int64)
    below = np.zeros(n + 1)  # weight of the first 0, 1, … values
    for draw in range(weights.shape[0]):
        for pair in range(pairs):
            for i in range(n):
                below[i + 1] = below[i] + weights[draw, order[pair, i]]
            total = below[n]
            worse = 0.0
            better = 0.0
            for i in range(n):
                weight = weights[draw, order[pair, i]]
                worse += weight * below[worse_before[pair, i]]
                better += weight * (total - below[better_from[pair, i]])
            equivalent = total * total - worse - better
            if better > max(worse, equivalent):
                counts[pair, 2] += 1
            elif worse > max(better, equivalent):
                counts[pair, 0] += 1
            else:
                counts[pair, 1] += 1
    return counts


@compiled()
def walsh_count(rising, most):
    """Return how many means of two of the values, each with itself too, are at most ``most``: 2n steps for n²/2."""
    count, j = 0, rising.size - 1
    for i in range(rising.size):
        while j >= i and (rising[i] + rising[j]) / 2.0 > most:
            j -= 1
        if j < i:
            break
        count += j - i + 1
    return count


@compiled()
def walsh_averages(rising, ranks):
    """Return the means of two of the values, each with itself too, that have these ranks (0 is the lowest).

    They are never listed. By their bits floats are in the order of whole numbers, so 64 steps of halving find each.
    """
    number = np.empty(1)
    bits = number.view(np.int64)
    averages = np.empty(ranks.size)
    for k in range(ranks.size):
        number[0] = rising[0]
        low = bits[0] if bits[0] >= 0 else -(bits[0] & MAGNITUDE)
        number[0] = rising[-1]
        high = bits[0] if bits[0] >= 0 else -(bits[0] & MAGNITUDE)
        while low < high:
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            bits[0] = abs(middle)
            if middle < 0:
                number[0] = -number[0]
            if walsh_count(rising, number[0]) > ranks[k]:
                high = middle
            else:
                low = middle + 1
        bits[0] = abs(low)
        averages[k] = -number[0] if low < 0 else number[0]
    return averages
