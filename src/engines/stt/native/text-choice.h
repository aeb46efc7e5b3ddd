// Chooses a clip's text among those of the decoder's beams and those whose sounds are heard. It needs whisper.cpp's private state.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ctc.h"
#include "ngrams.h"
#include "pieces.h"
#include "text-hooks.h"
#include "vocabulary.h"
#include "word-search.h"

namespace oak {

// The files beside a Whisper model, ready for use.
class Listening {
 public:
  // Throws std::runtime_error for a damaged file, or one with other sounds.
  Listening(SoundModel of, Pieces in)
      : model(std::move(of)),
        pieces(std::move(in)),
        ngrams(model.words_file),
        sound_numbers(numbers_of(model.sounds)),
        sounds(sounds_of(model, ngrams, sound_numbers)),
        search(ngrams, sounds) {}
  Listening(const Listening &) = delete;

  const SoundModel model;
  const Pieces pieces;
  const NGrams ngrams;
  const SoundNumbers sound_numbers;
  const std::vector<Alternatives> sounds;  // by the numbers of `ngrams`
  const WordSearch search;

 private:
  static SoundNumbers numbers_of(const std::vector<std::string> &names) {
    SoundNumbers numbers;
    for (const auto &name : names) numbers.emplace(name, static_cast<int>(numbers.size()) + 1);
    return numbers;
  }

  static std::vector<Alternatives> sounds_of(const SoundModel &model, const NGrams &ngrams, const SoundNumbers &numbers) {
    std::vector<Alternatives> result;
    try {
      for (const auto &line : ngrams.pronunciations()) result.push_back(read_sounds(line, numbers));
    } catch (const std::runtime_error &error) {
      throw std::runtime_error(model.words_file + " has " + error.what());
    }
    return result;
  }
};

// Scores the texts of one decode on this thread while it lives.
class TextChoice {
 public:
  // `sounds`: positions x (sounds + 1).
  TextChoice(const Listening &listening, whisper_context *context, whisper_state *state, const whisper_full_params &params,
             const std::vector<float> &sounds, const Phrases &phrases)
      : listening_(listening),
        vocabulary_(listening.ngrams, listening.sounds, listening.sound_numbers, phrases),
        context_(context),
        state_(state),
        params_(params),
        sounds_{listening.model.sounds.size() + 1, sounds} {
    score_of_text = [this](const Tokens &tokens, double log_probability) { return score(text_of(tokens), log_probability); };
    better_text = [this](Tokens &tokens, double score) { return replace(tokens, score); };
  }
  TextChoice(const TextChoice &) = delete;
  ~TextChoice() {
    score_of_text = nullptr;
    better_text = nullptr;
  }

 private:
  static constexpr size_t CANDIDATES = 8;
  // Scores are natural logarithms. The trigrams count for texts with words only, so a text without words pays a part of their cost.
  static constexpr double NOTHING_SAID = -1.5;  // added to its score
  // Taken off a text's score for each unknown word, because most of the decoder's do not exist.
  static constexpr double UNKNOWN_WORD = 30;
  // Added for each likely word, because the decoder knows no phrases.
  static constexpr double LIKELY_WORD = 3;
  // Tokens of the candidates have a sequence number that whisper.cpp does not use.
  static constexpr int SEQUENCE = 2 * WHISPER_MAX_DECODERS;

  double score(const std::string &text, double log_probability) {
    const auto &model = listening_.model;
    const auto numbers = vocabulary_.numbers_of(text);
    const double heard = (1 - model.sounds_share) * log_probability + model.sounds_share * sounds_of(numbers);
    if (numbers.empty()) return heard + NOTHING_SAID;
    const auto likely = std::count_if(numbers.begin(), numbers.end(), [this](int number) { return vocabulary_.is_likely(number); });
    return heard + model.words_share * vocabulary_.log_probability(numbers) + LIKELY_WORD * static_cast<double>(likely) -
           UNKNOWN_WORD * static_cast<double>(std::count(numbers.begin(), numbers.end(), NGrams::UNKNOWN));
  }

  // Texts of known words, best first.
  const std::vector<std::vector<int>> &found() {
    const auto is_aborted = [this] { return params_.abort_callback(params_.abort_callback_user_data); };
    if (!found_) found_ = listening_.search.best_texts(sounds_, vocabulary_, CANDIDATES, is_aborted);
    return *found_;
  }

  // Log-probability of the words' sounds. Unknown words have none: their text counts as heard as well as the first found one.
  double sounds_of(const std::vector<int> &numbers) {
    if (std::find(numbers.begin(), numbers.end(), NGrams::UNKNOWN) != numbers.end()) return found().empty() ? 0 : sounds_of(found()[0]);
    std::vector<Alternatives> parts;
    for (const int number : numbers) parts.push_back(vocabulary_.sounds(number));
    return oak::log_probability(sounds_, parts);
  }

  std::string text_of(const Tokens &tokens) const {
    std::string text;
    for (const auto &token : tokens) {
      if (token.id < whisper_token_eot(context_)) text += whisper_token_to_str(context_, token.id);
    }
    return text.substr(std::min(text.size(), text.find_first_not_of(' ')));
  }

  // Puts a better text in the place of `tokens`, if one is heard. Texts that sound less like the clip than `tokens` are not tried,
  // except the one without words: the decoder writes words on some noise.
  bool replace(Tokens &tokens, double best) {
    const auto chosen = text_of(tokens);
    bool is_replaced = false;
    const auto try_text = [&](const std::string &text) {
      auto candidate = decoded(text);
      double log_probability = 0;
      for (const auto &token : candidate) log_probability += token.plog;
      const double candidate_score = score(text, log_probability);
      if (candidate.empty() || candidate_score <= best) return;
      best = candidate_score;
      tokens = std::move(candidate);
      is_replaced = true;
    };
    for (const auto &numbers : found()) {
      if (written(numbers) == chosen) break;
      if (!numbers.empty()) try_text(written(numbers));
    }
    if (!chosen.empty()) try_text("");
    return is_replaced;
  }

  std::string written(const std::vector<int> &numbers) const {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : " ") + vocabulary_.word(number);
    return text;
  }

  // The tokens of `text` and of its end with the decoder's probabilities. The prompt is that of an English-only model. Empty when the text is too long or the decode fails.
  Tokens decoded(const std::string &text) {
    std::vector<whisper_token> rows{whisper_token_sot(context_), whisper_token_not(context_)};
    const size_t prompt = rows.size();
    for (const int piece : listening_.pieces.of(text)) rows.push_back(piece);
    if (static_cast<int>(rows.size()) > whisper_n_text_ctx(context_)) return {};
    auto &batch = state_->batch;
    whisper_batch_prep_legacy(batch, rows.data(), static_cast<int>(rows.size()), 0, SEQUENCE);
    std::fill_n(batch.logits, rows.size(), 1);
    const bool is_done = whisper_decode_internal(*context_, *state_, batch, params_.n_threads, false, params_.abort_callback, params_.abort_callback_user_data);
    whisper_kv_cache_seq_rm(state_->kv_self, SEQUENCE, -1, -1);
    if (!is_done) return {};
    rows.push_back(whisper_token_eot(context_));
    Tokens tokens;
    for (size_t at = prompt; at < rows.size(); at++) {
      const float *scores = &state_->logits[(at - 1) * whisper_n_vocab(context_)];
      whisper_token_data token{};
      token.id = rows[at];
      token.tid = whisper_token_beg(context_);
      token.plog = scores[rows[at]] - log_sum(scores, whisper_token_eot(context_) + 1);
      token.p = std::exp(token.plog);
      token.t0 = token.t1 = token.t_dtw = -1;
      tokens.push_back(token);
    }
    return tokens;
  }

  // Logarithm of the sum of exp of `count` scores.
  static float log_sum(const float *scores, size_t count) {
    const float most = *std::max_element(scores, scores + count);
    double sum = 0;
    for (size_t at = 0; at < count; at++) {
      if (scores[at] > most - 25) sum += std::exp(scores[at] - most);
    }
    return most + static_cast<float>(std::log(sum));
  }

  const Listening &listening_;
  const Vocabulary vocabulary_;
  whisper_context *context_;
  whisper_state *state_;
  const whisper_full_params &params_;
  const Heard sounds_;
  std::optional<std::vector<std::vector<int>>> found_;
};

}  // namespace oak
