"""What is said: a small grammar that fills an IPU of a given length with words, to the 10 ms.

The last words fit the intent. Inside an IPU there are commas only, so that a clause stands
unfinished wherever someone barges in; the mark at its end is a question mark where an answer is
sought, else a full stop.
"""

from itertools import accumulate, product

from tact.simulate.dice import Dice
from tact.simulate.talk import Word

Tokens = tuple[str, ...]


def _split(*phrases: str) -> tuple[Tokens, ...]:
    return tuple(tuple(phrase.split()) for phrase in phrases)


_SUBJECTS = _split("I", "we", "they", "my brother", "the whole team", "most people", "she", "you")
_VERBS = _split(
    "went to", "looked at", "talked about", "never found", "moved away from", "worked on",
    "thought about", "came back to",
)  # fmt: skip
_OBJECTS = _split(
    "the old house", "that little town", "a new job", "the other design", "the garden in spring",
    "some kind of plan", "the first meeting", "that long winter", "the remote control",
    "a school near the river",
)  # fmt: skip
CLAUSES = tuple(
    subject + verb + thing for subject, verb, thing in product(_SUBJECTS, _VERBS, _OBJECTS)
)
JOINS = _split(", and", ", but", ", because", ", so", ", and then", "when", ", which is why")
OPENERS = _split("well", "so", "yeah so", "I mean", "you know", "actually", "no but", "and", "")
FILLERS = ("um", "uh", "er")
QUESTIONS = {
    "ans": _split(
        "what do you do", "where did you go then", "have you been there", "do you live near here",
        "how old are they now",
    ),
    "ref": _split(
        "how did that change you", "what would you have done", "what does that mean to you",
        "why do you think that is",
    ),
}  # fmt: skip
ENDS = {
    "ref": _split("I wonder what that says of us", "so tell me how you see it"),
    "rhe": _split("and who would do that", "but what can you do", "as if anyone cared"),
    "hold": _split("and then um", "so the thing is", "because uh", "and what I did was"),
    "bck": _split("it was so good you know", "which was really something", "so that was that"),
    "abn": _split("but I just", "it was kind of", "anyway I", "and the whole um"),
}
(GOODBYE,) = _split("anyway it was really nice talking to you about all of this today .")
BACKCHANNELS = _split("yeah", "mm-hmm", "right", "uh-huh", "okay", "yeah yeah", "oh wow", "sure")
MARKS = frozenset(",.?")
CLAUSE_TOKENS = 7
FILLER_SHARE = 0.12


def compose(
    dice: Dice,
    *,
    n_words: int,
    fillers: float,
    intent: str | None,
    question: bool,
    settle: bool,
) -> list[str]:
    """Make the tokens of an IPU: about ``n_words`` words and the marks between them.

    Parameters
    ----------
    fillers : float
        Habit of the speaker, around 1.
    intent : str or None
        Of the point at the end; None for a clause that is cut off.
    question : bool
        End in a question mark.
    settle : bool
        End the first clause with a full stop: the speaker's own question before it is over.
    """
    end = dice.pick((QUESTIONS if question else ENDS)[intent]) if intent else ()
    tokens = list(dice.pick(OPENERS))
    room = n_words - len(end) - 2
    while not tokens or len(tokens) < room:
        if len(tokens) >= CLAUSE_TOKENS:
            tokens += dice.pick(JOINS)
        if dice.uniform() < FILLER_SHARE * fillers:
            tokens.append(dice.pick(FILLERS))
        tokens += dice.pick(CLAUSES)
        if settle:
            tokens.append(".")
            settle = False
    if end:
        tokens += [*end, "?" if question else "."]
    return tokens


def place(tokens: list[str] | Tokens, start_ms: int, end_ms: int) -> tuple[Word, ...]:
    """Lay tokens over [start, end): words abut, by length; a mark stands at the word before it."""
    weights = [0 if token in MARKS else len(token) + 2 for token in tokens]
    ends = list(accumulate(weights))
    scale = (end_ms - start_ms) / (10 * ends[-1])
    words = []
    at = start_ms
    for token, weight, end in zip(tokens, weights, ends, strict=True):
        if weight:
            until = start_ms + 10 * round(end * scale)
            words.append(Word(token, at, until))
            at = until
        else:
            words.append(Word(token, at, at, True))
    return tuple(words)
