// The last product of the Whisper decoder.
#pragma once

#include <algorithm>

#include "ggml.h"

namespace oak {

// Scores of all tokens for the `wanted` rows of the decoder's output; null when no row is wanted. A few rows are multiplied one by
// one: ggml's product of one row reads the large matrix three times faster than its product of two or three.
inline ggml_tensor *scores(ggml_context *context, ggml_tensor *embedding, ggml_tensor *rows, const int8_t *wanted) {
  const auto count = std::count_if(wanted, wanted + rows->ne[1], [](int8_t flag) { return flag != 0; });
  if (count == rows->ne[1] && count > 3) return ggml_mul_mat(context, embedding, rows);
  ggml_tensor *result = nullptr;
  for (int64_t row = 0; row < rows->ne[1]; row++) {
    if (!wanted[row]) continue;
    auto *one = ggml_mul_mat(context, embedding, ggml_view_1d(context, rows, rows->ne[0], row * rows->nb[1]));
    result = result ? ggml_concat(context, result, one, 1) : one;
  }
  return result;
}

}  // namespace oak
