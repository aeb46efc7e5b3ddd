// The last product of the Whisper decoder.
#pragma once

#include <algorithm>

#include "ggml.h"

namespace oak {

// Scores of all tokens for the `wanted` rows of the decoder's output; null when no row is wanted. A few rows are multiplied one by
// one: ggml's product of one row reads the large matrix three times faster than its product of two or three.
inline ggml_tensor *scores(ggml_context *context, ggml_tensor *embedding, ggml_tensor *rows, const int8_t *wanted) {
  const auto *end = wanted + rows->ne[1];
  const auto count = std::count_if(wanted, end, [](int8_t flag) { return flag != 0; });
  const auto first = std::find_if(wanted, end, [](int8_t flag) { return flag != 0; }) - wanted;
  // All rows from the first wanted one on.
  if (count > 3 && count == rows->ne[1] - first)
    return ggml_mul_mat(context, embedding, ggml_view_2d(context, rows, rows->ne[0], count, rows->nb[1], first * rows->nb[1]));
  ggml_tensor *result = nullptr;
  for (int64_t row = 0; row < rows->ne[1]; row++) {
    if (!wanted[row]) continue;
    auto *one = ggml_mul_mat(context, embedding, ggml_view_1d(context, rows, rows->ne[0], row * rows->nb[1]));
    result = result ? ggml_concat(context, result, one, 1) : one;
  }
  return result;
}

}  // namespace oak
