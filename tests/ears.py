"""Networks that are not: they tell tones apart, so that what is built on networks can be tested.

A low tone is one speaker, a high one another, both at once are both; each window numbers its local
speakers as it likes.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from tact import frames
from tact.diarizer.listener import Ears

RATE_HZ = 16_000
LOW_HZ, HIGH_HZ = 300.0, 3_000.0
N_FRAME, N_FRAMES = 160, 1_000
MEMBERS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)


def tone(hz, speech_s, duration_s, rate_hz=RATE_HZ):
    """Sound a tone in some spans, s."""
    sound = np.zeros(round(duration_s * rate_hz), dtype=np.float32)
    for start, end in speech_s:
        time = np.arange(round(start * rate_hz), round(end * rate_hz))
        sound[time] = 0.3 * np.sin(2 * np.pi * hz * time / rate_hz)
    return sound


def recordings(*rows):
    """Make the table from rows of conversation, channel, speaker, path, mixed."""
    columns = ["conversation", "channel", "speaker", "path", "mixed"]
    return frames.check(
        pd.DataFrame(rows, columns=columns).assign(
            corpus="toy", duration_ms=25_000, licence="CC0", language="en", split_group="g"
        ),
        "recordings",
    )


def ears(*, batch=4):
    """Make ears for windows of 10 s, frames of 10 ms and a window each second."""
    network = SimpleNamespace(
        n_window=N_FRAME * N_FRAMES, n_hop=RATE_HZ, n_frame=N_FRAME, answers=N_FRAMES,
        batch=batch, members=MEMBERS, frame_ms=10.0, first_ms=0.0, ask=ask,
        start=lambda window, *, zero_ms: window * RATE_HZ // N_FRAME,
        n_frames=lambda n_samples: -(-n_samples // N_FRAME),
    )  # fmt: skip
    return Ears(network, SimpleNamespace(embed=embed))


def ask(windows):
    scores = np.zeros((len(windows), N_FRAMES, 4), dtype=np.float32)
    for scored, window in zip(scores, windows, strict=True):
        low, high = (np.abs(part) > 1e-3 for part in _parts(window))
        swap = int(np.abs(window).sum() * 1e3) % 2
        classes = (1 + swap) * low + (2 - swap) * high
        scored[np.arange(N_FRAMES), classes] = 1.0
    return scores


def embed(window, speakers):
    low, high = (np.abs(part) for part in _parts(window))
    vectors = [np.float32([low[own].sum(), high[own].sum(), 1e-6]) for own in speakers]
    return np.stack([vector / np.linalg.norm(vector) for vector in vectors])


def _parts(window):
    """Tell how loud each tone is in each frame."""
    frames = window.reshape(N_FRAMES, N_FRAME)
    turn = np.exp(-2j * np.pi * np.outer((LOW_HZ, HIGH_HZ), np.arange(N_FRAME)) / RATE_HZ)
    return (frames @ turn.T).T / N_FRAME
