"""What can be wrong with an input of a command, and what the command must then say."""

import os

import pyarrow as pa
import pyarrow.parquet as pq

from small_run import SOUND, is_output, row_of
from tact.schemas import CONTRACTS


def column_of(table, test):
    return next((column for column in CONTRACTS[table].columns if test(column)), None)


def is_number(column):
    return pa.types.is_integer(column.type) or pa.types.is_floating(column.type)


def changed(path, table, column, value, type_):
    """Put one value into a whole column of a Parquet file."""
    arrow = pq.read_table(path)
    if not len(arrow):
        schema = pa.schema([field.with_nullable(True) for field in CONTRACTS[table].schema()])
        arrow = pa.Table.from_pylist([row_of(table)], schema=schema)
    place = arrow.column_names.index(column.name)
    values = pa.array([value] * len(arrow), type=type_)
    rewrite(path, arrow.set_column(place, column.name, values))


def rewrite(path, arrow):
    path.unlink()
    pq.write_table(arrow.replace_schema_metadata(None), path)


def no_file(path, table):
    path.unlink()


def text_for_parquet(path, table):
    path.unlink()
    path.write_text("conversation,start_ms\nami:a,0\n")


def half_of_the_bytes(path, table):
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[: len(whole) // 2])


def no_key_column(path, table):
    rewrite(path, pq.read_table(path).drop_columns(CONTRACTS[table].key[0]))


def null_in_a_key(path, table):
    column = column_of(table, lambda column: column.name == CONTRACTS[table].key[0])
    changed(path, table, column, None, column.type)


def wrong(test, value, type_):
    def fault(path, table):
        changed(path, table, column_of(table, test), value, type_)

    fault.applies = lambda table: column_of(table, test) is not None
    return fault


FAULTS = {
    "no file": (no_file, "no file"),
    "text for Parquet": (text_for_parquet, "is not a Parquet file"),
    "half of the bytes": (half_of_the_bytes, "is not a Parquet file"),
    "no key column": (no_key_column, "no column"),
    "null in a key": (null_in_a_key, "have no"),
    "text for a number": (
        wrong(lambda c: is_number(c) and not c.nullable, "soon", pa.string()), ""),
    "text for a whole number or null": (
        wrong(lambda c: str(c.type) == "int64" and c.nullable, "soon", pa.string()), ""),
    "text for a flag": (
        wrong(lambda c: str(c.type) == "bool" and not c.nullable, "perhaps", pa.string()), ""),
    "text for a flag or null": (
        wrong(lambda c: str(c.type) == "bool" and c.nullable, "perhaps", pa.string()), ""),
    "a number for text": (
        wrong(lambda c: str(c.type) == "string" and not c.nullable, 7, pa.int64()), ""),
    "a word outside the list": (
        wrong(lambda c: c.values and not c.nullable, "thingummy", pa.string()), "outside"),
}  # fmt: skip
"""What can be wrong with a table, and what the line must say of it."""


def applies(fault, table):
    return getattr(FAULTS[fault][0], "applies", lambda table: True)(table)


def outputs(command, to):
    """Let the outputs of a command go below another folder."""
    return {
        option: to / option / value.name
        for option, value in SOUND[command].items()
        if is_output(command, option)
    }


def spoilt(tmp_path, world, command, option, member, table, spoil):
    """Copy an input and spoil it; the changed value of the option."""
    sound = world / SOUND[command][option]
    bad = tmp_path / "bad" / sound.name
    bad.parent.mkdir(exist_ok=True)
    if member is None:
        bad.write_bytes(sound.read_bytes())
        spoil(bad, table)
    else:
        for path in sound.rglob("*"):
            if path.is_file():
                link = bad / path.relative_to(sound)
                link.parent.mkdir(parents=True, exist_ok=True)
                os.symlink(path, link)
        spoil(bad / member, table)
    return {option: bad}


def left(to):
    return sorted(str(path.relative_to(to)) for path in to.rglob("*"))


def the_line(code, capsys, to):
    """Check that a command met a fault as it should; give its line."""
    said = capsys.readouterr()
    assert code == 2
    assert said.err.startswith("tact: ")
    assert said.err.count("\n") == 1
    assert said.err.endswith("\n")
    assert len(said.err) < 700
    assert left(to) == []
    return said.err
