"""Bootstrap, swaps, jackknife and Dirichlet draws of any data."""
