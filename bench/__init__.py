"""Measurements: one module a bench, one JSON line a figure."""
