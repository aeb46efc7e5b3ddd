// Keeps the attention of each token while a text is decoded, so that the alignment of words needs no second pass.
// scripts/whisper-changes.mjs calls these functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ggml-backend.h"

namespace oak {

// Whether the text that this thread decodes is aligned, in a model that aligns words.
inline thread_local bool aligns_words = false;

struct AttendingToken {
  int32_t token;
  std::vector<float> weights;  // each alignment head's, one a position
};

// The attention of the text that this thread decodes.
inline thread_local std::vector<AttendingToken> kept_attention;

// `weights`: attention of the tokens from `position` on; tokens x positions x heads. Tokens behind a gap are not kept.
inline void keep_attention(ggml_tensor *weights, const int32_t *tokens, size_t position) {
  if (position > kept_attention.size()) return;
  kept_attention.erase(kept_attention.begin() + position, kept_attention.end());
  std::vector<float> values(ggml_nelements(weights));
  ggml_backend_tensor_get(weights, values.data(), 0, ggml_nbytes(weights));
  const size_t count = weights->ne[0];
  for (size_t at = 0; at < count; at++) {
    std::vector<float> own(values.size() / count);
    for (size_t index = 0; index < own.size(); index++) own[index] = values[index * count + at];
    kept_attention.push_back({tokens[at], std::move(own)});
  }
}

// Whether all tokens but the last one are kept.
inline bool lacks_last_token(const std::vector<int32_t> &tokens) {
  return kept_attention.size() + 1 == tokens.size() &&
         std::equal(kept_attention.begin(), kept_attention.end(), tokens.begin(),
                    [](const AttendingToken &kept, int32_t token) { return kept.token == token; });
}

// tokens x positions x heads
inline void read_attention(float *into) {
  const size_t count = kept_attention.size();
  for (size_t at = 0; at < count; at++) {
    const auto &weights = kept_attention[at].weights;
    for (size_t index = 0; index < weights.size(); index++) into[index * count + at] = weights[index];
  }
}

}  // namespace oak
