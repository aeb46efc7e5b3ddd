// The encoder's output, when JavaScript has computed it (docs/decisions/0107-encoder-in-onnxruntime.md).
#pragma once

#include <vector>

#include "ggml-backend.h"

namespace oak {

// While set, whisper.cpp does not run its own encoder on this thread.
inline thread_local const std::vector<float> *encoded = nullptr;

class Encoded {
 public:
  // `states`: [positions of the context][width]; empty for none.
  explicit Encoded(const std::vector<float> &states) { encoded = states.empty() ? nullptr : &states; }
  Encoded(const Encoded &) = delete;
  ~Encoded() { encoded = nullptr; }
};

inline void read_encoded(ggml_tensor *states) {
  ggml_backend_tensor_set(states, encoded->data(), 0, encoded->size() * sizeof(float));
}

}  // namespace oak
