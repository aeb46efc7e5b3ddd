// Scores given texts against the clip that a Whisper state has just decoded. It needs whisper.cpp's private state.
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

using Tokens = std::vector<whisper_token>;

inline Tokens prompt_tokens(whisper_context *context, const std::string &language) {
  Tokens prompt{whisper_token_sot(context)};
  if (whisper_is_multilingual(context)) {
    prompt.push_back(whisper_token_lang(context, std::max(0, whisper_lang_id(language.c_str()))));
    prompt.push_back(whisper_token_transcribe(context));
  }
  prompt.push_back(whisper_token_not(context));
  return prompt;
}

// Empty for a text that is too long.
inline Tokens text_tokens(whisper_context *context, const std::string &text, size_t most) {
  Tokens tokens(most);
  tokens.resize(std::max(0, whisper_tokenize(context, (" " + text).c_str(), tokens.data(), static_cast<int>(most))));
  return tokens;
}

// Tokens in one pass of the decoder. Each needs the scores of the whole vocabulary in memory.
constexpr size_t MAX_ROWS = 64;
// Tokens of a pass have sequence numbers that whisper.cpp does not use.
constexpr int FIRST_SEQUENCE = 2 * WHISPER_MAX_DECODERS;

// Each token of the texts, and its end, with their log-probabilities. One pass for all texts, which share the prompt. Nothing when
// the library fails.
inline std::vector<std::vector<Token>> score_together(whisper_context *context, whisper_state *state, const Tokens &prompt,
                                                      const std::vector<Tokens> &texts, int threads) {
  auto &batch = state->batch;
  batch.n_tokens = 0;
  const auto add = [&](whisper_token token, size_t position, bool has_scores) {
    const int row = batch.n_tokens++;
    batch.token[row] = token;
    batch.pos[row] = static_cast<whisper_pos>(position);
    batch.n_seq_id[row] = 0;
    batch.logits[row] = has_scores;
    return row;
  };
  const auto belongs_to = [&](int row, size_t text) {
    batch.seq_id[row][batch.n_seq_id[row]++] = FIRST_SEQUENCE + static_cast<int>(text);
  };
  for (size_t at = 0; at < prompt.size(); at++) {
    const int row = add(prompt[at], at, at + 1 == prompt.size());
    for (size_t text = 0; text < texts.size(); text++) belongs_to(row, text);
  }
  for (size_t text = 0; text < texts.size(); text++)
    for (size_t at = 0; at < texts[text].size(); at++) belongs_to(add(texts[text][at], prompt.size() + at, true), text);
  whisper_kv_cache_clear(state->kv_self);
  const bool is_done = whisper_decode_internal(*context, *state, batch, threads, false, nullptr, nullptr);
  whisper_kv_cache_clear(state->kv_self);
  if (!is_done) return {};
  const whisper_token end = whisper_token_eot(context);
  // Timestamps are not allowed in a text, so their scores do not count.
  const size_t allowed = whisper_token_beg(context);
  std::vector<std::vector<Token>> scored;
  size_t next_row = prompt.size();
  for (const auto &text : texts) {
    std::vector<Token> tokens;
    for (size_t at = 0; at <= text.size(); at++) {
      const size_t before = at == 0 ? prompt.size() - 1 : next_row++;
      const float *row = &state->logits[before * whisper_n_vocab(context)];
      const whisper_token token = at == text.size() ? end : text[at];
      const float log_probability = row[token] - log_sum(row, allowed);
      tokens.push_back({token, token == end ? "" : whisper_token_to_str(context, token), std::exp(log_probability), log_probability, -1});
    }
    scored.push_back(std::move(tokens));
  }
  return scored;
}

// Scores of each text. They are empty for a text that is too long, and when the library fails.
inline std::vector<std::vector<Token>> score_texts(whisper_context *context, whisper_state *state,
                                                   const std::vector<std::string> &texts, const std::string &language, int threads,
                                                   const std::atomic<bool> &aborted) {
  const Tokens prompt = prompt_tokens(context, language);
  std::vector<std::vector<Token>> scored(texts.size());
  std::vector<size_t> places;
  std::vector<Tokens> together;
  size_t rows = prompt.size();
  const auto score = [&] {
    if (together.empty() || aborted) return;
    auto results = score_together(context, state, prompt, together, threads);
    for (size_t at = 0; at < results.size(); at++) scored[places[at]] = std::move(results[at]);
    places.clear();
    together.clear();
    rows = prompt.size();
  };
  for (size_t at = 0; at < texts.size(); at++) {
    auto tokens = text_tokens(context, texts[at], whisper_n_text_ctx(context) - prompt.size());
    if (tokens.empty()) continue;
    // A row belongs to at most WHISPER_MAX_DECODERS texts.
    if (rows + tokens.size() > MAX_ROWS || together.size() == WHISPER_MAX_DECODERS) score();
    rows += tokens.size();
    places.push_back(at);
    together.push_back(std::move(tokens));
  }
  score();
  return scored;
}

}  // namespace oak
