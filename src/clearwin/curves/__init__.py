"""Curves of scores as plain records: operating points, ROC, DET, precision–recall, costs, pairs, bands. No drawing."""
