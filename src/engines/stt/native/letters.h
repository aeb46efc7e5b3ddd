// Scores the texts of a beam search by the letters that are heard in the clip (joint CTC and attention: Watanabe et al., 2017).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "whisper.h"

namespace oak {

// A linear layer over the encoder's output: probabilities of letters and, as symbol 0, of no letter.
struct LetterHead {
  std::string letters;         // symbols 1 and up
  std::vector<float> weights;  // symbols x width
  std::vector<float> biases;   // one a symbol
  float share = 0;             // of the letters in a text's score; the rest is the decoder's

  size_t symbols() const { return letters.size() + 1; }
  size_t width() const { return weights.size() / symbols(); }
};

// Probabilities of the symbols at each position of `heard` (positions x width).
inline std::vector<double> letter_probabilities(const LetterHead &head, const std::vector<float> &heard) {
  const size_t symbols = head.symbols(), width = head.width(), positions = heard.size() / width;
  std::vector<double> all(positions * symbols);
  for (size_t at = 0; at < positions; at++) {
    auto *own = &all[at * symbols];
    for (size_t symbol = 0; symbol < symbols; symbol++) {
      float sum = head.biases[symbol];
      for (size_t index = 0; index < width; index++) sum += head.weights[symbol * width + index] * heard[at * width + index];
      own[symbol] = sum;
    }
    const double most = *std::max_element(own, own + symbols);
    double total = 0;
    for (size_t symbol = 0; symbol < symbols; symbol++) total += own[symbol] = std::exp(own[symbol] - most);
    for (size_t symbol = 0; symbol < symbols; symbol++) own[symbol] /= total;
  }
  return all;
}

// Log-probability of `text` (symbols) over all its alignments: the forward pass of CTC, rescaled at each position.
inline double letter_log_probability(const std::vector<double> &probabilities, size_t symbols, const std::vector<int> &text) {
  std::vector<int> path(2 * text.size() + 1, 0);
  for (size_t index = 0; index < text.size(); index++) path[2 * index + 1] = text[index];
  std::vector<double> before(path.size()), now(path.size());
  before[0] = 1;
  double result = 0;
  for (size_t at = 0; at < probabilities.size() / symbols; at++) {
    double total = 0;
    for (size_t state = 0; state < path.size(); state++) {
      double reached = before[state];
      // At the first position only the states 0 and 1 are reached.
      if (state > 0) reached += before[state - 1];
      if (at > 0 && state > 2 && path[state] != 0 && path[state] != path[state - 2]) reached += before[state - 2];
      total += now[state] = reached * probabilities[at * symbols + path[state]];
    }
    const double scale = std::max(total, 1e-300);
    for (auto &value : now) value /= scale;
    result += std::log(scale);
    before.swap(now);
  }
  const double end = before.back() + (path.size() > 1 ? before[path.size() - 2] : 0);
  return result + std::log(std::max(end, 1e-300));
}

// The score of a text that this thread decodes, from its tokens and its log-probability; absent: whisper.cpp's own score.
// scripts/whisper-changes.mjs calls it.
inline thread_local std::function<double(const std::vector<whisper_token_data> &, double)> score_of_text;

}  // namespace oak
