"""Reads what the queue stored."""

import json


def record_of(match):
    return json.loads(match.record.body)
