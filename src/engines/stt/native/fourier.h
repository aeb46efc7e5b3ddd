// The Fourier transform of Whisper's mel spectrogram.
#pragma once

#include <vector>

namespace oak {

// Discrete Fourier transform of real numbers: the frequencies are summed side by side, so that the compiler vectorises it.
// `cosines` and `sines` hold a full turn in `steps` steps. whisper.cpp always has one size.
inline void dft(const float *in, int size, float *out, const float *cosines, const float *sines, int steps) {
  static const auto turns = [&] {
    std::vector<float> values;
    for (const auto *wave : {cosines, sines})
      for (int at = 0; at < size * size; at++) values.push_back(wave[(at / size) * (at % size) * (steps / size) % steps]);
    return values;
  }();
  std::vector<float> sums(2 * size);
  for (int at = 0; at < size; at++) {
    const float *cosine = &turns[at * size], *sine = &turns[(size + at) * size];
    for (int k = 0; k < size; k++) sums[k] += in[at] * cosine[k];
    for (int k = 0; k < size; k++) sums[size + k] -= in[at] * sine[k];
  }
  for (int k = 0; k < size; k++) {
    out[2 * k] = sums[k];
    out[2 * k + 1] = sums[size + k];
  }
}

}  // namespace oak
