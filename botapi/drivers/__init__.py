"""Drivers: how a question reaches a bot and how its answer, or the lack of one, comes back.

A driver measures and transports. What an answer means (clocks, faults, the default action) is decided by the
match.
"""
