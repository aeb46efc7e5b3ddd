// The words of one decode: those of the trigrams, and phrases that the caller is likely to say (contextual biasing).
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ctc.h"
#include "ngrams.h"

namespace oak {

// Texts that a caller is likely to say.
struct Phrases {
  std::vector<std::string> texts;           // words with a space between them, in the spelling of the model's texts
  std::vector<std::string> pronunciations;  // a word and its sounds, as a line of the trigrams' file
};

// Numbers of the sounds, by their names.
using SoundNumbers = std::unordered_map<std::string, int>;

// Reads sounds with spaces between them, and a comma behind all pronunciations but the last. Throws std::runtime_error for a sound without a number.
inline Alternatives read_sounds(const std::string &line, const SoundNumbers &numbers) {
  Alternatives alternatives;
  std::istringstream sounds(line);
  bool begins = true;
  for (std::string sound; sounds >> sound;) {
    if (begins) alternatives.emplace_back();
    begins = sound.back() == ',';
    if (begins) sound.pop_back();
    const auto found = numbers.find(sound);
    if (found == numbers.end()) throw std::runtime_error("a sound that the sound network does not hear: " + sound);
    alternatives.back().push_back(found->second);
  }
  return alternatives;
}

class Vocabulary {
 public:
  // `sounds`: by the numbers of `ngrams`. Throws std::runtime_error for a sound without a number.
  Vocabulary(const NGrams &ngrams, const std::vector<Alternatives> &sounds, const SoundNumbers &sound_numbers, const Phrases &phrases)
      : ngrams_(ngrams), sounds_(sounds) {
    for (const auto &line : phrases.pronunciations) {
      const size_t end = std::min(line.find(' '), line.size());
      const auto word = line.substr(0, end);
      auto said = read_sounds(line.substr(end), sound_numbers);
      if (said.empty() || number_of(word) != NGrams::UNKNOWN) continue;
      number_of_.emplace(word, static_cast<int>(ngrams.words().size() + new_words_.size()));
      new_words_.push_back(word);
      new_sounds_.push_back(std::move(said));
    }
    std::set<int> words;
    for (const auto &text : phrases.texts) {
      int last = NGrams::UNKNOWN;
      for (const int word : numbers_of(text)) {
        if (word != NGrams::UNKNOWN) words.insert(word);
        if (word != NGrams::UNKNOWN && last != NGrams::UNKNOWN) pairs_.emplace(last, word);
        last = word;
      }
    }
    likely_log_probability_ = std::log(SHARE / std::max(FEWEST, static_cast<float>(words.size())));
    for (const int word : words) {
      if (ngrams_.log_probability(of_trigrams(word)) < likely_log_probability_) likely_.insert(word);
    }
  }

  // Words of phrases that are rare in the trigrams, or not there.
  const std::set<int> &likely() const { return likely_; }
  bool is_likely(int word) const { return likely_.count(word) > 0; }

  const std::string &word(int number) const { return is_new(number) ? new_words_[of_new(number)] : ngrams_.words()[number]; }
  const Alternatives &sounds(int number) const { return is_new(number) ? new_sounds_[of_new(number)] : sounds_[number]; }

  std::vector<int> numbers_of(const std::string &text) const {
    std::vector<int> numbers;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      if (end > begin) numbers.push_back(number_of(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return numbers;
  }

  // Natural logarithm of the probability of `word` without the words before it.
  float log_probability(int word) const {
    return is_likely(word) ? likely_log_probability_ : ngrams_.log_probability(of_trigrams(word));
  }

  // The same after the two words before it.
  float log_probability(int before, int last, int word) const {
    const float known = ngrams_.log_probability(of_trigrams(before), of_trigrams(last), of_trigrams(word));
    if (pairs_.count({last, word}) > 0) return std::max(known, IN_PHRASE);
    return is_likely(word) ? std::max(known, likely_log_probability_) : known;
  }

  // The same for a whole text with its end.
  float log_probability(const std::vector<int> &text) const {
    float sum = 0;
    int before = NGrams::BEGIN, last = NGrams::BEGIN;
    for (size_t at = 0; at <= text.size(); at++) {
      const int word = at < text.size() ? text[at] : NGrams::END;
      sum += log_probability(before, last, word);
      before = last;
      last = word;
    }
    return sum;
  }

 private:
  // The phrases' words are equally probable and are this share of a text together. A shorter list counts as `FEWEST` words.
  static constexpr float SHARE = 0.25f, FEWEST = 100;
  // Least log-probability of a word behind the one before it in its phrase.
  static constexpr float IN_PHRASE = -1;

  bool is_new(int number) const { return number >= static_cast<int>(ngrams_.words().size()); }
  size_t of_new(int number) const { return number - ngrams_.words().size(); }
  int of_trigrams(int number) const { return is_new(number) ? NGrams::UNKNOWN : number; }

  int number_of(const std::string &word) const {
    const auto found = number_of_.find(word);
    return found == number_of_.end() ? ngrams_.number_of(word) : found->second;
  }

  const NGrams &ngrams_;
  const std::vector<Alternatives> &sounds_;
  std::unordered_map<std::string, int> number_of_;  // words that the trigrams lack
  std::vector<std::string> new_words_;
  std::vector<Alternatives> new_sounds_;
  std::set<int> likely_;
  std::set<std::pair<int, int>> pairs_;
  float likely_log_probability_ = 0;
};

}  // namespace oak
