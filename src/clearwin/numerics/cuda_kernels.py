"""CUDA kernels for scores: items drawn block by block as the compiled loops of ``kernels`` draw them, then scanned.

One thread block draws one block of items of one replicate in shared memory: which item a draw falls on are 14 to 16
bits of Philox (Salmon and others 2011), a generator without a state, so every draw has its own counter. One thread
block scans one replicate in one model's order; every thread takes a stretch of whole ties, and what lies above it is
added afterwards. Sums are taken in a fixed order: the same seed gives the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearwin.numerics.arrays import Bools, Ints

THREADS = 1024  # that scan one replicate together
DRAWING = 256
LAST, POSITIVE, NOBODY = (
    np.uint32(1 << 30),
    np.uint32(1 << 31),
    np.uint32(2**32 - 1),
)  # in an entry of a ranking, above the number of its unit
MOST_UNITS = 2**30 - 1  # that a number in an entry can tell apart
FEWEST_SCORES = 4 * THREADS  # with fewer distinct ones most threads would have nothing to do

SOURCE = r"""
__device__ __forceinline__ uint4 philox(uint4 c, uint2 k) {
  #pragma unroll
  for (int i = 0; i < 10; i++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u; k.y += 0xBB67AE85u;
  }
  return c;
}

// how often each unit of a block of units was drawn; a block has a power of two of them, so no place is drawn in vain
extern "C" __global__ void draw(unsigned char* weights, long long n_units, const long long* first,
                                const long long* sizes, const long long* totals, int n_blocks,
                                unsigned key_low, unsigned key_high) {
  __shared__ unsigned counts[4096];
  int b = blockIdx.x; long long r = blockIdx.y;
  unsigned size = (unsigned)sizes[b], mask = size - 1; long long total = totals[r * n_blocks + b];
  for (int i = threadIdx.x; i < (int)((size + 3) / 4); i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (long long j = threadIdx.x; 8 * j < total; j += blockDim.x) {
    uint4 word = philox(make_uint4((unsigned)j, (unsigned)b, (unsigned)r, 0u), make_uint2(key_low, key_high));
    unsigned parts[4] = {word.x, word.y, word.z, word.w};
    #pragma unroll
    for (int k = 0; k < 8; k++) {
      unsigned place = (parts[k / 2] >> (16 * (k % 2))) & mask;
      if (8 * j + k < total) atomicAdd(&counts[place / 4], 1u << (8 * (place % 4)));
    }
  }
  __syncthreads();
  unsigned char* found = weights + r * n_units + first[b];
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) found[i] = (counts[i / 4] >> (8 * (i % 4))) & 255u;
}

#define AUC 0
#define PARTIAL_AUC 1
#define AVERAGE_PRECISION 2
#define EER 3
#define MIN_DCF 4
#define BREAK_EVEN 5
#define THREADS 1024

extern "C" __global__ void scan(const unsigned char* weights, long long n_units, const unsigned* entries, int steps,
                                const double* each, int has_each, int which, double first_option,
                                double second_option, double* values) {
  __shared__ double above_tp[THREADS], above_fp[THREADS], parts[THREADS];
  __shared__ double positives, negatives;
  const unsigned char* drawn = weights + (long long)blockIdx.x * n_units;
  int t = threadIdx.x;
  double tp = 0, fp = 0, area = 0, gained = 0, lost = 0;
  for (int k = 0; k < steps; k++) {
    unsigned e = entries[(long long)k * THREADS + t];
    if (e == 0xFFFFFFFFu) break;
    unsigned unit = e & 0x3FFFFFFFu;
    double w = drawn[unit];
    if (has_each) w *= each[unit];
    if (e >> 31) gained += w; else lost += w;
    if ((e >> 30) & 1u) { area += lost * (2 * tp + gained); tp += gained; fp += lost; gained = lost = 0; }
  }
  above_tp[t] = tp; above_fp[t] = fp; parts[t] = area;
  __syncthreads();
  if (t == 0) {
    double p = 0, q = 0, sum = 0;
    for (int i = 0; i < THREADS; i++) {
      double here_tp = above_tp[i], here_fp = above_fp[i];
      sum += parts[i] + 2 * p * here_fp;
      above_tp[i] = p; above_fp[i] = q;
      p += here_tp; q += here_fp;
    }
    positives = p; negatives = q;
    if (p == 0 || q == 0) values[blockIdx.x] = __longlong_as_double(0x7FF8000000000000LL);
    else if (which == AUC) values[blockIdx.x] = sum / (2.0 * p * q);
    else if (which == EER || which == BREAK_EVEN) values[blockIdx.x] = 1.0;
  }
  __syncthreads();
  double P = positives, N = negatives;
  if (which == AUC || P == 0 || N == 0) return;
  tp = above_tp[t]; fp = above_fp[t]; gained = lost = 0;
  double found = which == MIN_DCF ? first_option : 0.0, end = first_option * N;
  for (int k = 0; k < steps; k++) {
    unsigned e = entries[(long long)k * THREADS + t];
    if (e == 0xFFFFFFFFu) break;
    unsigned unit = e & 0x3FFFFFFFu;
    double w = drawn[unit];
    if (has_each) w *= each[unit];
    if (e >> 31) gained += w; else lost += w;
    if (!((e >> 30) & 1u)) continue;
    if (which == PARTIAL_AUC) {
      if (lost > 0 && fp < end) {
        double share = fmin(1.0, (end - fp) / lost);
        found += share * lost * (tp + share * gained / 2.0);
      }
    } else if (which == AVERAGE_PRECISION) {
      if (gained > 0) found += gained * ((tp + gained) / (tp + gained + fp + lost));
    } else if (which == EER) {
      if (gained + lost > 0 && tp / P + fp / N < 1.0 && (tp + gained) / P + (fp + lost) / N >= 1.0) {
        double share = (1.0 - tp / P - fp / N) / (gained / P + lost / N);
        values[blockIdx.x] = fp / N + share * lost / N;
      }
    } else if (which == MIN_DCF) {
      found = fmin(found, first_option * (P - tp - gained) / P + second_option * (fp + lost) / N);
    } else if (gained + lost > 0 && tp + fp < P && tp + fp + gained + lost >= P) {
      values[blockIdx.x] = (tp + gained * ((P - tp - fp) / (gained + lost))) / P;
    }
    tp += gained; fp += lost; gained = lost = 0;
  }
  if (which == EER || which == BREAK_EVEN) return;
  parts[t] = found;
  __syncthreads();
  if (t == 0) {
    double all = which == MIN_DCF ? first_option : 0.0;
    for (int i = 0; i < THREADS; i++) all = which == MIN_DCF ? fmin(all, parts[i]) : all + parts[i];
    if (which == PARTIAL_AUC) {
      double least = first_option * first_option / 2.0;
      all = 0.5 * (1.0 + (all / (P * N) - least) / (first_option - least));
    } else if (which == AVERAGE_PRECISION) all /= P;
    values[blockIdx.x] = all;
  }
}
"""


def entries_of(units: Ints, positive: Bools, last: Bools) -> NDArray[np.uint32]:
    """Return a ranking as the scan reads it: (steps, threads), each column a stretch of whole ties.

    ``units`` has the items' units in the model's order. An entry is the unit, with a bit for a positive and one for
    the last of a tie. Stretches that end early are filled up, so that all threads read next to each other.
    """
    n, ends = units.size, np.flatnonzero(last) + 1
    packed = units.astype(np.uint32) | POSITIVE * positive.astype(np.uint32) | LAST * last.astype(np.uint32)
    wanted = np.arange(THREADS + 1) * n // THREADS
    cuts = np.concatenate([[0], ends])[np.searchsorted(ends, wanted, side="left") + (wanted > 0)]
    cuts[-1] = n
    lengths = np.diff(cuts)
    columns = np.full((THREADS, max(int(lengths.max()), 1)), NOBODY, dtype=np.uint32)
    thread = np.repeat(np.arange(THREADS), lengths)
    columns[thread, np.arange(n) - np.repeat(cuts[:-1], lengths)] = packed
    return np.ascontiguousarray(columns.T)


def compiled(cupy: Any) -> tuple[Any, Any]:
    """Return the kernels that draw and scan, compiled for the device in use."""
    module = cupy.RawModule(code=SOURCE, options=("-std=c++17",))
    return module.get_function("draw"), module.get_function("scan")
