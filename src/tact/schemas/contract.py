"""What a table contract is: columns with type, unit and meaning, a key, and row rules."""

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, what it means, its unit, what values and what least it takes."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False
    values: tuple[str, ...] = ()
    least: int | None = None

    def field(self) -> pa.Field:
        """Give the Arrow field, unit and meaning in its metadata."""
        metadata = {"meaning": self.meaning, "unit": self.unit}
        return pa.field(self.name, self.type, nullable=self.nullable, metadata=metadata)


@dataclass(frozen=True)
class Contract:
    """One table: rows are unique by ``key``; in each pair of ``ordered`` the first is no later."""

    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    ordered: tuple[tuple[str, str], ...] = ()

    def schema(self) -> pa.Schema:
        """Give the Arrow schema that the file carries."""
        fields = [column.field() for column in self.columns]
        return pa.schema(fields, metadata={"table": self.name, "key": ",".join(self.key)})

    @property
    def names(self) -> list[str]:
        """The column names, in order."""
        return [column.name for column in self.columns]

    @property
    def texts(self) -> list[str]:
        """The names of the columns that hold text."""
        return [column.name for column in self.columns if pa.types.is_string(column.type)]


def text(name: str, meaning: str, *values: str, nullable: bool = False) -> Column:
    """Declare a text column, closed to ``values`` when any are given."""
    return Column(name, pa.string(), meaning, nullable=nullable, values=values)


def ms(name: str, meaning: str, *, nullable: bool = False, least: int | None = None) -> Column:
    """Declare a column of int64 milliseconds; a length has ``least`` 0."""
    return Column(name, pa.int64(), meaning, "ms", nullable, least=least)


def count(name: str, meaning: str, unit: str = "", *, nullable: bool = False) -> Column:
    """Declare a column of whole numbers from 0."""
    return Column(name, pa.int64(), meaning, unit, nullable, least=0)


def number(name: str, meaning: str, unit: str = "", *, nullable: bool = False) -> Column:
    """Declare a column of float64."""
    return Column(name, pa.float64(), meaning, unit, nullable)


def flag(name: str, meaning: str, *, nullable: bool = False) -> Column:
    """Declare a column of true and false."""
    return Column(name, pa.bool_(), meaning, "", nullable)
