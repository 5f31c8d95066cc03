"""Formats of tournaments as pure functions: who plays whom, and who is ahead (ratings.md, "Tournaments").

Entrants are numbers. Whatever chance decides follows from the tournament's public lot, so that every draw can
be worked out again by anybody who has the same results.
"""
