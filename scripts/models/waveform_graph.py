"""Adds the waveform to a graph that gives spectra and a pitch for each frame of 12.5 ms.

The sound of a frame is the sum of three parts: pulses at the pitch with the harmonic spectrum, noise with the noise spectrum, and a
spectrum with its own phases. An inverse Fourier transform with overlapping windows gives the samples.
"""

import numpy as np

from fourier_graph import Fourier
from graph_writer import GraphWriter

SAMPLE_RATE = 24_000  # Hz
HOP = 300  # samples
FOURIER = Fourier(40, 30)
SIZE, BINS = FOURIER.size, FOURIER.bins
OVERLAP = SIZE // HOP
WINDOW = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(SIZE) / SIZE)
# Below this pitch a frame has no pulses.
LOWEST_PITCH = 40.0  # Hz
HIGHEST_HARMONIC = 11_000.0  # Hz
LOUDEST = 7.0  # natural logarithm of a magnitude
# The noise repeats after 1.6 s.
NOISE_FRAMES = 128
# Steps of a standard deviation in 8 bits.
NOISE_STEPS = 32


def add_waveform(writer: GraphWriter, spectrum: str, pitch: str) -> str:
    """Numbers of each frame [1, F, 5 * BINS] and a pitch [1, F] in Hz -> samples [1, 1, F * HOP] from -1 to 1.

    A frame's numbers: the harmonic part's logarithm of the magnitude and its phase before tanh, the noise's logarithm of the magnitude, and the
    free part's logarithm of the magnitude and its phase.
    """
    frames = writer.reshape(spectrum, [-1, 5 * BINS])
    harmonic, turn, noise, free, phase = (writer.part(frames, part * BINS, (part + 1) * BINS, 1) for part in range(5))
    pulse_real, pulse_imaginary = FOURIER.spectra(writer, _windowed(writer, _pulses(writer, pitch)))
    angle = writer.node("Mul", writer.node("Tanh", turn), writer.constant(np.pi))
    cos, sin = writer.node("Cos", angle), writer.node("Sin", angle)
    real = writer.node("Sub", writer.node("Mul", pulse_real, cos), writer.node("Mul", pulse_imaginary, sin))
    imaginary = writer.node("Add", writer.node("Mul", pulse_real, sin), writer.node("Mul", pulse_imaginary, cos))
    loudness, hiss, free_loudness = (_magnitude(writer, part) for part in (harmonic, noise, free))
    sums = []
    for voiced, wave, seed in ((real, "Cos", 1), (imaginary, "Sin", 2)):
        parts = [
            writer.node("Mul", voiced, loudness),
            writer.node("Mul", _noise(writer, pitch, seed), hiss),
            writer.node("Mul", writer.node(wave, phase), free_loudness),
        ]
        sums.append(writer.node("Sum", *parts))
    samples = _overlapped(writer, FOURIER.real_frames(writer, *sums))
    limited = writer.node("Clip", samples, writer.constant(-1.0), writer.constant(1.0))
    return writer.reshape(limited, [1, 1, -1])


def _noise(writer: GraphWriter, pitch: str, seed: int) -> str:
    """The same random numbers [F, BINS] for every text, so that equal text gives equal samples."""
    random = np.random.default_rng(seed).standard_normal((NOISE_FRAMES, BINS))
    table = writer.constant(np.clip(np.round(random * NOISE_STEPS), -127, 127), np.int8)
    count = writer.node("Shape", pitch, start=1)
    times = writer.node("Add", writer.node("Div", count, writer.constant([NOISE_FRAMES], np.int64)), writer.constant([1], np.int64))
    repeats = writer.node("Concat", times, writer.constant([1], np.int64), axis=0)
    rows = writer.node("Slice", writer.node("Tile", table, repeats), writer.constant([0], np.int64), count, writer.constant([0], np.int64))
    return writer.node("Div", writer.node("Cast", rows, to=1), writer.constant(NOISE_STEPS))


def _magnitude(writer: GraphWriter, logarithm: str) -> str:
    return writer.node("Exp", writer.node("Min", logarithm, writer.constant(LOUDEST)))


def _pulses(writer: GraphWriter, pitch: str) -> str:
    """Cosines of all harmonics of the pitch below HIGHEST_HARMONIC, each of amplitude 1. Samples [F * HOP]; 0 where no pitch is."""
    frames = writer.reshape(pitch, [1, 1, -1])
    scales = writer.constant([1.0, 1.0, HOP])
    hz = writer.reshape(writer.node("Resize", frames, "", scales, mode="linear"), [-1])
    is_voiced = writer.node("Greater", hz, writer.constant(LOWEST_PITCH))
    hz = writer.node("Max", hz, writer.constant(LOWEST_PITCH))
    # A sum of single precision would lose the phase within seconds.
    cycles = writer.node("CumSum", writer.node("Cast", hz, to=11), writer.constant(0, np.int64))
    cycles = writer.node("Div", cycles, writer.constant(SAMPLE_RATE, np.float64))
    cycles = writer.node("Cast", writer.node("Sub", cycles, writer.node("Floor", cycles)), to=1)
    phase = writer.node("Mul", cycles, writer.constant(2 * np.pi))
    half = writer.constant(0.5)
    # With n harmonics the sum of cosines is sin((n + 1/2) phase) / (2 sin(phase / 2)) - 1/2.
    harmonics = writer.node("Add", writer.node("Floor", writer.node("Div", writer.constant(HIGHEST_HARMONIC), hz)), half)
    below = writer.node("Mul", writer.node("Sin", writer.node("Mul", phase, half)), writer.constant(2.0))
    is_peak = writer.node("LessOrEqual", writer.node("Abs", below), writer.constant(2e-3))
    ratio = writer.node("Div", writer.node("Sin", writer.node("Mul", harmonics, phase)), writer.node("Where", is_peak, half, below))
    pulse = writer.node("Sub", writer.node("Where", is_peak, harmonics, ratio), half)
    return writer.node("Where", is_voiced, pulse, writer.constant(0.0))


def _windowed(writer: GraphWriter, samples: str) -> str:
    """Samples [F * HOP] -> frames [F, SIZE] around the frames' beginnings, mirrored at the ends and windowed."""
    mirrored = writer.node("Pad", samples, writer.constant([SIZE // 2, SIZE // 2], np.int64), mode="reflect")
    hops = writer.reshape(mirrored, [-1, HOP])
    shifted = [writer.part(hops, first, first - OVERLAP, 0) for first in range(OVERLAP)]
    # A cosine of amplitude 1 has a peak of 1.
    return writer.node("Mul", writer.node("Concat", *shifted, axis=1), writer.constant(WINDOW / (SIZE / 4)))


def _overlapped(writer: GraphWriter, frames: str) -> str:
    """Frames [F, SIZE] -> samples [F * HOP]: windowed, added, and divided by the sum of squared windows."""
    windowed = writer.node("Mul", frames, writer.constant(WINDOW))
    ones = writer.node("Add", writer.node("Mul", windowed, writer.constant(0.0)), writer.constant(WINDOW * WINDOW))
    sums = []
    for tensor in (windowed, ones):
        hops = []
        for hop in range(OVERLAP):
            part = writer.part(tensor, hop * HOP, (hop + 1) * HOP, 1)
            pads = writer.constant([hop, 0, OVERLAP - 1 - hop, 0], np.int64)
            hops.append(writer.node("Pad", part, pads))
        sums.append(writer.node("Sum", *hops))
    weight = writer.node("Max", sums[1], writer.constant(1e-11))
    samples = writer.reshape(writer.node("Div", sums[0], weight), [-1])
    # The frames begin half a window before the first sample.
    return writer.part(samples, SIZE // 2, -(SIZE // 2 - HOP), 0)
