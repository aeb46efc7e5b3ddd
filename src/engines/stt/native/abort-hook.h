// Stops a graph of ggml between two of its nodes. Backends of graphics cards have no such hook: their graphs run to the end.
#pragma once

#include <vector>

#include "ggml-backend.h"

namespace oak {

// `aborted` is asked before each node; nullptr removes it.
inline void set_abort(const std::vector<ggml_backend_t> &backends, bool (*aborted)(void *), void *data) {
  for (auto *backend : backends) {
    auto *device = ggml_backend_get_device(backend);
    auto *registry = device ? ggml_backend_dev_backend_reg(device) : nullptr;
    if (!registry) continue;
    auto set = reinterpret_cast<ggml_backend_set_abort_callback_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_abort_callback"));
    if (set) set(backend, aborted, data);
  }
}

}  // namespace oak
