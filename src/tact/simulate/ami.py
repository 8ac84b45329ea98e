"""The layout of AMI: NXT annotations of meetings of four, one headset file each.

::

    ami_public_manual_1.6.2/corpusResources/{meetings,participants}.xml  ontologies/*.xml
        words/ segments/ dialogueActs/<meeting>.<agent>.*.xml  <meeting>.adjacency-pairs.xml
    amicorpus/<meeting>/audio/<meeting>.Headset-N.wav        N = channel, not the agent's place

Groups of four meet four times (ES2002a to d). Every third meeting seats agents and channels in a
different order, one word has no time, one no length, and a laugh stands here and there.
"""

from collections.abc import Iterator
from pathlib import Path

from tact import audio
from tact.simulate.cast import SERIES, series
from tact.simulate.habits import Habits, gender_of
from tact.simulate.nxt import AgentFile, act_types, adjacency, document
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk

AGENTS = "ABCD"
ROLES = ("PM", "ME", "UI", "ID")
RATE_HZ = 16_000
FIRST_SERIES = 2002
RELEASE = "ami_public_manual_1.6.2"
README = "AMI Corpus Annotations, in the layout of release 1.7; made, not annotated.\n"
REGIONS = ("Scotland", "England", "USA", "Ireland")
LANGUAGES = ("Dutch", "German", "French", "Italian")


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write the whole corpus below ``root``, meeting by meeting."""
    base = root / RELEASE
    for part in ("words", "segments", "dialogueActs", "corpusResources", "ontologies"):
        (base / part).mkdir(parents=True, exist_ok=True)
    (base / "00README_MANUAL.txt").write_text(README)
    (base / "ontologies/da-types.xml").write_text(act_types())
    ids = [_name(studio, number) for number in range(4 * max(1, studio.size.speakers // 4))]
    observed = []
    for meeting in series(studio.size.conversations, studio.size.speakers):
        group, letter = divmod(meeting.index, len(SERIES))
        name = f"ES{FIRST_SERIES + group}{SERIES[letter]}"
        speakers = names(meeting, ids)
        talk = studio.group(name, speakers)
        channels = _channels(meeting.index)
        _annotate(base, talk, channels, spoil=meeting.index == 0)
        if not studio.words_only:
            _sound(root, talk, channels, studio)
        observed.append(_observation(meeting.index, talk, channels))
        yield talk
    people = "\n".join(_participant(studio.people[name]) for name in sorted(studio.people))
    _put(base / "corpusResources/meetings.xml", document("meet.00", "\n".join(observed)))
    _put(base / "corpusResources/participants.xml", document("participants.00", people))


def _name(studio: Studio, number: int) -> str:
    """Make a global name: sex, E, E for English or O for other, three digits."""
    gender = gender_of(str(number), corpus=studio.corpus, seed=studio.seed)
    name = f"{gender[0].upper()}E{'O' if number % 4 == 3 else 'E'}{number + 1:03d}"
    studio.person(name, gender=gender)
    return name


def _channels(index: int) -> tuple[int, ...]:
    """Give the headset of each agent; in every third meeting they are not in the same order."""
    return (1, 2, 3, 0) if index % 3 == 2 else (0, 1, 2, 3)


def _annotate(base: Path, talk: Talk, channels: tuple[int, ...], *, spoil: bool) -> None:
    files = [
        AgentFile.of(talk, agent, speaker, spoil=spoil and agent == AGENTS[0])
        for agent, speaker in zip(AGENTS, talk.speakers, strict=True)
    ]
    for file, channel in zip(files, channels, strict=True):
        stem = f"{talk.conversation}.{file.agent}"
        _put(base / f"words/{stem}.words.xml", file.words())
        _put(base / f"segments/{stem}.segments.xml", file.segments(channel))
        _put(base / f"dialogueActs/{stem}.dialog-act.xml", file.acts())
    name = f"{talk.conversation}.adjacency-pairs"
    _put(base / f"dialogueActs/{name}.xml", adjacency(talk, files))


def _sound(root: Path, talk: Talk, channels: tuple[int, ...], studio: Studio) -> None:
    folder = root / "amicorpus" / talk.conversation / "audio"
    folder.mkdir(parents=True, exist_ok=True)
    samples = studio.sound(talk, RATE_HZ)
    for index, channel in enumerate(channels):
        encoded = audio.wav(samples[:, index], RATE_HZ, depth="PCM_16")
        (folder / f"{talk.conversation}.Headset-{channel}.wav").write_bytes(encoded)


def _observation(index: int, talk: Talk, channels: tuple[int, ...]) -> str:
    seats = "\n".join(
        f'      <speaker nite:id="{talk.conversation}_{channel + 1}" channel="{channel}"'
        f' nxt_agent="{agent}" global_name="{speaker}" role="{role}"/>'
        for agent, channel, speaker, role in zip(
            AGENTS, channels, talk.speakers, ROLES, strict=True
        )
    )
    return (
        f'   <meeting nite:id="meet_{index + 1}" type="scenario" observation="{talk.conversation}"'
        f' name="AMI scenario meeting" duration="{-(-talk.duration_ms // 1000)}"'
        f' visibility="seen" seen_type="training">\n{seats}\n   </meeting>'
    )


def _participant(person: Habits) -> str:
    number = int(person.speaker[3:])
    english = person.speaker[2] == "E"
    language = "English" if english else LANGUAGES[number % len(LANGUAGES)]
    region = f' region="{REGIONS[number % len(REGIONS)]}"' if english else ""
    return (
        f'   <participant nite:id="{person.speaker}" sex="{person.gender[0].upper()}"'
        f' age_at_collection="{person.age}.0" native_language="{language}">\n'
        f'      <english_language nite:id="participants.{number}"{region}/>\n   </participant>'
    )


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="iso-8859-1")
