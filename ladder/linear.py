"""Symmetric positive definite systems in plain Python: just enough for a board of 60 to 300 nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

Matrix = list[list[float]]
"""Rows of a square matrix; of a triangular one each row ends at the diagonal."""


def cholesky(matrix: Matrix) -> Matrix:
    """Rows of the lower triangle L with L·Lᵀ = ``matrix`` (row i has i + 1 numbers).

    Raises ValueError when the matrix is not positive definite.
    """
    lower: Matrix = []
    for i, source in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            other = lower[j]
            row.append((source[j] - sum(map(mul, row, other))) / other[j])
        rest = source[i] - sum(map(mul, row, row))
        if rest <= 0:
            raise ValueError("the matrix is not positive definite")
        row.append(math.sqrt(rest))
        lower.append(row)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Solution x of L·Lᵀ·x = ``right``, L as :func:`cholesky` gives it."""
    size = len(lower)
    y: list[float] = []
    for row, value in zip(lower, right, strict=True):
        y.append((value - sum(map(mul, row, y))) / row[-1])
    x = y
    for i in range(size - 1, -1, -1):
        row = lower[i]
        x[i] /= row[i]
        for j in range(i):
            x[j] -= row[j] * x[i]
    return x


def inverse(matrix: Matrix) -> Matrix:
    """Inverse of a symmetric positive definite matrix: M⁻¹ = L⁻ᵀ·L⁻¹."""
    size = len(matrix)
    lower = cholesky(matrix)
    columns: Matrix = []  # of L⁻¹, column k from row k downwards
    for k in range(size):
        column: list[float] = []
        for i in range(k, size):
            row = lower[i]
            unit = 1.0 if i == k else 0.0
            column.append((unit - sum(map(mul, row[k:i], column))) / row[i])
        columns.append(column)
    result = [[0.0] * size for _ in range(size)]
    for i in range(size):
        mine = columns[i]
        for j in range(i + 1):
            value = sum(map(mul, columns[j][i - j :], mine))
            result[i][j] = result[j][i] = value
    return result
