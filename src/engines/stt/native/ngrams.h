// Word trigrams with backoff. scripts/train/stt/ngrams.py writes the file and describes its layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace oak {

class NGrams {
 public:
  static constexpr int BEGIN = 0, END = 1, UNKNOWN = -1;
  static constexpr float UNKNOWN_LOG_PROBABILITY = -14;

  // Throws std::runtime_error for a file that cannot be read or is damaged.
  explicit NGrams(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto check = [&](bool is_right) {
      if (!is_right) throw std::runtime_error(path + " is missing or damaged");
    };
    check(bytes.size() >= 24 && bytes.compare(0, 8, "OAKNGRAM") == 0);
    const char *at = bytes.data() + 8;
    const auto counts = take<uint32_t>(at, 4);
    check(bytes.size() == 24 + size_t{counts[3]} + 8 * size_t{counts[0]} + 6 * size_t{counts[1]} + 4 * size_t{counts[2]});
    std::istringstream text(std::string(at, counts[3]));
    for (std::string line; std::getline(text, line);) {
      const size_t end = std::min(line.find(' '), line.size());
      words_.push_back(line.substr(0, end));
      pronunciations_.push_back(line.substr(end));
    }
    at += counts[3];
    one_ = take<uint32_t>(at, counts[0]);
    two_begin_ = sums(take<uint32_t>(at, counts[0]));
    two_ = take<uint32_t>(at, counts[1]);
    three_begin_ = sums(take<uint16_t>(at, counts[1]));
    three_ = take<uint32_t>(at, counts[2]);
    const auto is_known = [&](uint32_t entry) { return word_of(entry) < words_.size(); };
    check(words_.size() == counts[0] && words_.size() > END && two_begin_.back() == two_.size() && three_begin_.back() == three_.size());
    check(std::all_of(two_.begin(), two_.end(), is_known));
    for (size_t number = 0; number < words_.size(); number++) number_of_[words_[number]] = static_cast<int>(number);
  }

  const std::vector<std::string> &words() const { return words_; }
  // The pronunciations of each word: sounds with spaces between them, and a comma behind all pronunciations but the last.
  const std::vector<std::string> &pronunciations() const { return pronunciations_; }

  int number_of(const std::string &word) const {
    const auto found = number_of_.find(word);
    return found == number_of_.end() ? UNKNOWN : found->second;
  }

  float log_probability(int word) const { return word == UNKNOWN ? UNKNOWN_LOG_PROBABILITY : probability(one_[word]); }

  // Natural logarithm of the probability of `word` after the two words before it. Behind an unknown word a text begins anew.
  float log_probability(int before, int last, int word) const {
    if (word == UNKNOWN) return UNKNOWN_LOG_PROBABILITY;
    if (last == UNKNOWN) return log_probability(word);
    float backoffs = 0;
    const auto pair = before == UNKNOWN ? NONE : find(two_, two_begin_, before, last);
    if (pair != NONE) {
      const auto triple = find(three_, three_begin_, pair, word);
      if (triple != NONE) return probability(three_[triple]);
      backoffs = backoff(two_[pair]);
    }
    const auto shorter = find(two_, two_begin_, last, word);
    return backoffs + (shorter != NONE ? probability(two_[shorter]) : backoff(one_[last]) + probability(one_[word]));
  }

 private:
  static constexpr size_t NONE = ~size_t{0};
  static size_t word_of(uint32_t entry) { return entry & 0x3ffff; }
  static float probability(uint32_t entry) { return -0.15f * (entry >> 18 & 127); }
  static float backoff(uint32_t entry) { return 1 - 0.1f * (entry >> 25); }

  template <typename Number>
  static std::vector<Number> take(const char *&at, size_t count) {
    std::vector<Number> numbers(count);
    std::memcpy(numbers.data(), at, count * sizeof(Number));
    at += count * sizeof(Number);
    return numbers;
  }

  template <typename Number>
  static std::vector<uint32_t> sums(const std::vector<Number> &counts) {
    std::vector<uint32_t> begin{0};
    for (const auto count : counts) begin.push_back(begin.back() + count);
    return begin;
  }

  static size_t find(const std::vector<uint32_t> &entries, const std::vector<uint32_t> &begin, size_t context, int word) {
    const auto end = entries.begin() + begin[context + 1];
    const auto found = std::lower_bound(entries.begin() + begin[context], end, static_cast<size_t>(word),
                                        [](uint32_t entry, size_t wanted) { return word_of(entry) < wanted; });
    return found != end && word_of(*found) == static_cast<size_t>(word) ? found - entries.begin() : NONE;
  }

  std::vector<std::string> words_, pronunciations_;
  std::unordered_map<std::string, int> number_of_;
  std::vector<uint32_t> one_, two_begin_, two_, three_begin_, three_;
};

}  // namespace oak
