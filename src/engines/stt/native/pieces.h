// Splits texts into a model's word pieces, as its training does (byte-pair encoding, scripts/train/stt/pieces.py).
#pragma once

#include <algorithm>
#include <climits>
#include <string>
#include <unordered_map>
#include <vector>

namespace oak {

class Pieces {
 public:
  // `texts`: by number; pieces that begin words begin with a space. The pair that makes the lowest number is joined first.
  explicit Pieces(const std::vector<std::string> &texts) {
    for (size_t number = texts.size(); number-- > 0;) {
      if (!texts[number].empty()) number_of_[texts[number]] = static_cast<int>(number);
    }
  }

  // Numbers of the pieces of words that single spaces separate. Letters without a piece are left out.
  std::vector<int> of(const std::string &text) const {
    std::vector<int> numbers;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      append(numbers, " " + text.substr(begin, end - begin));
      begin = end + 1;
    }
    return numbers;
  }

 private:
  int number_of(const std::string &piece) const {
    const auto found = number_of_.find(piece);
    return found == number_of_.end() ? INT_MAX : found->second;
  }

  void append(std::vector<int> &numbers, const std::string &word) const {
    std::vector<std::string> parts;
    for (const char letter : word) parts.emplace_back(1, letter);
    while (true) {
      int lowest = INT_MAX;
      for (size_t at = 0; at + 1 < parts.size(); at++) lowest = std::min(lowest, number_of(parts[at] + parts[at + 1]));
      if (lowest == INT_MAX) break;
      std::vector<std::string> joined;
      for (size_t at = 0; at < parts.size(); at++) {
        const bool joins = at + 1 < parts.size() && number_of(parts[at] + parts[at + 1]) == lowest;
        joined.push_back(joins ? parts[at] + parts[at + 1] : parts[at]);
        if (joins) at++;
      }
      parts = std::move(joined);
    }
    for (const auto &part : parts) {
      if (const int number = number_of(part); number != INT_MAX) numbers.push_back(number);
    }
  }

  std::unordered_map<std::string, int> number_of_;
};

}  // namespace oak
