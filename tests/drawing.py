"""Draw a conversation, and the drawing is the data."""

import re

from tact import frames


def draw(picture, ms_per_column=100, conversation="t:1"):
    """Read a picture of who speaks when into a table of IPUs.

    One line a speaker: a name, white space, then one column per ``ms_per_column``; ``#`` is speech.
    The first column of speech of the longest name is time 0 for everyone::

        A  #####    ##
        B      ###
    """
    lines = [line for line in picture.expandtabs().splitlines() if line.strip()]
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    lines = [line[indent:] for line in lines]
    origin = max(re.match(r"\S+ +", line).end() for line in lines if "#" in line and _near(line))
    rows = [
        {
            "conversation": conversation,
            "speaker": line.split()[0],
            "start_ms": (run.start() - origin) * ms_per_column,
            "end_ms": (run.end() - origin) * ms_per_column,
            "source": "words",
        }
        for line in lines
        for run in re.finditer("#+", line)
    ]
    return frames.frame(rows, "ipus")


def spoken(ipus, **texts):
    """Say one word in each IPU: for each speaker a list of texts, "so" where there is none."""
    rows = []
    for (conversation, speaker), own in ipus.groupby(["conversation", "speaker"]):
        said = texts.get(speaker, ["so"] * len(own))
        for position, (start, end, text) in enumerate(
            zip(own["start_ms"], own["end_ms"], said, strict=True)
        ):
            rows.append(
                {
                    "conversation": conversation,
                    "speaker": speaker,
                    "position": position,
                    "start_ms": start,
                    "end_ms": end,
                    "text": text,
                    "kind": "word",
                    "source": "manual",
                }
            )
    return frames.frame(rows, "words")


def _near(line):
    """Only a line whose speech follows its name by two blanks tells where time 0 is."""
    return re.match(r"\S+  #", line) is not None
