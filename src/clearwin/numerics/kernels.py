"""Compiled loops for scores: arrays in, arrays out, no words in them.

Items are sorted once for each model. A bootstrap replicate is a vector of integer weights, how often each item was
drawn; it is scanned in each model's order and never kept. Every replicate has a random state of its own, so the same
bits come out whoever runs which range of replicates. All loops release the GIL and none starts threads.
"""

from __future__ import annotations

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from clearwin.numerics.compiling import compiled

# items are drawn block by block: how many fall into each block is drawn first (multinomial), then where in the block.
# A block's counters fit the first-level cache, and a 64-bit random word gives four places in it
BLOCK_BITS = 14
BLOCK_SIZE = 1 << BLOCK_BITS
LANES = 64  # replicates whose totals are added up together, or stretches of a ranking that are scanned side by side
HEAVIEST_LANE = 1 << 17  # draws of a stretch below which its area, at most a quarter of their square, fits 32 bits


def block_sizes(n: int) -> list[int]:
    """Divide n items into full blocks and what is left in powers of two: there no random place is drawn in vain."""
    left = n % BLOCK_SIZE
    return [BLOCK_SIZE] * (n // BLOCK_SIZE) + [1 << bit for bit in range(BLOCK_BITS, -1, -1) if left >> bit & 1]


AUC, PARTIAL_AUC, AVERAGE_PRECISION, EER, MIN_DCF, BREAK_EVEN = range(6)


@compiled(inline="always")
def _rotated(x, k):
    return (x << uint64(k)) | (x >> uint64(64 - k))


@compiled(inline="always")
def _next(s0, s1, s2, s3):
    """One step of xoshiro256++ (Blackman and Vigna 2019): a random word and the new state."""
    word = _rotated(s0 + s3, 23) + s0
    t = s1 << uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    return word, s0, s1, s2, _rotated(s3, 45)


@compiled()
def draw_weights(weights, first, sizes, totals, state):
    """Add ``totals[b]`` draws with replacement to the items of each block; exactly uniform within a block.

    Places beyond a block that is not full are drawn again.
    """
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for b in range(totals.size):
        size = sizes[b]
        block = weights[first[b] : first[b] + size]
        left = totals[b]
        mask = uint64(1)
        while mask < size:
            mask <<= uint64(1)
        full = mask == size
        mask -= uint64(1)
        while left > 0:
            word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
            if full and left >= 4:
                block[word & mask] += 1
                block[(word >> uint64(16)) & mask] += 1
                block[(word >> uint64(32)) & mask] += 1
                block[(word >> uint64(48)) & mask] += 1
                left -= 4
            else:
                for k in range(4):
                    place = (word >> uint64(16 * k)) & mask
                    if left > 0 and place < size:
                        block[place] += 1
                        left -= 1
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@compiled()
def draw_bits(bits, state):
    """Fill an array with fair 0s and 1s, and move the state on."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for start in range(0, bits.size, 64):
        word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
        for k in range(min(64, bits.size - start)):
            bits[start + k] = (word >> uint64(k)) & uint64(1)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3


@compiled()
def _by_feature(rows, starts, features, values, n_features):
    """Return where the entries of each feature start, and of each entry the place of its row and its value.

    Adding up feature by feature is twice as quick as row by row: no sum waits for the one before it.
    """
    at = np.zeros(n_features + 1, np.int64)
    for row in rows:
        for e in range(starts[row], starts[row + 1]):
            at[features[e] + 1] += 1
    for f in range(n_features):
        at[f + 1] += at[f]
    place, value, free = np.empty(at[-1], np.int32), np.empty(at[-1], values.dtype), at[:-1].copy()
    for j in range(rows.size):
        for e in range(starts[rows[j]], starts[rows[j] + 1]):
            f = features[e]
            place[free[f]], value[free[f]] = j, values[e]
            free[f] += 1
    return at, place, value


@compiled()
def _add_up(totals, times, at, place, value):
    for f in range(totals.size):
        total = 0 * totals[f]
        for e in range(at[f], at[f + 1]):
            total += times[place[e]] * value[e]
        totals[f] = total


@compiled()
def drawn_totals(first, sizes, totals, states, ends, rows, starts, features, values, n_features):
    """Return for every replicate (rows of ``totals``) what the units drawn into the blocks add to the features.

    Units with the same row lie together: those of rows[j] end before place ends[j]. Enough replicates are drawn at once
    that a unit's features are looked up once for all of them, and adding up takes whole vectors.
    """
    of_replicates = np.zeros((totals.shape[0], n_features), values.dtype)
    added = np.zeros((n_features, LANES), values.dtype)
    times = np.zeros(LANES, values.dtype)
    # a line of the cache longer than a block, for replicates a power of two apart would push each other out of it
    drawn = np.zeros((LANES, BLOCK_SIZE + 32), np.uint16)
    at_start = np.zeros(1, np.int64)
    for begin in range(0, totals.shape[0], LANES):
        many = min(LANES, totals.shape[0] - begin)
        added[:] = 0
        j = 0
        for b in range(sizes.size):
            start, size = first[b], sizes[b]
            drawn[:, :size] = 0
            for r in range(begin, begin + many):
                draw_weights(drawn[r - begin], at_start, sizes[b : b + 1], totals[r, b : b + 1], states[r])
            u = 0
            while u < size:
                while ends[j] <= start + u:
                    j += 1
                after = min(ends[j] - start, size)
                times[:] = 0
                for v in range(u, after):
                    for lane in range(LANES):
                        times[lane] += drawn[lane, v]
                u = after
                for e in range(starts[rows[j]], starts[rows[j] + 1]):
                    f, value = features[e], values[e]
                    for lane in range(LANES):
                        added[f, lane] += value * times[lane]
        of_replicates[begin : begin + many] = added[:, :many].T
    return of_replicates


@compiled(inline="always")
def _ones(x):
    """Return how many bits of a word are set: sums of pairs, of fours, of eights, then all bytes at once."""
    x -= (x >> uint64(1)) & uint64(0x5555555555555555)
    x = (x & uint64(0x3333333333333333)) + ((x >> uint64(2)) & uint64(0x3333333333333333))
    x = (x + (x >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (x * uint64(0x0101010101010101)) >> uint64(56)


@compiled()
def swapped_totals(states, times, starts, features, values, n_features):
    """Return for every replicate what the steps add, each taken as often as ``times`` fair coins show heads."""
    changes = np.zeros((states.shape[0], n_features), np.int64)
    moved = np.zeros(times.size, np.int64)
    at, place, value = _by_feature(np.arange(times.size), starts, features, values, n_features)
    for r in range(states.shape[0]):
        s0, s1, s2, s3 = states[r, 0], states[r, 1], states[r, 2], states[r, 3]
        word, left = uint64(0), 0
        for j in range(times.size):
            heads, wanted = 0, times[j]
            while wanted > 0:
                if left == 0:
                    word, s0, s1, s2, s3 = _next(s0, s1, s2, s3)
                    left = 64
                taken = min(wanted, left)
                heads += np.int64(_ones(word & (~uint64(0) >> uint64(64 - taken))))
                word = word >> uint64(taken) if taken < 64 else uint64(0)
                left -= taken
                wanted -= taken
            moved[j] = heads
        _add_up(changes[r], moved, at, place, value)
    return changes


@compiled()
def _auc(weights, positive, last):
    """Twice the area in whole numbers, ties at one half, over twice the product of the class sizes."""
    tp, fp, area, gained, lost = 0, 0, 0, 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]  # whole numbers stay such, and so do fractions
        p = w * positive[i]
        gained += p
        lost += w - p
        if last[i]:
            area += lost * (2 * tp + gained)
            tp += gained
            fp += lost
            gained = lost = 0
    return area / (2.0 * tp * fp) if tp > 0 and fp > 0 else np.nan


def in_lanes(orders: NDArray[np.int32], positive: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Lay rankings without ties out for ``_auc_in_lanes``: items by model, row and lane, and 65,535 where positive.

    A lane is one of 64 stretches of a ranking, from top to bottom, and a row has one item of each. What is left of the
    last lanes has the place behind all items, whose weight is 0.
    """
    models, n = orders.shape
    rows = -(-n // LANES)
    places = np.full((models, LANES * rows), n, np.uint32)
    marks = np.zeros((models, LANES * rows), np.uint16)
    places[:, :n], marks[:, :n] = orders, np.where(positive, np.uint16(65_535), np.uint16(0))
    places, marks = (x.reshape(models, LANES, rows).transpose(0, 2, 1) for x in (places, marks))
    return np.ascontiguousarray(places), np.ascontiguousarray(marks)


@compiled()
def _auc_in_lanes(weights, places, marks, row, tp, fp, area):
    """Return the area of whole weights without ties, the same number as ``_auc``; −1 where a lane is too heavy for it.

    The lanes are added up on their own, in 32 bits and by whole vectors, and put together then: a lane's negative items
    lie below all positive ones of the lanes before it. ``row``, ``tp``, ``fp`` and ``area`` are room to work in.
    """
    tp[:], fp[:], area[:] = 0, 0, 0
    for k in range(places.shape[0]):
        place, mark = places[k], marks[k]
        for lane in range(LANES):
            row[lane] = weights[place[lane]]
        for lane in range(LANES):
            lost = np.uint32(row[lane] & ~mark[lane])
            tp[lane] += np.uint32(row[lane] & mark[lane])
            fp[lane] += lost
            area[lane] += lost * tp[lane]
    all_tp, all_fp, twice = 0, 0, 0
    for lane in range(LANES):
        mine, lost = np.int64(tp[lane]), np.int64(fp[lane])
        if mine + lost >= HEAVIEST_LANE:
            return -1.0
        twice += 2 * (np.int64(area[lane]) + lost * all_tp)
        all_tp += mine
        all_fp += lost
    return twice / (2.0 * all_tp * all_fp) if all_tp > 0 and all_fp > 0 else np.nan


@compiled()
def _partial_auc(weights, positive, last, positives, negatives, max_fpr):
    """Area up to a false positive rate, standardised so that chance is 1/2 and perfection 1 (McClish 1989)."""
    end = max_fpr * negatives
    tp, fp, area, gained, lost = 0.0, 0.0, 0.0, 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        p = w * positive[i]
        gained += p
        lost += w - p
        if last[i]:
            if lost > 0 and fp < end:
                share = min(1.0, (end - fp) / lost)
                area += share * lost * (tp + share * gained / 2.0)
            tp += gained
            fp += lost
            gained = lost = 0
            if fp >= end:
                break
    area /= positives * negatives
    least = max_fpr * max_fpr / 2.0
    return 0.5 * (1.0 + (area - least) / (max_fpr - least))


@compiled()
def _average_precision(weights, positive, last, positives):
    tp, accepted, total, gained = 0, 0, 0.0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        gained += w * positive[i]
        accepted += w
        if last[i] and gained > 0:
            tp += gained
            total += gained * (tp / accepted)
            gained = 0
    return total / positives


@compiled()
def _eer(weights, positive, last, positives, negatives):
    """Where the ROC polyline, straight across ties, meets false acceptance = false rejection."""
    tp, fp, gained, lost = 0, 0, 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        p = w * positive[i]
        gained += p
        lost += w - p
        if last[i] and gained + lost > 0:
            if (tp + gained) / positives + (fp + lost) / negatives >= 1.0:
                step = gained / positives + lost / negatives
                share = (1.0 - tp / positives - fp / negatives) / step
                return fp / negatives + share * lost / negatives
            tp += gained
            fp += lost
            gained = lost = 0
    return 1.0


@compiled()
def _min_dcf(weights, positive, last, positives, negatives, miss, alarm):
    """The lowest of miss · (1 − tpr) + alarm · fpr over all thresholds."""
    best = miss
    tp, fp, gained, lost = 0, 0, 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        p = w * positive[i]
        gained += p
        lost += w - p
        if last[i]:
            tp += gained
            fp += lost
            gained = lost = 0
            cost = miss * (positives - tp) / positives + alarm * fp / negatives
            best = min(best, cost)
    return best


@compiled()
def _break_even(weights, positive, last, positives):
    """Precision = recall where as many are accepted as are positive; within a tie, by its share."""
    tp, accepted, gained, group = 0, 0, 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        gained += w * positive[i]
        group += w
        if last[i] and group > 0:
            if accepted + group >= positives:
                return (tp + gained * ((positives - accepted) / group)) / positives
            tp += gained
            accepted += group
            gained = group = 0
    return 1.0


@compiled()
def scan(which, weights, positive, last, options):
    """Return one measure of one weighting, nan where a class has no weight."""
    if which == AUC:  # the only one that need not know the class sizes beforehand
        return _auc(weights, positive, last)
    positives, total = 0, 0
    for i in range(weights.size):
        w = 1 * weights[i]
        positives += w * positive[i]
        total += w
    negatives = total - positives
    if positives == 0 or negatives == 0:
        return np.nan
    if which == PARTIAL_AUC:
        return _partial_auc(weights, positive, last, positives, negatives, options[0])
    if which == AVERAGE_PRECISION:
        return _average_precision(weights, positive, last, positives)
    if which == EER:
        return _eer(weights, positive, last, positives, negatives)
    if which == MIN_DCF:
        return _min_dcf(weights, positive, last, positives, negatives, options[0], options[1])
    return _break_even(weights, positive, last, positives)


@compiled()
def bootstrap_scans(which, options, first, sizes, totals, states, orders, positive, last, unit, each, places, marks):
    """Return the measure of every model (rows of ``orders``) for every replicate (rows of ``totals``).

    ``unit`` has each item's group, which is drawn whole; it is empty where items are drawn themselves. ``each`` has
    what an item weighs whenever it is drawn; it is empty, and of the type of a counter, where that is 1.
    ``places`` and ``marks`` are the rankings ``in_lanes``, for the area only; they are empty where one has ties or
    items weigh something.
    Weights are put in a model's order first and scanned then: two plain loops are quicker than one that jumps about.
    """
    models, n = orders.shape
    drawn = np.zeros(n + 1, np.uint16)  # the last one is never drawn
    row = np.zeros(LANES, np.uint16)
    tp, fp, area = np.zeros(LANES, np.uint32), np.zeros(LANES, np.uint32), np.zeros(LANES, np.uint32)
    of_units = np.zeros(sizes.sum() if unit.size else 0, np.uint16)
    weights, sorted_weights = np.zeros(n, each.dtype), np.zeros(n, each.dtype)
    values = np.empty((models, totals.shape[0]))
    in_place = np.empty(models, np.bool_)
    for m in range(models):
        in_place[m] = (orders[m] == np.arange(n)).all()
    for r in range(totals.shape[0]):
        if unit.size:
            of_units[:] = 0
            draw_weights(of_units, first, sizes, totals[r], states[r])
            for i in range(n):
                drawn[i] = of_units[unit[i]]
        else:
            drawn[:] = 0
            draw_weights(drawn, first, sizes, totals[r], states[r])
        done = 0
        while done < places.shape[0]:
            values[done, r] = _auc_in_lanes(drawn, places[done], marks[done], row, tp, fp, area)
            if values[done, r] == -1.0:
                break
            done += 1
        if done == models:
            continue
        for i in range(n):
            weights[i] = drawn[i] * each[i] if each.size else drawn[i]
        for m in range(done, models):
            if in_place[m]:
                values[m, r] = scan(which, weights, positive[m], last[m], options)
            else:
                order = orders[m]
                for i in range(n):
                    sorted_weights[i] = weights[order[i]]
                values[m, r] = scan(which, sorted_weights, positive[m], last[m], options)
    return values


@compiled()
def swapped_scans(which, options, states, item, from_b, positive, last, coins):
    """Return the measures of A and B after swapping their ranks on each item by a fair coin.

    ``coins`` has the coins of every replicate where these are given and not drawn; else it has no rows.
    The 2n ranks of both models are sorted together once; an entry belongs to A or B by its item's coin.
    """
    entries = item.size
    bits = np.zeros(entries // 2, np.uint8)
    mine = np.zeros(entries, np.uint16)
    replicates = max(states.shape[0], coins.shape[0])
    values = np.empty((2, replicates))
    for r in range(replicates):
        if coins.shape[0]:
            bits[: coins.shape[1]] = coins[r]
        else:
            draw_bits(bits, states[r])
        for i in range(entries):
            mine[i] = 1 - (from_b[i] ^ bits[item[i]])
        values[0, r] = scan(which, mine, positive, last, options)
        for i in range(entries):
            mine[i] = 1 - mine[i]
        values[1, r] = scan(which, mine, positive, last, options)
    return values


@compiled()
def leave_out_scans(which, options, groups, n_groups, order, positive, last):
    """Return the measure of one model without each group of items."""
    weights = np.ones(order.size, np.uint16)
    values = np.empty(n_groups)
    for g in range(n_groups):
        for i in range(order.size):
            weights[i] = 0 if groups[order[i]] == g else 1
        values[g] = scan(which, weights, positive, last, options)
    return values
