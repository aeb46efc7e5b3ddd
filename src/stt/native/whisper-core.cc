// whisper.cpp itself, compiled here so that its private state is in reach.
#include "whisper.cpp"

#include "whisper-core.h"

namespace oak {

void set_abort(whisper_state *state, bool (*aborted)(void *), void *data) {
  for (auto *backend : state->backends) {
    auto *device = wsp_ggml_backend_get_device(backend);
    auto *registry = device ? wsp_ggml_backend_dev_backend_reg(device) : nullptr;
    if (!registry) continue;
    auto set = reinterpret_cast<wsp_ggml_backend_set_abort_callback_t>(
        wsp_ggml_backend_reg_get_proc_address(registry, "wsp_ggml_backend_set_abort_callback"));
    if (set) set(backend, aborted, data);
  }
}

}  // namespace oak
