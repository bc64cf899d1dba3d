"""Rankings as the CUDA kernels read them; that these agree with the compiled loops, scripts/bench.py device shows."""

import numpy as np
import pytest

from clearwin.numerics import cuda_kernels


@pytest.mark.parametrize("distinct", [1, 7, 5_000])
@pytest.mark.parametrize("n", [3, 1_000, 20_000])
def test_threads_read_the_whole_ranking_in_stretches_of_whole_ties(n, distinct):
    stream = np.random.RandomState(n + distinct)
    scores = np.sort(stream.randint(0, distinct, size=n))
    last = np.append(np.diff(scores) != 0, True)
    units, positive = stream.permutation(n), stream.random_sample(n) < 0.3
    columns = cuda_kernels.entries_of(units, positive, last).T
    read = [column[column != cuda_kernels.NOBODY] for column in columns]
    entries = np.concatenate(read)
    assert (entries & np.uint32(cuda_kernels.MOST_UNITS)).tolist() == units.tolist()
    assert (entries >> np.uint32(31) != 0).tolist() == positive.tolist()
    assert (entries >> np.uint32(30) & np.uint32(1) != 0).tolist() == last.tolist()
    # a thread ends with the last of a tie, and is filled up behind it only
    assert all(column[-1] >> np.uint32(30) & np.uint32(1) for column in read if column.size)
    assert all((np.diff((column == cuda_kernels.NOBODY).astype(int)) >= 0).all() for column in columns)


def test_threads_share_the_work():
    last = np.ones(100_000, dtype=bool)
    columns = cuda_kernels.entries_of(np.arange(last.size), last, last)
    assert columns.shape == (98, cuda_kernels.THREADS)  # 100,000 / 1,024, rounded up
