import os
import subprocess
import sys

import numpy as np
import pytest

from tact.errors import InputError
from tact.simulate import espeak, speech
from tact.simulate.talk import Talk, Utterance, Word

FEMALE = speech.Voice("en-us+f4", 50, 0.0)
MALE = speech.Voice("en-us+m2", 40, 0.0)
NO_NOISE = {"snr_db": float("inf"), "bleed_db": float("-inf"), "seed": 1}


def utterance(speaker, *words):
    spoken = tuple(Word(*word) for word in words)
    return Utterance(speaker, spoken[0].start_ms, spoken[-1].end_ms, spoken)


TALK = Talk(
    conversation="toy",
    speakers=("A", "B"),
    duration_ms=4_000,
    utterances=(
        utterance("A", ("so", 300, 450), ("yesterday", 450, 950), (".", 950, 950, True)),
        utterance("B", ("mm-hmm", 1_200, 1_500)),
        utterance("A", ("really", 2_000, 2_400), ("holiday", 2_400, 2_900)),
        utterance("B", ("yeah", 2_750, 3_100)),
    ),
    candidates=(),
)
VOICES = {"A": FEMALE, "B": MALE}


@pytest.mark.parametrize("rate_hz", [16_000, 44_100, 48_000])
def test_speech_is_where_its_words_are_and_nowhere_else(rate_hz):
    sound = speech.render(TALK, VOICES, rate_hz=rate_hz, **NO_NOISE)
    silent = np.ones(sound.shape, dtype=bool)
    for part in TALK.utterances:
        start, stop = (ms * rate_hz // 1000 for ms in (part.start_ms, part.end_ms))
        silent[start:stop, TALK.speakers.index(part.speaker)] = False

    assert sound.shape == (4 * rate_hz, 2)
    assert not sound[silent].any()
    assert np.mean(sound[~silent] != 0) > 0.99


def test_the_first_and_last_15_ms_of_an_ipu_are_audible():
    rate_hz = 16_000
    sound = speech.render(TALK, VOICES, rate_hz=rate_hz, **NO_NOISE)
    n_edge = 15 * rate_hz // 1000
    for part in TALK.utterances:
        channel = sound[:, TALK.speakers.index(part.speaker)]
        whole = channel[part.start_ms * 16 : part.end_ms * 16]
        level = np.sqrt(np.mean(whole**2))

        assert np.sqrt(np.mean(whole[:n_edge] ** 2)) > 0.05 * level
        assert np.sqrt(np.mean(whole[-n_edge:] ** 2)) > 0.05 * level


def test_noise_and_bleed_lie_where_they_were_asked_for():
    settings = {"rate_hz": 16_000, "seed": 1}
    clean = speech.render(TALK, VOICES, snr_db=np.inf, bleed_db=-np.inf, **settings)
    noisy = speech.render(TALK, VOICES, snr_db=20.0, bleed_db=-np.inf, **settings)
    bled = speech.render(TALK, VOICES, snr_db=np.inf, bleed_db=-30.0, **settings)

    added_db = 20 * np.log10(np.std(noisy - clean, axis=0))
    neighbour = (bled - clean)[1_000 * 16 : 1_550 * 16, 0]
    own = clean[1_000 * 16 : 1_550 * 16, 1]

    assert added_db == pytest.approx([speech.LEVEL_DB - 20.0] * 2, abs=0.3)
    assert 10 * np.log10(np.sum(neighbour**2) / np.sum(own**2)) == pytest.approx(-30.0, abs=0.1)
    delay_ms = (np.flatnonzero(neighbour)[0] - np.flatnonzero(own)[0]) / 16
    assert 2.0 <= delay_ms <= 12.0


def test_the_same_seed_gives_the_same_samples_and_another_gives_another_noise():
    settings = {"rate_hz": 16_000, "snr_db": 25.0, "bleed_db": -30.0}
    first = speech.render(TALK, VOICES, seed=1, **settings)

    np.testing.assert_array_equal(first, speech.render(TALK, VOICES, seed=1, **settings))
    assert (first != speech.render(TALK, VOICES, seed=2, **settings)).mean() > 0.9


def test_a_word_sounds_the_same_whatever_was_said_before():
    def holiday():
        return espeak.speak("holiday", voice="en-us+f4", pitch=50, words_per_min=200)

    first = holiday()
    espeak.speak("something else", voice="en-us+m2", pitch=30, words_per_min=300)

    np.testing.assert_array_equal(holiday(), first)
    assert first.any()


SPEAK_ALL = """
import hashlib
from tact.simulate import espeak, speech

for variant in speech.FEMALE + speech.MALE:
    words = [
        espeak.speak(text, voice="en-us+" + variant, pitch=pitch, words_per_min=rate).tobytes()
        for text in ("holiday", "muh hum", "strengths")
        for pitch in speech.PITCHES
        for rate in speech.RATES_PER_MIN
    ]
    print(variant, len(set(words)), hashlib.sha256(b"".join(words)).hexdigest())
"""


def test_each_variant_speaks_the_same_samples_in_every_process_and_whatever_memory_holds():
    """``MALLOC_PERTURB_`` fills what is allocated, so that a read before a write is heard."""
    spoken = [
        subprocess.run(
            [sys.executable, "-c", SPEAK_ALL],
            env=os.environ | {"MALLOC_PERTURB_": fill},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for fill in ("0", "85", "170")
    ]

    assert spoken[0] == spoken[1] == spoken[2]
    assert len({line.split()[2] for line in spoken[0]}) == len(speech.FEMALE + speech.MALE)
    assert all(line.split()[1] == "45" for line in spoken[0])


@pytest.mark.parametrize("length_ms", [40, 150, 333, 1_200])
@pytest.mark.parametrize("text", ["mm-hmm", "uh-huh", "I", "yeah", "responsibility", "it's"])
def test_a_word_fills_its_time_to_the_sample_at_the_common_level(text, length_ms):
    spoken, n_onset = speech.say(Word(text, 70, 70 + length_ms), FEMALE, rate_hz=48_000)

    assert n_onset == 0
    assert len(spoken) == length_ms * 48
    assert 20 * np.log10(np.sqrt(np.mean(spoken**2))) == pytest.approx(speech.LEVEL_DB, abs=0.01)


@pytest.mark.parametrize("length_ms", [150, 333])
@pytest.mark.parametrize("text", ["five", "thanks", "them"])
def test_a_natural_word_is_audible_at_both_ends_of_its_time_and_soft_beyond(text, length_ms):
    word = Word(text, 70, 70 + length_ms)
    spoken, n_onset = speech.say(word, FEMALE, rate_hz=16_000, natural=True)
    n_own = length_ms * 16
    own = spoken[n_onset : n_onset + n_own]
    edge_ms = 8
    loudest, *edges = (
        20 * np.log10(max(np.sqrt(np.mean(part.reshape(-1, 8) ** 2, axis=1).max()), 1e-9))
        for part in (own[: n_own // 8 * 8], own[: edge_ms * 16], own[-edge_ms * 16 :])
    )
    around = np.concatenate((spoken[: max(0, n_onset - 80)], spoken[n_onset + n_own + 80 :]))

    assert 20 * np.log10(np.sqrt(np.mean(own**2))) == pytest.approx(speech.LEVEL_DB, abs=0.01)
    assert min(edges) > loudest + speech.AUDIBLE_DB - 8
    assert around.any()
    assert 20 * np.log10(np.abs(around).max()) < loudest + speech.AUDIBLE_DB + 12


def test_natural_words_lie_at_the_same_times_as_cut_ones():
    cut = speech.render(TALK, VOICES, rate_hz=16_000, **NO_NOISE)
    natural = speech.render(TALK, VOICES, rate_hz=16_000, natural=True, **NO_NOISE)

    assert natural.shape == cut.shape
    for part in TALK.utterances:
        at = slice(part.start_ms * 16, part.end_ms * 16)
        column = TALK.speakers.index(part.speaker)
        cut_power, natural_power = (np.sum(sound[at, column] ** 2) for sound in (cut, natural))
        assert natural_power == pytest.approx(cut_power, rel=0.1)
    assert (natural != 0).sum() > 1.05 * (cut != 0).sum()


def test_a_speaker_keeps_one_voice_and_women_and_men_differ():
    voices = {speech.voice_of(f"s{i}", "female", 1) for i in range(40)}

    assert speech.voice_of("s1", "male", 1) == speech.voice_of("s1", "male", 1)
    assert {voice.name.removeprefix("en-us+") for voice in voices} == set(speech.FEMALE)
    assert speech.voice_of("s1", "male", 1).name.removeprefix("en-us+") in speech.MALE
    assert len(voices) > 20


def test_an_unknown_voice_and_an_unspeakable_word_are_named():
    with pytest.raises(InputError, match="no voice 'xx-none'"):
        espeak.speak("so", voice="xx-none", pitch=50, words_per_min=200)
    with pytest.raises(InputError, match=r"nothing for '\.\.'"):
        speech.say(Word("..", 0, 100), FEMALE, rate_hz=16_000)
