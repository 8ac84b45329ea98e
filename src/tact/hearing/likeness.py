"""How alike two channels are from moment to moment, and by how much one is later.

The normalised cross-correlation of two channels in windows of 128 ms: near 1 where both hold the
same voice, however much softer and (up to 40 ms) later on one; near 0 where two people speak.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import scipy.fft

from tact.clock import FloatArray
from tact.hearing.levels import FRAME_MS, LEAST_POWER, Power

Samples = npt.NDArray[np.float32]

SOUND_FROM_HZ = 5.0
"""What is slower is no sound: a recorder's offset, which would drown the level of a voice."""

PRE_EMPHASIS = 0.7
"""Of the sample before, taken off each: voices and most noise are loudest where they tell least.

All of it, a first difference, would lift hiss over voices: in white noise no leak would be found.
"""

N_WINDOW = 2048
N_HOP = 1024
LARGEST_LAG_MS = 40
FINER = 2


@dataclass(frozen=True)
class Likeness:
    """Two channels compared, one value per window; windows start every ``hop_ms``.

    Attributes
    ----------
    peak : float32 array, (n_windows,)
        Largest normalised cross-correlation, 0 to 1.
    lag_ms : float32 array, (n_windows,)
        How much later the second channel is where it is reached, ms.
    gain_db : float32 array, (n_windows,)
        Level of the second channel over the first, dB.
    hop_ms : float
        A window lasts two hops.
    """

    peak: Samples
    lag_ms: Samples
    gain_db: Samples
    hop_ms: float

    def turned(self) -> "Likeness":
        """Give the same with the channels exchanged."""
        return Likeness(self.peak, -self.lag_ms, -self.gain_db, self.hop_ms)

    def time_ms(self) -> FloatArray:
        """Give the middle of each window, ms, (n_windows,)."""
        return np.asarray((np.arange(len(self.peak)) + 1.0) * self.hop_ms, dtype=np.float64)

    def power(self, power: Power) -> Samples:
        """Average the power of 5 ms frames over each window, (n_windows,)."""
        if not len(self.peak):
            return power[:0]
        hops = np.rint(np.arange(len(self.peak) + 2) * self.hop_ms / FRAME_MS).astype(np.int64)
        summed = np.add.reduceat(power[: hops[-1]], hops[:-1])
        return np.asarray((summed[:-1] + summed[1:]) / (hops[2:] - hops[:-2]))

    def along(self, lag_ms: FloatArray, *, tolerance_ms: float) -> "Likeness":
        """Give the same with a peak of 0 where the lag is not that given for the window."""
        near = np.abs(self.lag_ms - lag_ms) <= tolerance_ms
        return replace(self, peak=np.where(near, self.peak, np.float32(0.0)))

    def per_frame(self, frames: slice) -> Samples:
        """Give 5 ms frames, (n,), the larger peak of the two windows around each, 0 after them."""
        middle_ms = (np.arange(frames.start, frames.stop) + 0.5) * FRAME_MS
        at = (middle_ms // self.hop_ms).astype(np.int64)
        first, last = max(int(at[0]) - 1, 0), int(at[-1]) + 1
        near = self.peak[first:last]
        near = np.pad(near, (0, last - first - len(near)))
        return np.asarray(np.maximum(near[at - first], near[np.maximum(at - 1, 0) - first]))


class Meter:
    """Measures the channels of one conversation, each fed piece by piece, in turns.

    Parameters
    ----------
    n_channels : int
    sample_rate_hz : int
        Of every channel, so that the channels are on one clock.
    """

    def __init__(self, n_channels: int, sample_rate_hz: int) -> None:
        self._rate = sample_rate_hz
        self._n_frame = sample_rate_hz * FRAME_MS // 1000
        self._rest = [np.zeros((2, 0), dtype=np.float32)] * n_channels  # as it came, and moving
        self._steady: list[FloatArray | None] = [None] * n_channels
        self._waiting = [np.zeros(1, dtype=np.float32)] * n_channels  # and the sample before
        self._power = [bytearray() for _ in range(n_channels)]
        nowhere = np.zeros((0, 3), dtype=np.float32)
        self._found = {pair: [nowhere] for pair in combinations(range(n_channels), 2)}

    def feed(self, channel: int, samples: Samples) -> None:
        """Take the next samples of one channel, (n,)."""
        both = np.stack((samples, self._moving(channel, samples)))
        pending = np.concatenate((self._rest[channel], both), axis=1)
        whole = pending.shape[1] - pending.shape[1] % self._n_frame
        came, moving = pending[:, :whole].reshape(2, -1, self._n_frame)
        power = np.einsum("ij,ij->i", moving, moving, dtype=np.float64) / self._n_frame
        # The filter rings on for a while where a recording holds one value: nothing sounds there.
        power[(came == came[:, :1]).all(axis=1)] = 0.0
        self._power[channel] += power.astype(np.float32).tobytes()
        self._rest[channel] = pending[:, whole:]
        if self._found:
            self._waiting[channel] = np.concatenate((self._waiting[channel], both[1]))
            self._compare()

    def power(self, channel: int) -> Power:
        """Give the mean square of each whole 5 ms frame of a channel that is over, (n_frames,)."""
        return np.frombuffer(self._power[channel], dtype=np.float32)

    def likeness(self, first: int, second: int) -> Likeness:
        """Give the likeness of two channels, as far as both go."""
        if first > second:
            return self.likeness(second, first).turned()
        peak, lag_ms, gain_db = np.concatenate(self._found[first, second]).T
        return Likeness(peak, lag_ms, gain_db, 1000 * N_HOP / self._rate)

    def _moving(self, channel: int, samples: Samples) -> Samples:
        """Take off what does not move, by a filter of one pole that starts at rest."""
        # It loads half of scipy, and commands that hear nothing load this module.
        from scipy.signal import lfilter

        if not len(samples):
            return samples
        steady = self._steady[channel]
        if steady is None:
            steady = -samples[:1].astype(np.float64)
        pole = 1.0 - 2.0 * np.pi * SOUND_FROM_HZ / self._rate
        moving, self._steady[channel] = lfilter((1.0, -1.0), (1.0, -pole), samples, zi=steady)
        return np.asarray(moving, dtype=np.float32)

    def _compare(self) -> None:
        """Compare all pairs in the windows that every channel has reached."""
        n_windows = (min(len(channel) for channel in self._waiting) - 1 - N_WINDOW) // N_HOP + 1
        if n_windows < 1:
            return
        spectra, energies = [], []
        for index, channel in enumerate(self._waiting):
            part = channel[: (n_windows + 1) * N_HOP + 1]
            sharp = part[1:] - np.float32(PRE_EMPHASIS) * part[:-1]
            windows = np.lib.stride_tricks.sliding_window_view(sharp, N_WINDOW)[::N_HOP]
            spectra.append(scipy.fft.rfft(windows, 2 * N_WINDOW, axis=1))
            energies.append(np.einsum("ij,ij->i", windows, windows) + np.float32(LEAST_POWER))
            self._waiting[index] = channel[n_windows * N_HOP :]
        for (a, b), found in self._found.items():
            found.append(self._peaks(spectra[a], spectra[b], energies[a], energies[b]))

    def _peaks(
        self,
        first: npt.NDArray[np.complex64],
        second: npt.NDArray[np.complex64],
        first_energy: Samples,
        second_energy: Samples,
    ) -> Samples:
        # A delay is no whole number of samples: at half-samples, and a parabola between them, the
        # peak of whitened speech is right to .3 dB; at whole ones it would be 4 dB low.
        n_lag = FINER * self._rate * LARGEST_LAG_MS // 1000
        cross = FINER * scipy.fft.irfft(np.conj(first) * second, 2 * FINER * N_WINDOW, axis=1)
        near = np.abs(np.concatenate((cross[:, -n_lag - 1 :], cross[:, : n_lag + 2]), axis=1))
        best = 1 + np.argmax(near[:, 1:-1], axis=1)
        row = np.arange(len(best))
        before, top, after = (near[row, best + step] for step in (-1, 0, 1))
        bend = np.maximum(2.0 * top - before - after, LEAST_POWER)
        shift = np.clip((after - before) / (2.0 * bend), -0.5, 0.5)
        top = top + (after - before) * shift / 4.0
        lag = (best + shift - n_lag - 1) / FINER
        # Of two windows that are apart by a lag only a part holds the same sound.
        shared = 1.0 - np.abs(lag) / N_WINDOW
        peak = np.minimum(top / (shared * np.sqrt(first_energy * second_energy)), 1.0)
        lag_ms = 1000.0 * lag / self._rate
        gain_db = 10.0 * np.log10(second_energy / first_energy)
        return np.stack((peak, lag_ms, gain_db), axis=1).astype(np.float32)
