// Weights of a Whisper file in the type that the CPU computes fastest.
#pragma once

#include <vector>

#include "ggml-backend.h"
#include "ggml.h"
#include "whisper.h"

namespace oak {

// ggml has fast products on the CPU for weights of 8 bits, and none for those of 5 (docs/decisions/0073-cheaper-decodes.md).
inline ggml_type computed_type(ggml_type stored, bool gpu) {
  return !gpu && (stored == GGML_TYPE_Q5_0 || stored == GGML_TYPE_Q5_1) ? GGML_TYPE_Q8_0 : stored;
}

// Reads the weights of `tensor`, which the file has in the type `stored`.
inline void load_converted(whisper_model_loader *loader, ggml_type stored, ggml_tensor *tensor) {
  std::vector<char> bytes(ggml_row_size(stored, tensor->ne[0]) * ggml_nrows(tensor));
  loader->read(loader->context, bytes.data(), bytes.size());
  std::vector<float> values(ggml_nelements(tensor));
  ggml_get_type_traits(stored)->to_float(bytes.data(), values.data(), ggml_nelements(tensor));
  std::vector<char> converted(ggml_nbytes(tensor));
  ggml_quantize_chunk(tensor->type, values.data(), converted.data(), 0, ggml_nrows(tensor), tensor->ne[0], nullptr);
  ggml_backend_tensor_set(tensor, converted.data(), 0, converted.size());
}

}  // namespace oak
