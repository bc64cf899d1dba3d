"""Tests of learners over folds."""
