"""espeak-ng through its library, which tells where each word begins; its command line program does not."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_short, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from functools import cache

import numpy as np

SYNCHRONOUS, UTF8, RATE, PITCH, WORD = 2, 1, 1, 3, 1


class _Event(ctypes.Structure):
    _fields_ = [("type", c_int), ("clause", c_uint), ("text_position", c_int), ("length", c_int), ("audio_ms", c_int),
                ("sample", c_int), ("user_data", c_void_p), ("id", ctypes.c_char * 8)]


_Callback = ctypes.CFUNCTYPE(c_int, POINTER(c_short), c_int, POINTER(_Event))


@dataclass(frozen=True)
class Said:
    """float32 mono at `rate`; `words`: where in the text, in characters, a word begins, and at which second."""

    audio: np.ndarray
    rate: int
    words: dict[int, float]


@cache
def _library() -> tuple[ctypes.CDLL, int]:
    """The library, once a process, and its sample rate. Raises OSError where espeak-ng is not installed."""
    library = ctypes.CDLL("libespeak-ng.so.1")
    library.espeak_Synth.argtypes = [c_char_p, c_size_t, c_uint, c_int, c_uint, c_uint, POINTER(c_uint), c_void_p]
    rate = library.espeak_Initialize(SYNCHRONOUS, 0, None, 0)
    if rate <= 0:
        raise OSError("espeak-ng could not be started: are its data files installed?")
    return library, rate


def say(text: str, voice: str, words_per_minute: int, pitch: int) -> Said:
    """Raises ValueError when there is no such voice."""
    library, rate = _library()
    if library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"espeak-ng has no voice {voice}")
    library.espeak_SetParameter(RATE, words_per_minute, 0)
    library.espeak_SetParameter(PITCH, pitch, 0)
    parts: list[np.ndarray] = []
    words: dict[int, float] = {}

    @_Callback
    def receive(samples, count: int, events) -> int:
        if samples and count > 0:
            parts.append(np.ctypeslib.as_array(samples, (count,)).astype(np.float32) / 32768)
        number = 0
        while events[number].type != 0:
            if events[number].type == WORD:
                words.setdefault(events[number].text_position - 1, events[number].audio_ms / 1000)
            number += 1
        return 0

    library.espeak_SetSynthCallback(receive)
    encoded = text.encode()
    library.espeak_Synth(encoded, len(encoded) + 1, 0, 1, 0, UTF8, None, None)
    return Said(np.concatenate(parts or [np.zeros(0, np.float32)]), rate, words)
