// Scores a given text against the clip that a Whisper state has just decoded. It needs whisper.cpp's private state.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "model.h"

namespace oak {

// Logarithm of the sum of exp of `count` scores.
inline float log_sum(const float *scores, size_t count) {
  const float most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (size_t at = 0; at < count; at++) sum += std::exp(scores[at] - most);
  return most + static_cast<float>(std::log(sum));
}

// Each token of `text`, and its end, with their log-probabilities. Empty for a text that is too long, and when the library fails.
inline std::vector<Token> score_text(whisper_context *context, whisper_state *state, const std::string &text,
                                     const std::string &language, int threads) {
  // Tokens of this pass have a sequence number that whisper.cpp does not use.
  constexpr int SEQUENCE = 2 * WHISPER_MAX_DECODERS;
  std::vector<whisper_token> rows{whisper_token_sot(context)};
  if (whisper_is_multilingual(context)) {
    rows.push_back(whisper_token_lang(context, std::max(0, whisper_lang_id(language.c_str()))));
    rows.push_back(whisper_token_transcribe(context));
  }
  rows.push_back(whisper_token_not(context));
  const size_t prompt = rows.size();
  std::vector<whisper_token> tokens(whisper_n_text_ctx(context));
  const int count = whisper_tokenize(context, (" " + text).c_str(), tokens.data(), static_cast<int>(tokens.size() - prompt));
  if (count < 0) return {};
  rows.insert(rows.end(), tokens.begin(), tokens.begin() + count);
  auto &batch = state->batch;
  whisper_batch_prep_legacy(batch, rows.data(), static_cast<int>(rows.size()), 0, SEQUENCE);
  std::fill_n(batch.logits, rows.size(), 1);
  const bool is_done = whisper_decode_internal(*context, *state, batch, threads, false, nullptr, nullptr);
  whisper_kv_cache_seq_rm(state->kv_self, SEQUENCE, -1, -1);
  if (!is_done) return {};
  const whisper_token end = whisper_token_eot(context);
  rows.push_back(end);
  std::vector<Token> scored;
  // Timestamps are not allowed in a text, so their scores do not count.
  const size_t allowed = whisper_token_beg(context);
  for (size_t at = prompt; at < rows.size(); at++) {
    const float *row = &state->logits[(at - 1) * whisper_n_vocab(context)];
    const float log_probability = row[rows[at]] - log_sum(row, allowed);
    const char *bytes = rows[at] == end ? "" : whisper_token_to_str(context, rows[at]);
    scored.push_back({rows[at], bytes, std::exp(log_probability), log_probability, -1});
  }
  return scored;
}

}  // namespace oak
