// The last product of the Whisper decoder.
#pragma once

#include <algorithm>
#include <cmath>

#include "ggml-backend.h"
#include "ggml.h"
#include "whisper.h"

namespace oak {

// How many tokens a text can have. They come first. A starter file has texts for its first tokens only, and whisper.cpp wants
// all rows of a full vocabulary.
inline int text_tokens(whisper_context *context) {
  const int end = whisper_token_eot(context);
  const auto has_text = [&](int id) { return *whisper_token_to_str(context, id) != 0; };
  int first_unused = end / 2;
  if (has_text(first_unused)) return end;
  for (int low = 0; low < first_unused;) {
    const int middle = (low + first_unused) / 2;
    if (has_text(middle)) low = middle + 1;
    else first_unused = middle;
  }
  return first_unused;
}

// Scores of `rows` for the first `texts` tokens, and for those from `end` on.
inline ggml_tensor *product(ggml_context *context, ggml_tensor *embedding, ggml_tensor *rows, int texts, int end) {
  if (texts == end) return ggml_mul_mat(context, embedding, rows);
  const auto part = [&](int64_t first, int64_t count) {
    return ggml_mul_mat(context, ggml_view_2d(context, embedding, embedding->ne[0], count, embedding->nb[1], first * embedding->nb[1]), rows);
  };
  return ggml_concat(context, part(0, texts), part(end, embedding->ne[1] - end), 0);
}

// Scores of the used tokens for the `wanted` rows of the decoder's output; null when no row is wanted. A few rows are multiplied one
// by one: ggml's product of one row reads the large matrix three times faster than its product of two or three.
inline ggml_tensor *scores(whisper_context *whisper, ggml_context *context, ggml_tensor *embedding, ggml_tensor *rows, const int8_t *wanted) {
  const int texts = text_tokens(whisper), end = whisper_token_eot(whisper);
  const auto count = std::count_if(wanted, wanted + rows->ne[1], [](int8_t flag) { return flag != 0; });
  if (count == rows->ne[1] && count > 3) return product(context, embedding, rows, texts, end);
  ggml_tensor *result = nullptr;
  for (int64_t row = 0; row < rows->ne[1]; row++) {
    if (!wanted[row]) continue;
    auto *one = product(context, embedding, ggml_view_1d(context, rows, rows->ne[0], row * rows->nb[1]), texts, end);
    result = result ? ggml_concat(context, result, one, 1) : one;
  }
  return result;
}

// Row `row` of `scores` as the scores of all tokens. Unused tokens are impossible.
inline void read_scores(const ggml_tensor *scores, int row, float *all, int tokens, int end) {
  const int texts = static_cast<int>(scores->ne[0]) - (tokens - end);
  const auto read = [&](int first, int from, int count) {
    ggml_backend_tensor_get(scores, all + first, row * scores->nb[1] + sizeof(float) * from, sizeof(float) * count);
  };
  read(0, 0, texts);
  std::fill(all + texts, all + end, -INFINITY);
  read(end, texts, tokens - end);
}

}  // namespace oak
