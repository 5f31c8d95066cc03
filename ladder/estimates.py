"""An estimate of strength as pages and API show it: its 95 % interval and the ranks that the interval allows."""

from __future__ import annotations

from ladder.ratings import Z95


class Estimate:
    """What follows from a rating ``r`` with its standard deviation ``sd``, both in Elo, and from its ranks."""

    __slots__ = ()

    r: float
    sd: float
    rank_low: int | None
    rank_high: int | None

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.r - self.half

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.r + self.half

    @property
    def half(self) -> float:
        """Half the width of the 95 % interval."""
        return Z95 * self.sd

    @property
    def ranks(self) -> str:
        """The rank range as shown: "3-7", "3", or nothing for what is not ranked."""
        if self.rank_low is None:
            return ""
        return str(self.rank_low) if self.rank_low == self.rank_high else f"{self.rank_low}-{self.rank_high}"
