// Keeps the scores of each step while a text is decoded, so that texts that begin like it are scored without these steps.
// scripts/whisper-changes.mjs calls `keep_scores`.
#pragma once

#include <cstdint>
#include <vector>

namespace oak {

struct Step {
  int32_t token;
  std::vector<float> scores;  // by token, for the next one; empty inside the prompt
};
using Steps = std::vector<Step>;

// Later steps are not kept: 51,866 scores take 0.2 MB.
constexpr size_t MOST_STEPS = 96;

// The steps of the text that this thread decodes. Null: they are not kept.
inline thread_local Steps *kept_steps = nullptr;

// Steps are kept while it exists, also when the library throws.
struct KeepingSteps {
  explicit KeepingSteps(Steps *steps) { kept_steps = steps; }
  KeepingSteps(const KeepingSteps &) = delete;
  ~KeepingSteps() { kept_steps = nullptr; }
};

// Tokens from `position` on, and the scores after the last of them.
inline void keep_scores(const int32_t *tokens, size_t count, size_t position, const float *scores, size_t vocabulary) {
  if (!kept_steps || position > kept_steps->size() || position + count > MOST_STEPS) return;
  kept_steps->resize(position);
  for (size_t at = 0; at < count; at++) kept_steps->push_back({tokens[at], {}});
  kept_steps->back().scores.assign(scores, scores + vocabulary);
}

}  // namespace oak
