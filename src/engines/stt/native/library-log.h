// whisper.cpp and ggml say why a call failed only through their log. This keeps the errors of each thread.
#pragma once

#include <string>

#include "ggml.h"

namespace oak {

inline thread_local std::string logged_errors;

inline void keep_errors(ggml_log_level level, const char *text, void *) {
  if (level != GGML_LOG_LEVEL_ERROR || !text) return;
  if (logged_errors.size() < 500) logged_errors += text;
}

inline std::string take_errors() {
  std::string text = std::move(logged_errors);
  logged_errors.clear();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (auto &character : text) {
    if (character == '\n') character = ';';
  }
  return text.empty() ? "no reason given" : text;
}

}  // namespace oak
