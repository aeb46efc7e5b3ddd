// Scores given texts against the clip that a Whisper state has just decoded. It needs whisper.cpp's private state.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "kept-scores.h"
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

// A text to score: its tokens with the prompt. Its first `shared` tokens are kept steps, which the state has in sequence 0.
struct Scoring {
  size_t place;
  Tokens tokens;
  size_t shared;
};

// Makes the prompt the only kept steps. False when the library fails.
inline bool decode_prompt(whisper_context *context, whisper_state *state, const Tokens &prompt, int threads, Steps &steps) {
  steps.clear();
  whisper_kv_cache_clear(state->kv_self);
  whisper_batch_prep_legacy(state->batch, prompt.data(), static_cast<int>(prompt.size()), 0, 0);
  const KeepingSteps keeping(&steps);
  return whisper_decode_internal(*context, *state, state->batch, threads, false, nullptr, nullptr);
}

inline size_t shared_length(const Steps &steps, const Tokens &tokens) {
  const auto differs = std::mismatch(steps.begin(), steps.end(), tokens.begin(), tokens.end(),
                                     [](const Step &step, whisper_token token) { return step.token == token; });
  return static_cast<size_t>(differs.first - steps.begin());
}

// Each token of the texts behind the prompt, and its end, with their log-probabilities. One pass for all tokens behind the kept steps.
// Nothing when the library fails.
inline std::vector<std::vector<Token>> score_together(whisper_context *context, whisper_state *state, const Steps &steps,
                                                      size_t prompt, const std::vector<Scoring> &texts, int threads) {
  auto &batch = state->batch;
  batch.n_tokens = 0;
  const auto sequence = [](size_t text) { return FIRST_SEQUENCE + static_cast<int>(text); };
  for (size_t text = 0; text < texts.size(); text++) {
    const auto &[place, tokens, shared] = texts[text];
    whisper_kv_cache_seq_cp(state->kv_self, 0, sequence(text), 0, static_cast<whisper_pos>(shared));
    for (size_t at = shared; at < tokens.size(); at++) {
      const int row = batch.n_tokens++;
      batch.token[row] = tokens[at];
      batch.pos[row] = static_cast<whisper_pos>(at);
      batch.n_seq_id[row] = 1;
      batch.seq_id[row][0] = sequence(text);
      batch.logits[row] = true;
    }
  }
  const bool is_done =
      batch.n_tokens == 0 || whisper_decode_internal(*context, *state, batch, threads, false, nullptr, nullptr);
  for (size_t text = 0; text < texts.size(); text++) whisper_kv_cache_seq_rm(state->kv_self, sequence(text), -1, -1);
  if (!is_done) return {};
  const whisper_token end = whisper_token_eot(context);
  // Timestamps are not allowed in a text, so their scores do not count.
  const size_t allowed = whisper_token_beg(context);
  std::vector<std::vector<Token>> scored;
  size_t next_row = 0;
  for (const auto &[place, tokens, shared] : texts) {
    std::vector<Token> own;
    for (size_t at = prompt; at <= tokens.size(); at++) {
      const float *row = at <= shared ? steps[at - 1].scores.data() : &state->logits[next_row++ * whisper_n_vocab(context)];
      const whisper_token token = at == tokens.size() ? end : tokens[at];
      const float log_probability = row[token] - log_sum(row, allowed);
      own.push_back({token, token == end ? "" : whisper_token_to_str(context, token), std::exp(log_probability), log_probability, -1});
    }
    scored.push_back(std::move(own));
  }
  return scored;
}

// Scores of each text. They are empty for a text that is too long, and when the library fails. `steps`: those of the last decoding,
// if they were kept.
inline std::vector<std::vector<Token>> score_texts(whisper_context *context, whisper_state *state, Steps steps,
                                                   const std::vector<std::string> &texts, const std::string &language, int threads,
                                                   const std::atomic<bool> &aborted) {
  const Tokens prompt = prompt_tokens(context, language);
  std::vector<std::vector<Token>> scored(texts.size());
  if (shared_length(steps, prompt) < prompt.size() && !decode_prompt(context, state, prompt, threads, steps)) return scored;
  std::vector<Scoring> together;
  size_t rows = 0;
  const auto score = [&] {
    if (together.empty() || aborted) return;
    auto results = score_together(context, state, steps, prompt.size(), together, threads);
    for (size_t at = 0; at < results.size(); at++) scored[together[at].place] = std::move(results[at]);
    together.clear();
    rows = 0;
  };
  for (size_t at = 0; at < texts.size(); at++) {
    const auto own = text_tokens(context, texts[at], whisper_n_text_ctx(context) - prompt.size());
    if (own.empty()) continue;
    Tokens tokens = prompt;
    tokens.insert(tokens.end(), own.begin(), own.end());
    const size_t shared = shared_length(steps, tokens);
    if (rows + tokens.size() - shared > MAX_ROWS) score();
    rows += tokens.size() - shared;
    together.push_back({at, std::move(tokens), shared});
  }
  score();
  return scored;
}

}  // namespace oak
