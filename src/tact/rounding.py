"""Controlled rounding: scale a table of counts and keep both margins.

Each cell, each row total, each column total and the grand total become the floor or the ceiling of
their exact values (Cox, "A constructive procedure for unbiased controlled rounding", 1987,
doi:10.1080/01621459.1987.10478456; here without his coin: of the two ways around a cycle the
shorter is taken, so nothing is random).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Cell = tuple[int, int]
Table = list[list[Fraction]]


def scale(
    counts: Mapping[str, Mapping[Any, int]], factor: float, columns: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Multiply a table of counts by a factor, in whole numbers that keep both margins.

    Parameters
    ----------
    counts : mapping of row to mapping of column to count
        A column that a row does not name is 0 there.
    factor : float
        Taken as the decimal number that it prints as, so .1 is one tenth.
    columns : sequence of str
        The columns, in order.

    Returns
    -------
    dict of row to dict of column to count
        The order in which the rows come in changes nothing; factor 1 gives the table itself.
    """
    exact = Fraction(str(factor))
    rows = sorted(counts)
    rounded = controlled(
        [[counts[row].get(column, 0) * exact for column in columns] for row in rows]
    )
    return {
        row: dict(zip(columns, cells, strict=True))
        for row, cells in zip(rows, rounded, strict=True)
    }


def controlled(cells: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """Round each cell to its floor or ceiling so that both margins are rounded likewise.

    A margin column and a margin row make every sum whole. While a cell is broken, its row and its
    column hold another broken cell, so the broken cells contain a cycle that turns from row to
    column; moving along it, plus and minus by turns, keeps all sums and mends at least one cell::

        .3 --- .7        .0 --- 1.
         |      |   ->    |      |
        .7 --- .3        1. --- .0

    Parameters
    ----------
    cells : sequence of rows of Fraction, all of one length
        Exact values, 0 or more.
    """
    if not cells or not cells[0]:
        return [[] for _ in cells]
    table = _with_margins(cells)
    while (start := _first_broken(table)) is not None:
        cycle = _cycle(table, start)
        rise = _room(table, cycle)
        fall = _room(table, cycle[1:] + cycle[:1])
        step = rise if rise <= fall else -fall
        for place, (row, column) in enumerate(cycle):
            table[row][column] += step if place % 2 == 0 else -step
    return [[int(cell) for cell in row[:-1]] for row in table[:-1]]


def _with_margins(cells: Sequence[Sequence[Fraction]]) -> Table:
    """Add to each row, then to each column, what its sum lacks to the next whole number."""
    rows = [[*row, -sum(row, Fraction(0)) % 1] for row in cells]
    return [*rows, [-sum(column, Fraction(0)) % 1 for column in zip(*rows, strict=True)]]


def _broken(cell: Fraction) -> bool:
    return cell.denominator != 1


def _first_broken(table: Table) -> Cell | None:
    for row, cells in enumerate(table):
        for column, cell in enumerate(cells):
            if _broken(cell):
                return row, column
    return None


def _cycle(table: Table, start: Cell) -> list[Cell]:
    """Walk over broken cells, along a row and along a column by turns, until the walk closes.

    Two neighbours in the cycle, and its ends, share a row or a column, by turns.
    """
    walk = [start]
    leaves_row: dict[int, int] = {}
    leaves_column = {start[1]: 0}
    while True:
        row, at = walk[-1]
        column = next(c for c, cell in enumerate(table[row]) if c != at and _broken(cell))
        walk.append((row, column))
        if column in leaves_column:
            return walk[leaves_column[column] :]
        leaves_row[row] = len(walk) - 1
        row = next(r for r, cells in enumerate(table) if r != row and _broken(cells[column]))
        walk.append((row, column))
        if row in leaves_row:
            return walk[leaves_row[row] :]
        leaves_column[column] = len(walk) - 1


def _room(table: Table, cycle: Sequence[Cell]) -> Fraction:
    """Say how far the cells at even places may rise and the others fall."""
    return min(
        -table[row][column] % 1 if place % 2 == 0 else table[row][column] % 1
        for place, (row, column) in enumerate(cycle)
    )
