"""Bootstrap, swaps, jackknife and Dirichlet draws of any Sample."""

from clearwin.resampling import of_bins, of_counts, of_scores, of_values  # noqa: F401 - they say how theirs are drawn
