// The few functions that need whisper.cpp's internals, next to its public interface.
#pragma once

#include "whisper.h"

namespace oak {

// Makes every node of the state's graphs ask `aborted` whether to stop; nullptr to ask no longer.
// whisper_full_params.abort_callback is asked only between whole encoder and decoder passes.
void set_abort(whisper_state *state, bool (*aborted)(void *), void *data);

}  // namespace oak
