// scripts/whisper-changes.mjs calls these for the clip that this thread decodes.
#pragma once

#include <functional>
#include <vector>

#include "whisper.h"

namespace oak {

using Tokens = std::vector<whisper_token_data>;

// The score of a text, from its tokens and its log-probability; absent: whisper.cpp's own score.
inline thread_local std::function<double(const Tokens &, double)> score_of_text;
// Puts a better text in the place of the best beam's, whose score is given. Returns whether it did.
inline thread_local std::function<bool(Tokens &, double)> better_text;

}  // namespace oak
