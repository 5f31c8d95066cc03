"""Numbers in addresses that fit the database: a longer one is no address."""

from __future__ import annotations

from django.urls.converters import IntConverter


class RowConverter(IntConverter):
    """A row's number, at most 18 digits."""

    regex = "[0-9]{1,18}"


class SeatConverter(IntConverter):
    """A seat's number."""

    regex = "[0-9]{1,2}"
