"""Encode samples as bytes of a file: the same samples give the same bytes."""

import io

import numpy as np
import numpy.typing as npt
import soundfile

MP3_LEVEL = 0.95


def flac(samples: npt.NDArray[np.generic], sample_rate_hz: int, *, depth: str) -> bytes:
    """Encode samples, (n,) or (n, channels), as FLAC; the same samples give the same bytes.

    int32 samples hold their bits at the top, as `read` gives them; float samples beyond full scale
    are clipped.
    """
    encoded = io.BytesIO()
    soundfile.write(encoded, samples, sample_rate_hz, format="FLAC", subtype=depth)
    return encoded.getvalue()


def mp3(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> bytes:
    """Encode samples, (n, channels), as MP3 at about 64 kbit/s.

    A variable rate takes half the time of a constant one.
    """
    encoded = io.BytesIO()
    soundfile.write(
        encoded,
        samples,
        sample_rate_hz,
        format="MP3",
        bitrate_mode="VARIABLE",
        compression_level=MP3_LEVEL,
    )
    return encoded.getvalue()


def wav(samples: npt.NDArray[np.float32], sample_rate_hz: int, *, depth: str) -> bytes:
    """Encode samples, (n,) or (n, channels), as WAV of subtype ``depth``, such as ``FLOAT``.

    The same samples give the same bytes: libsndfile would write the time of day into a float WAV
    (chunk PEAK), so scipy writes that.
    """
    encoded = io.BytesIO()
    if depth == "FLOAT":
        # Only a made world writes these: no other command should wait half a second for scipy.io.
        from scipy.io import wavfile

        wavfile.write(encoded, sample_rate_hz, samples)
        return encoded.getvalue()
    soundfile.write(encoded, samples, sample_rate_hz, format="WAV", subtype=depth)
    return encoded.getvalue()
