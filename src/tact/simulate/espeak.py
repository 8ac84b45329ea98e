"""Words spoken offline by espeak-ng, the same samples for the same word whatever was said before.

espeak-ng carries state from one word to the next (its flutter and its noise), so each word is
spoken by a freshly loaded library and a freshly seeded C generator; a word takes some 3 ms.
Variants with a `breath` line (f2, f3, f5, Alicia, whisper and others) read memory that nobody has
set and sound otherwise in every process: do not give them to a speaker.
"""

import ctypes

import espeakng_loader
import numpy as np
import numpy.typing as npt

from tact.errors import InputError

RATE_HZ = 22_050
SYNCHRONOUS = 2
KEEP_GOING_WITHOUT_EXIT = 0x8000
UTF8 = 1
PARAMETER_RATE = 1
PARAMETER_PITCH = 3

_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


def speak(text: str, *, voice: str, pitch: int, words_per_min: int) -> npt.NDArray[np.int16]:
    """Speak a text.

    Parameters
    ----------
    text : str
        Plain English.
    voice : str
        Voice of espeak-ng with a variant, such as ``en-us+f4``.
    pitch : int
        0 to 99; 50 is the voice's own.
    words_per_min : int
        Rate, 80 to 449.

    Returns
    -------
    int16 array, (n,)
        At 22,050 Hz, with the silence that espeak-ng puts around it.

    Raises
    ------
    InputError
        espeak-ng has no such voice.
    """
    pieces: list[npt.NDArray[np.int16]] = []

    def collect(samples: "ctypes._Pointer[ctypes.c_short]", n_samples: int, _: int) -> int:
        if samples and n_samples > 0:
            pieces.append(np.ctypeslib.as_array(samples, (n_samples,)).copy())
        return 0

    callback = _Callback(collect)
    system = ctypes.CDLL(None)
    library = ctypes.CDLL(espeakng_loader.get_library_path())
    try:
        data = espeakng_loader.get_data_path().encode()
        library.espeak_Initialize(SYNCHRONOUS, 0, data, KEEP_GOING_WITHOUT_EXIT)
        library.espeak_SetSynthCallback(callback)
        if library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise InputError(f"speech: espeak-ng has no voice {voice!r}; name one such as en-us+f4")
        library.espeak_SetParameter(PARAMETER_RATE, words_per_min, 0)
        library.espeak_SetParameter(PARAMETER_PITCH, pitch, 0)
        system.srand(1)
        spoken = text.encode()
        library.espeak_Synth(spoken, len(spoken) + 1, 0, 1, 0, UTF8, None, None)
        library.espeak_Terminate()
    finally:
        system.dlclose(ctypes.c_void_p(library._handle))
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int16)
