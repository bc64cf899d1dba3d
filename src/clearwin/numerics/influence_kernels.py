"""Compiled loops for the influence of items on measures of ranking: arrays in, arrays out, no words in them.

Items stand in a model's order, highest score first, with weights that may be fractions. ``out`` gets n ∂value/∂weight
of every item: how fast the value grows with the item's share. Weighted by the items it sums to 0, as every measure of
ranking is a formula on shares.
"""

from __future__ import annotations

import math

import numpy as np
from numba import int64, uint64

from clearwin.numerics.compiling import compiled
from clearwin.numerics.kernels import AUC, AVERAGE_PRECISION, EER, MIN_DCF, PARTIAL_AUC, _next, scan

LANES = 16  # rows of weights that are added up together: their features' totals fit the first-level cache
NARROWEST, WIDEST = 0.05, 0.5  # the stretch of TPR + FPR, or of the ranking, over which a slope is taken


@compiled()
def _auc(weights, positive, last, positives, negatives, out):
    """DeLong's placements: for a positive the share of negatives below it, for a negative of positives above."""
    above_p, above_n, p, q, start, area = 0.0, 0.0, 0.0, 0.0, 0, 0.0
    for i in range(weights.size):
        p += weights[i] * positive[i]
        q += weights[i] * (1 - positive[i])
        if last[i]:
            better = (above_p + p / 2.0) / positives
            beaten = (negatives - above_n - q / 2.0) / negatives
            for j in range(start, i + 1):
                out[j] = beaten if positive[j] else better
            area += p * beaten
            above_p += p
            above_n += q
            p = q = 0.0
            start = i + 1
    area /= positives
    n = positives + negatives
    for i in range(weights.size):
        out[i] = (out[i] - area) * n / (positives if positive[i] else negatives)
    return area


@compiled()
def _partial_auc(weights, positive, last, positives, negatives, max_fpr, out):
    """Return the standardised area up to a false positive rate.

    A positive adds what it beats among the negatives accepted by then. A negative among them adds the positives above
    it, less what it pushes out at the end: the true positive rate there.
    """
    end = max_fpr * negatives
    tp, fp, area, p, q, start = 0.0, 0.0, 0.0, 0.0, 0.0, 0
    at_end = 1.0  # the true positive rate where the stretch ends
    for i in range(weights.size):
        p += weights[i] * positive[i]
        q += weights[i] * (1 - positive[i])
        if last[i]:
            share = 1.0 if q <= 0.0 else min(1.0, max(0.0, (end - fp) / q))
            half = tp + share * p / 2.0
            if fp < end:
                area += share * q * half / (positives * negatives)
                if fp + q >= end:
                    at_end = (tp + share * p) / positives
            for j in range(start, i + 1):
                # negatives that lie below the item and inside the stretch, and positives above it
                below = max(0.0, end - fp - share * q + share * share * q / 2.0) / negatives
                out[j] = below if positive[j] else share * half / positives
            tp += p
            fp += q
            p = q = 0.0
            start = i + 1
    n = positives + negatives
    scale = 0.5 / (max_fpr - max_fpr * max_fpr / 2.0)
    fp, q, start = 0.0, 0.0, 0
    for i in range(weights.size):
        q += weights[i] * (1 - positive[i])
        if last[i]:
            share = 1.0 if q <= 0.0 else min(1.0, max(0.0, (end - fp) / q))
            for j in range(start, i + 1):
                if positive[j]:
                    out[j] = (out[j] - area) * n / positives * scale
                else:
                    out[j] = (out[j] - area - at_end * (share - max_fpr)) * n / negatives * scale
            fp += q
            q = 0.0
            start = i + 1
    least = max_fpr * max_fpr / 2.0
    return 0.5 * (1.0 + (area - least) / (max_fpr - least))


@compiled()
def _average_precision(weights, positive, last, positives, out):
    """Return Σ gained · precision over groups of equal scores; an item moves the precisions from its group on."""
    n, tp, accepted, gained, group, total = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(weights.size):
        n += weights[i]
        gained += weights[i] * positive[i]
        group += weights[i]
        if last[i]:
            tp += gained
            accepted += group
            if accepted > 0.0:
                total += gained * tp / accepted
            gained = group = 0.0
    value = total / positives
    # from below: what one more hit, and one more accepted item, do to the precisions from here on
    by_hit, by_item, end = 0.0, 0.0, weights.size - 1
    gained = group = 0.0
    start = end
    while end >= 0:
        start, gained, group = end, 0.0, 0.0
        while True:
            gained += weights[start] * positive[start]
            group += weights[start]
            if start == 0 or last[start - 1]:
                break
            start -= 1
        if accepted > 0.0:
            by_hit += gained / accepted
            by_item += gained * tp / accepted**2
        precision = tp / accepted if accepted > 0.0 else 0.0
        for j in range(start, end + 1):
            out[j] = ((precision + by_hit - value) * positive[j] - by_item) * n / positives
        tp -= gained
        accepted -= group
        end = start - 1
    return value


@compiled()
def _eer(weights, positive, last, positives, negatives, out):
    """Return where false acceptance meets false rejection; their slopes there say what either error rate weighs."""
    n = positives + negatives
    smaller = min(positives, negatives)
    near = min(WIDEST, max(NARROWEST, 1.0 / math.sqrt(smaller)))
    tp, fp, p, q, value = 0.0, 0.0, 0.0, 0.0, 1.0
    at, share_of_group, first = weights.size, 1.0, 0
    of_p, of_n = 0.0, 0.0
    start = 0
    crossed = False
    for i in range(weights.size):
        p += weights[i] * positive[i]
        q += weights[i] * (1 - positive[i])
        if last[i]:
            before = tp / positives + fp / negatives
            after = before + p / positives + q / negatives
            if not crossed and after >= 1.0 and after > before:
                crossed = True
                share_of_group = (1.0 - before) / (after - before)
                value = (fp + share_of_group * q) / negatives
                first, at = start, i
            inside = min(after, 1.0 + near) - max(before, 1.0 - near)
            if inside > 0.0:
                of_p += p / positives * inside / (after - before)
                of_n += q / negatives * inside / (after - before)
            tp += p
            fp += q
            p = q = 0.0
            start = i + 1
    weigh = of_n / (of_p + of_n) if of_p + of_n > 0.0 else 0.5
    for i in range(weights.size):
        accepted = 1.0 if i < first else (share_of_group if i <= at else 0.0)
        if positive[i]:
            out[i] = weigh * (1.0 - accepted - value) * n / positives
        else:
            out[i] = (1.0 - weigh) * (accepted - value) * n / negatives
    return value


@compiled()
def _min_dcf(weights, positive, last, positives, negatives, miss, alarm, out):
    """Return the lowest cost; by the envelope theorem the threshold's own movement does not count."""
    best, at, tp, fp, p, q = miss, -1, 0.0, 0.0, 0.0, 0.0
    for i in range(weights.size):
        p += weights[i] * positive[i]
        q += weights[i] * (1 - positive[i])
        if last[i]:
            tp += p
            fp += q
            p = q = 0.0
            cost = miss * (positives - tp) / positives + alarm * fp / negatives
            if cost < best:
                best, at = cost, i
    n, missed, alarmed = positives + negatives, positives, 0.0
    for i in range(at + 1):
        missed -= weights[i] * positive[i]
        alarmed += weights[i] * (1 - positive[i])
    missed /= positives
    alarmed /= negatives
    for i in range(weights.size):
        if positive[i]:
            out[i] = miss * ((i > at) - missed) * n / positives
        else:
            out[i] = alarm * ((i <= at) - alarmed) * n / negatives
    return best


@compiled()
def _break_even(weights, positive, last, positives, out):
    """Return precision = recall; an item more or less moves the end of the accepted, where precision is local."""
    n = weights.sum()
    near = min(WIDEST, max(NARROWEST, 1.0 / math.sqrt(positives))) * positives
    accepted, tp, gained, group, value = 0.0, 0.0, 0.0, 0.0, 1.0
    at, share_of_group, first, start, reached = weights.size, 1.0, 0, 0, False
    hits, around = 0.0, 0.0
    for i in range(weights.size):
        gained += weights[i] * positive[i]
        group += weights[i]
        if last[i]:
            if not reached and accepted + group >= positives and group > 0.0:
                reached = True
                share_of_group = (positives - accepted) / group
                value = (tp + share_of_group * gained) / positives
                first, at = start, i
            inside = min(accepted + group, positives + near) - max(accepted, positives - near)
            if inside > 0.0:
                hits += gained * inside / group
                around += inside
            tp += gained
            accepted += group
            gained = group = 0.0
            start = i + 1
    local = hits / around if around > 0.0 else value
    for i in range(weights.size):
        taken = 1.0 if i < first else (share_of_group if i <= at else 0.0)
        out[i] = (taken * positive[i] - value * positive[i] - local * (taken - positive[i])) * n / positives
    return value


@compiled()
def influence(which, options, weights, positive, last, out):
    """Return a measure of one weighting and put every item's influence into ``out``; nan where a class is empty."""
    positives, total = 0.0, 0.0
    for i in range(weights.size):
        positives += weights[i] * positive[i]
        total += weights[i]
    negatives = total - positives
    if positives <= 0.0 or negatives <= 0.0:
        out[:] = 0.0
        return np.nan
    if which == AUC:
        return _auc(weights, positive, last, positives, negatives, out)
    if which == PARTIAL_AUC:
        return _partial_auc(weights, positive, last, positives, negatives, options[0], out)
    if which == AVERAGE_PRECISION:
        return _average_precision(weights, positive, last, positives, out)
    if which == EER:
        return _eer(weights, positive, last, positives, negatives, out)
    if which == MIN_DCF:
        return _min_dcf(weights, positive, last, positives, negatives, options[0], options[1], out)
    return _break_even(weights, positive, last, positives, out)


@compiled()
def _add_influence(which, options, weights, extra, orders, positive, last, signs, ordered, out, moved):
    """Put every item's influence on the sum of all models' values times ``signs`` into ``moved``; return the sum."""
    models, n = orders.shape
    value = 0.0
    moved[:] = 0.0
    for m in range(models):
        order = orders[m]
        for i in range(n):
            ordered[i] = weights[order[i]] + extra[order[i]]
        value += signs[m] * influence(which, options, ordered, positive[m], last[m], out)
        for i in range(n):
            moved[order[i]] += signs[m] * out[i]
    return value


@compiled()
def value_and_influence(which, options, weights, orders, positive, last, signs):
    """Return the sum of the models' values times ``signs`` for one weighting, and every item's influence on it."""
    n = orders.shape[1]
    moved = np.empty(n)
    none, ordered, out = np.zeros(n), np.empty(n), np.empty(n)
    value = _add_influence(which, options, weights, none, orders, positive, last, signs, ordered, out, moved)
    return value, moved


@compiled()
def aliases(shares):
    """Return Walker's alias table (1977): a place keeps the part ``kept`` of an even share for itself.

    ``goes_to`` has two columns: where the rest of the share goes, and the place itself.
    """
    n = shares.size
    kept, goes_to = shares * (n / shares.sum()), np.empty((n, 2), np.int64)
    for i in range(n):
        goes_to[i] = i
    waiting = np.empty(n, np.int64)
    small, large = 0, n  # places below an even share wait from the left, the others from the right
    for i in range(n):
        if kept[i] < 1.0:
            waiting[small] = i
            small += 1
        else:
            large -= 1
            waiting[large] = i
    while small > 0 and large < n:
        small -= 1
        little, much = waiting[small], waiting[large]
        goes_to[little, 0] = much
        kept[much] -= 1.0 - kept[little]
        if kept[much] < 1.0:
            large += 1
            waiting[small] = much
            small += 1
    for i in range(small):  # what rounding left over
        kept[waiting[i]] = 1.0
    return kept, goes_to


@compiled()
def drawn_weights(kept, goes_to, size, states):
    """Return how often each unit (columns) is among ``size`` draws; every row has a random state of its own."""
    n = kept.size
    weights = np.zeros((states.shape[0], n), np.float64)
    for r in range(states.shape[0]):
        s0, s1, s2, s3 = states[r, 0], states[r, 1], states[r, 2], states[r, 3]
        drawn = weights[r]
        for _ in range(size):
            word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
            # signed integers become floats in one step, unsigned ones are not asked whether they count from the end
            u = n * (int64(word >> uint64(11)) * (1.0 / 9007199254740992.0))
            below = int64(u)
            place = uint64(below)
            own = uint64(u - below < kept[place])  # looked up: a branch would be guessed wrong
            drawn[uint64(goes_to[place, own])] += 1.0
    return weights


@compiled()
def weighted_scans(which, options, weights, extra, orders, positive, last, signs):
    """Return values and standard errors for rows of whole weights; without items of a class the value is nan."""
    models, n = orders.shape
    in_order, ordered, out, moved = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    values_and_errors = np.empty((2, weights.shape[0]))
    for r in range(weights.shape[0]):
        drawn = weights[r]
        value = 0.0
        for m in range(models):
            for i in range(n):
                in_order[i] = drawn[orders[m, i]]
            value += signs[m] * scan(which, in_order, positive[m], last[m], options)
        _add_influence(which, options, drawn, extra, orders, positive, last, signs, ordered, out, moved)
        total, variance = 0.0, 0.0
        for i in range(n):
            w = drawn[i] + extra[i]
            total += w
            variance += w * moved[i] * moved[i]
        values_and_errors[0, r] = value
        values_and_errors[1, r] = math.sqrt(max(variance, 1e-300)) / total
    return values_and_errors


@compiled()
def unit_totals(weights, starts, features, values, n_features):
    """Return what units of these weights (columns) add to the features, for every row of weights.

    Several rows are added up side by side, by whole vectors.
    """
    of_replicates = np.zeros((weights.shape[0], n_features))
    totals, times = np.empty((n_features, LANES)), np.zeros(LANES)
    for begin in range(0, weights.shape[0], LANES):
        many = min(LANES, weights.shape[0] - begin)
        totals[:] = 0.0
        for u in range(weights.shape[1]):
            for lane in range(many):
                times[lane] = weights[begin + lane, u]
            for e in range(starts[u], starts[u + 1]):
                f, value = features[e], values[e]
                for lane in range(LANES):
                    totals[f, lane] += times[lane] * value
        of_replicates[begin : begin + many] = totals[:, :many].T
    return of_replicates


@compiled()
def unit_errors(weights, extra, starts, features, values, slopes):
    """Return the standard error for every row of weights from the slope along each feature: √Σ w (h − mean of h)².

    Several rows are added up side by side, by whole vectors.
    """
    errors = np.empty(weights.shape[0])
    slope, times, h = np.zeros((slopes.shape[1], LANES)), np.zeros(LANES), np.empty(LANES)
    total, first, second = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for begin in range(0, weights.shape[0], LANES):
        many = min(LANES, weights.shape[0] - begin)
        slope[:, :many] = slopes[begin : begin + many].T
        total[:], first[:], second[:] = 0.0, 0.0, 0.0
        for u in range(weights.shape[1]):
            for lane in range(many):
                times[lane] = weights[begin + lane, u]
            h[:] = 0.0
            for e in range(starts[u], starts[u + 1]):
                f, value = features[e], values[e]
                for lane in range(LANES):
                    h[lane] += value * slope[f, lane]
            for lane in range(LANES):
                w = times[lane] + extra[u]
                total[lane] += w
                first[lane] += w * h[lane]
                second[lane] += w * h[lane] * h[lane]
        for lane in range(many):
            errors[begin + lane] = math.sqrt(max(second[lane] - first[lane] * first[lane] / total[lane], 1e-300))
    return errors


@compiled()
def values_and_influences(which, options, weights, order, positive, last):
    """Return one model's value on every weighting (rows), and every item's influence on it."""
    replicates, n = weights.shape
    values, moved = np.empty(replicates), np.empty((replicates, n))
    ordered, out = np.empty(n), np.empty(n)
    for r in range(replicates):
        for i in range(n):
            ordered[i] = weights[r, order[i]]
        values[r] = influence(which, options, ordered, positive, last, out)
        for i in range(n):
            moved[r, order[i]] = out[i]
    return values, moved


@compiled()
def pair_squares(moved, weights, parts, pairs):
    """Return Σ w (h_b − h_a)² of every pair and replicate.

    ``moved`` has the influence values h of every model, unit and replicate: after the units parts of items that are
    right, then those that are wrong; for a pair a part is right for one and wrong for the other.
    """
    units, replicates = weights.shape
    half = parts.size // 2
    squares = np.zeros((pairs.shape[0], replicates))
    for p in range(pairs.shape[0]):
        a, b = pairs[p]
        for u in range(units):
            for r in range(replicates):
                gap = moved[b, u, r] - moved[a, u, r]
                squares[p, r] += weights[u, r] * gap * gap
        for c in range(half):
            right, wrong = units + c, units + half + c
            for r in range(replicates):
                gain = moved[b, right, r] - moved[a, wrong, r]
                other = moved[b, wrong, r] - moved[a, right, r]
                squares[p, r] += parts[c] * (gain * gain + other * other)
    return squares
