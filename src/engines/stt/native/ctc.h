// Probabilities of symbols at each position of a clip (CTC: Graves et al., 2006).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace oak {

// The facts beside a Whisper model, and the parts of a text's score.
struct SoundModel {
  std::vector<std::string> sounds;  // names of the symbols that a sound network hears, from 1 on
  float sounds_share = 0;           // in a text's score; the rest is the decoder's
  float words_share = 0;            // weight of the word trigrams beside them
  std::string words_file;           // for NGrams
};

// Positions x symbols.
struct Heard {
  size_t symbols = 0;
  std::vector<float> probabilities;

  size_t positions() const { return symbols == 0 ? 0 : probabilities.size() / symbols; }
  const float *at(size_t position) const { return &probabilities[position * symbols]; }
};

// The symbol sequences of a text, part by part. A part has one sequence or more.
using Alternatives = std::vector<std::vector<int>>;

// Log-probability of a text over all its alignments and all alternatives of its parts.
inline double log_probability(const Heard &heard, const std::vector<Alternatives> &parts) {
  struct State {
    int symbol;
    std::vector<size_t> from;
  };
  std::vector<State> states{{0, {}}};
  std::vector<size_t> ends{0};  // states from which the next part begins
  const auto follow = [&](int symbol, const std::vector<size_t> &before) {
    states.push_back({symbol, {}});
    for (const size_t other : before) {
      if (symbol == 0 || states[other].symbol != symbol) states.back().from.push_back(other);
    }
    return states.size() - 1;
  };
  for (const auto &alternatives : parts) {
    std::vector<size_t> last;
    for (const auto &sequence : alternatives) {
      auto before = ends;
      for (const int symbol : sequence) {
        const size_t state = follow(symbol, before);
        before = {state};
        if (&symbol != &sequence.back()) before.push_back(follow(0, {state}));
      }
      last.push_back(before[0]);
    }
    last.push_back(follow(0, last));
    ends = last;
  }
  std::vector<double> before(states.size()), now(states.size());
  double result = 0;
  for (size_t at = 0; at < heard.positions(); at++) {
    double total = 0;
    for (size_t state = 0; state < states.size(); state++) {
      // Before the first position, all probability lies in the first state.
      double reached = at == 0 ? state == 0 : before[state];
      for (const size_t other : states[state].from) reached += at == 0 ? other == 0 : before[other];
      total += now[state] = reached * heard.at(at)[states[state].symbol];
    }
    const double scale = std::max(total, 1e-300);
    for (auto &value : now) value /= scale;
    result += std::log(scale);
    before.swap(now);
  }
  double end = 0;
  for (const size_t state : ends) end += before[state];
  return result + std::log(std::max(end, 1e-300));
}

}  // namespace oak
