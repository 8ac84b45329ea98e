"""What a made person is like: how others answer them, how they speak, who they say they are.

Response laws vary by focal speaker, around the reference laws. A speaker's own law has

    mu_s ~ N(mu, .06^2), sigma_s^2 = sigma^2 - .06^2        ex-Gaussian
    m_s  ~ N(m, .25^2),  s_s^2 = s^2 - .25^2                shifted log-normal
    beta_s ~ Beta with mean beta_z

and is answered with probability (1 - beta_s) F_s(T) / F(T), F the parent's mass in T. An onset is
then drawn from f_s truncated to T, so over speakers the density of onsets is

    E[(1 - beta_s) F_s(T) / F(T) * f_s / F_s(T)] = (1 - beta_z) f_z / F(T):

exactly the reference law, since beta_s is drawn apart from mu_s and m_s.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tact.errors import ConfigError
from tact.keys import draw, generator
from tact.laws import ExGaussian, Law, ShiftedLogNormal
from tact.simulate.dice import Dice
from tact.vocabulary import T_A_S, T_H_S

MU_SD_S = 0.06
LOG_MEDIAN_SD = 0.25
CONCENTRATION = 40.0
FEMALE_SHARE = 0.52


@dataclass(frozen=True)
class SpeakerLaw:
    """How others answer one speaker at one intent: the law, and the chance of a response in T."""

    law: Law
    answered: float

    def respond(self, dice: Dice) -> int | None:
        """Draw a response, ms from t0 on the 10 ms grid, inside [-T_a, T_h); None = the atom."""
        if dice.uniform() >= self.answered:
            return None
        density = self.law.density
        while True:
            if isinstance(density, ExGaussian):
                onset = density.mu + density.sigma * dice.normal()
                onset += density.tau * dice.exponential()
            else:
                log_x = density.log_median + density.log_sigma * dice.normal()
                onset = density.shift + math.exp(log_x)
            if -T_A_S <= onset < T_H_S:
                # The horizon is open: an onset at T_h would be read as the atom.
                return min(10 * round(100 * onset), round(1000 * T_H_S) - 10)


@dataclass(frozen=True)
class Habits:
    """A made person.

    ``resume_s`` is the median silence before they go on when nobody answers; ``backchannels`` and
    ``fillers`` are factors around 1.
    """

    speaker: str
    gender: str
    age: int
    laws: Mapping[str, SpeakerLaw]
    words_per_s: float
    resume_s: float
    backchannels: float
    fillers: float


def habits_of(
    speaker: str, *, corpus: str, laws: Mapping[str, Law], seed: int, gender: str | None = None
) -> Habits:
    """Draw a person from the content of their id: the same in every conversation."""
    rng = generator(seed, "habits", corpus, speaker)
    own = {intent: vary(law, rng, intent) for intent, law in laws.items()}
    traits = rng.standard_normal(4)
    return Habits(
        speaker=speaker,
        gender=gender or gender_of(speaker, corpus=corpus, seed=seed),
        age=19 + int(48 * draw(seed, "age", corpus, speaker)),
        laws=own,
        words_per_s=float(np.clip(3.2 + 0.4 * traits[0], 2.2, 4.4)),
        resume_s=float(0.9 * np.exp(0.25 * traits[1])),
        backchannels=float(np.exp(0.35 * traits[2])),
        fillers=float(np.exp(0.5 * traits[3])),
    )


def gender_of(speaker: str, *, corpus: str, seed: int) -> str:
    """Draw a gender from the content of an id."""
    return "female" if draw(seed, "gender", corpus, speaker) < FEMALE_SHARE else "male"


def vary(law: Law, rng: np.random.Generator, intent: str) -> SpeakerLaw:
    """Draw one speaker's own version of a reference law.

    Raises
    ------
    ConfigError
        The law is narrower than the spread between speakers.
    """
    density = law.density
    own: ExGaussian | ShiftedLogNormal
    if isinstance(density, ExGaussian):
        sigma = _within(density.sigma, MU_SD_S, intent)
        own = ExGaussian(density.mu + MU_SD_S * rng.standard_normal(), sigma, density.tau)
    else:
        log_sigma = _within(density.log_sigma, LOG_MEDIAN_SD, intent)
        log_median = density.log_median + LOG_MEDIAN_SD * rng.standard_normal()
        own = ShiftedLogNormal(log_median, log_sigma, density.shift)
    beta = law.no_response
    if 0 < beta < 1:
        beta = float(rng.beta(beta * CONCENTRATION, (1 - beta) * CONCENTRATION))
    mine = Law(own, beta)
    return SpeakerLaw(mine, (1 - beta) * mine.mass / law.mass)


def _within(spread: float, between: float, intent: str) -> float:
    if spread <= between:
        raise ConfigError(
            f"reference.paper.{intent}: a spread of {spread} leaves none within speakers, who"
            f" differ by {between}; widen it, or do not simulate"
        )
    return math.sqrt(spread**2 - between**2)
