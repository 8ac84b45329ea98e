"""Score fixed policies and a human draw under the paper's laws, and time the rule.

    python benchmarks/policies.py

Posteriors are one-hot with the paper's shares. The episode score ranks `median` above a human draw
and `never` close below; the population score is 1 for the human law alone.
"""

import time
from pathlib import Path

import numpy as np

from tact import config
from tact.laws import paper_laws
from tact.scoring import episode_scores, human_loss, integrate, population, total
from tact.vocabulary import INTENTS

N = 10_000
EPISODE = {"never": 0.822, "always 0.26 s": 0.583, "human draw": 0.870, "median of h_z": 0.935}
"""Mean episode scores that the laws give in expectation, by arithmetic that is not ours."""


def main():
    settings = config.load([Path(__file__).resolve().parents[1] / "config.yaml"]).reference
    laws = paper_laws(settings.paper)
    shares = np.array([settings.paper[intent].share for intent in INTENTS])
    started = time.perf_counter()
    tables = integrate(laws, gamma=settings.gamma, epsilon=settings.epsilon)
    print(f"tables of six laws          {time.perf_counter() - started:8.3f} s")

    rng = np.random.default_rng(1)
    intent = rng.choice(len(INTENTS), N, p=shares)
    human = np.empty(N)
    for z, law in enumerate(laws.values()):
        human[intent == z] = law.sample(int((intent == z).sum()), rng)
    medians = np.array([float(law.quantile(0.5)) for law in laws.values()])
    policies = {
        "never": np.full(N, np.inf),
        "always 0.26 s": np.full(N, 0.26),
        "human draw": human,
        "intent-blind human draw": rng.permutation(human),
        "median of h_z": medians[intent],
    }
    exact = 1 - np.array([human_loss(tables, name) for name in INTENTS]) / tables.totals
    print(f"expected episode score of a human draw: {shares @ exact:.3f}\n")
    print(f"{'policy':<26}{'episode':>9}{'expected':>10}{'population':>12}{'fair':>9}{'skill':>9}")
    posterior = np.eye(len(INTENTS))[intent]
    for name, onsets in policies.items():
        episode = episode_scores(tables, posterior, onsets).mean()
        found = population(tables, posterior, np.ones(N), np.arange(N), onsets)
        plug_in, fair = total(found.share, found.plug_in), total(found.share, found.fair)
        skill = 1 - fair / total(found.share, found.blind)
        want = EPISODE.get(name, float("nan"))
        print(f"{name:<26}{episode:9.3f}{want:10.3f}{1 - plug_in:12.4f}{1 - fair:9.4f}{skill:9.3f}")

    soft = rng.dirichlet(4 * shares, N)
    started = time.perf_counter()
    episode_scores(tables, soft, human)
    print(f"\nmixed s_T, {N} episodes    {time.perf_counter() - started:8.3f} s")
    started = time.perf_counter()
    population(tables, soft, np.ones(N), np.arange(N), human)
    print(f"population S_T, {N} onsets {time.perf_counter() - started:8.3f} s")


if __name__ == "__main__":
    main()
