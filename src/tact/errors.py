"""The errors that a user of TACT can act on.

::

    TactError            one clear line: where, what, how many, the first culprit, the cure
    ├── ConfigError      a setting is unknown, missing or out of range
    ├── TableError       a table breaks its contract
    └── InputError       a file, folder or argument cannot be used

The command line prints the line and exits with 2; anything else is a bug and shows a traceback.
"""


class TactError(Exception):
    """Something that the user can mend; the message is one line."""


class ConfigError(TactError):
    """A setting is unknown, missing, mistyped or out of range."""


class TableError(TactError):
    """A table breaks its contract."""


class InputError(TactError):
    """A file, a folder or an argument cannot be used."""
