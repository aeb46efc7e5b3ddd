// whisper.cpp is compiled here, because the functions below need its private state.
#include "ggml-backend.h"

#include "whisper-core.h"

namespace oak {

// whisper.cpp makes a backend for the alignment of words and leaves it at ggml's default of four threads. Those threads
// spin while one of them works.
static ggml_backend_t single_threaded_backend(enum ggml_backend_dev_type type, const char *params) {
  auto *backend = ggml_backend_init_by_type(type, params);
  auto *registry = backend ? ggml_backend_dev_backend_reg(ggml_backend_get_device(backend)) : nullptr;
  auto set = registry ? reinterpret_cast<ggml_backend_set_n_threads_t>(
                            ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"))
                      : nullptr;
  if (set) set(backend, 1);
  return backend;
}

}  // namespace oak

#define ggml_backend_init_by_type oak::single_threaded_backend
#include "whisper.cpp"
#undef ggml_backend_init_by_type

namespace oak {

void set_abort(whisper_state *state, bool (*aborted)(void *), void *data) {
  for (auto *backend : state->backends) {
    auto *device = ggml_backend_get_device(backend);
    auto *registry = device ? ggml_backend_dev_backend_reg(device) : nullptr;
    if (!registry) continue;
    auto set = reinterpret_cast<ggml_backend_set_abort_callback_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_abort_callback"));
    if (set) set(backend, aborted, data);
  }
}

}  // namespace oak
