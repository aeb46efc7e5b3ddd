// Searches the texts of a trigram model's words whose sounds are heard in a clip (CTC prefix search: Graves and Jaitly, 2014).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ctc.h"
#include "ngrams.h"
#include "vocabulary.h"

namespace oak {

class WordSearch {
 public:
  // `sounds`: the pronunciations of each word of `ngrams`, by its number.
  WordSearch(const NGrams &ngrams, const std::vector<Alternatives> &sounds) {
    for (size_t word = 0; word < sounds.size(); word++) words_.add(sounds[word], static_cast<int>(word), ngrams.log_probability(static_cast<int>(word)));
  }

  // The best texts, as numbers of words, best first. None once `is_aborted` returns true. `vocabulary`: it has the same trigrams.
  template <typename IsAborted>
  std::vector<std::vector<int>> best_texts(const Heard &heard, const Vocabulary &vocabulary, size_t count, IsAborted is_aborted) const {
    Run run(vocabulary, words_.end());
    run.kept.push_back({FIRST_TEXT, 0, 0, NGrams::BEGIN, NGrams::BEGIN, 0, 0, IMPOSSIBLE, NONE, 0});
    std::vector<float> logs(heard.symbols);
    for (size_t at = 0; at < heard.positions(); at++) {
      if (is_aborted()) return {};
      for (size_t symbol = 0; symbol < heard.symbols; symbol++) logs[symbol] = std::log(std::max(1e-30f, heard.at(at)[symbol]));
      step(run, logs);
    }
    return texts(run, count);
  }

 private:
  static constexpr float LANGUAGE = 1.15f;  // weight of the trigrams
  static constexpr float WORD = -1;        // added for each word: fewer short words are found in long ones
  static constexpr float RAREST = -9;      // log-probability; rarer sounds are not followed
  static constexpr float WIDTH = 12;       // how far a prefix may be below the best one
  static constexpr size_t MOST_PREFIXES = 400;
  static constexpr float IMPOSSIBLE = -1e30f;
  static constexpr int NONE = -1;
  static constexpr uint64_t FIRST_TEXT = 14695981039346656037u;

  struct Node {
    int parent, symbol;
    std::vector<int> words;  // that end here
    float likeliest;         // log-probability of the most frequent word at or below this node
    std::vector<int> children;
  };

  // Words by their sounds. The root is node 0. The others are numbered from `first` on.
  class Tree {
   public:
    explicit Tree(int first) : first_(first) {}

    // Behind the last node.
    int end() const { return first_ + static_cast<int>(nodes_.size()) - 1; }
    const Node &operator[](int number) const { return nodes_[place(number)]; }

    void add(const Alternatives &sounds, int word, float log_probability) {
      for (const auto &sequence : sounds) {
        int number = 0;
        for (const int symbol : sequence) number = child(number, symbol);
        nodes_[place(number)].words.push_back(word);
        for (int above = number; above != 0; above = nodes_[place(above)].parent) {
          auto &likeliest = nodes_[place(above)].likeliest;
          likeliest = std::max(likeliest, log_probability);
        }
      }
    }

   private:
    size_t place(int number) const { return number == 0 ? 0 : number - first_ + 1; }

    int child(int parent, int symbol) {
      for (const int other : nodes_[place(parent)].children) {
        if (nodes_[place(other)].symbol == symbol) return other;
      }
      const int made = end();
      nodes_[place(parent)].children.push_back(made);
      nodes_.push_back({parent, symbol, {}, IMPOSSIBLE, {}});
      return made;
    }

    int first_;
    std::vector<Node> nodes_{{0, 0, {}, IMPOSSIBLE, {}}};
  };

  // All alignments of one beginning of a text, up to a node inside its last word.
  struct Prefix {
    uint64_t text;  // hash of its whole words
    int node, symbol;
    int before, last;  // its last two whole words
    // Log-probability of the likeliest word that the node may lead to, weighted.
    float ahead;
    float none, some;  // log-probability of the alignments that end with no sound, and with one
    int trace;         // its last whole word among the traces
    float best_alignment;  // decides which trace is kept where two meet

    float total() const { return add(none, some); }
    float expected() const { return total() + ahead; }
  };

  struct Trace {
    int previous, word;
  };

  // The places of prefixes in a list, by their keys. Open addressing: a step has at most some thousand prefixes.
  class Places {
   public:
    void clear() {
      std::fill(slots_.begin(), slots_.end(), Slot{0, EMPTY});
      count_ = 0;
    }

    // The place of `key`, which is set to `place` where the key is new.
    size_t find_or_set(uint64_t key, size_t place) {
      auto &slot = slot_of(key);
      if (slot.place != EMPTY) return slot.place;
      slot = {key, place};
      if (2 * ++count_ > slots_.size()) grow();
      return place;
    }

   private:
    static constexpr size_t EMPTY = ~size_t{0};
    struct Slot {
      uint64_t key;
      size_t place;
    };

    Slot &slot_of(uint64_t key) {
      size_t at = (key * 0x9e3779b97f4a7c15u) >> 32;
      while (slots_[at &= slots_.size() - 1].place != EMPTY && slots_[at].key != key) at++;
      return slots_[at];
    }

    void grow() {
      std::vector<Slot> old(2 * slots_.size(), Slot{0, EMPTY});
      old.swap(slots_);
      for (const auto &slot : old) {
        if (slot.place != EMPTY) slot_of(slot.key) = slot;
      }
    }

    std::vector<Slot> slots_{4096, Slot{0, EMPTY}};
    size_t count_ = 0;
  };

  struct Run {
    Run(const Vocabulary &of, int first) : vocabulary(of), likely(first) {
      for (const int word : vocabulary.likely()) likely.add(vocabulary.sounds(word), word, vocabulary.log_probability(word));
    }

    const Vocabulary &vocabulary;
    Tree likely;  // instead of the large tree's: likely words of the vocabulary
    std::vector<Prefix> kept, next;
    std::vector<Trace> traces;
    Places places;
    float highest = 0;
  };

  // log(exp(a) + exp(b))
  static float add(float a, float b) {
    if (a < b) std::swap(a, b);
    return b < a - 30 ? a : a + std::log1p(std::exp(b - a));
  }

  bool is_in_large_tree(int node) const { return node < words_.end(); }
  const Node &node(const Run &run, int number) const { return is_in_large_tree(number) ? words_[number] : run.likely[number]; }

  void put(Run &run, Prefix prefix) const {
    prefix.best_alignment = std::max(prefix.none, prefix.some);
    const float score = prefix.best_alignment + prefix.ahead;
    if (score < run.highest - WIDTH) return;
    run.highest = std::max(run.highest, score);
    // Between two words the last sound counts: the same one needs a gap before it.
    const uint64_t key = (prefix.text * 1'000'003 + prefix.node) * 64 + (prefix.node == 0 ? prefix.symbol : 0);
    const size_t place = run.places.find_or_set(key, run.next.size());
    if (place == run.next.size()) {
      run.next.push_back(prefix);
      return;
    }
    auto &known = run.next[place];
    known.none = add(known.none, prefix.none);
    known.some = add(known.some, prefix.some);
    if (prefix.best_alignment > known.best_alignment) {
      known.best_alignment = prefix.best_alignment;
      known.trace = prefix.trace;
    }
  }

  static Prefix with(Prefix prefix, int node, float ahead, int symbol, float none, float some) {
    prefix.node = node;
    prefix.ahead = ahead;
    prefix.symbol = symbol;
    prefix.none = none;
    prefix.some = some;
    return prefix;
  }

  void step(Run &run, const std::vector<float> &heard) const {
    run.next.clear();
    run.places.clear();
    run.highest = IMPOSSIBLE;
    for (const auto &prefix : run.kept) {
      const float total = prefix.total();
      put(run, with(prefix, prefix.node, prefix.ahead, prefix.symbol, total + heard[0], prefix.symbol == 0 ? IMPOSSIBLE : prefix.some + heard[prefix.symbol]));
      const auto follow = [&](const std::vector<int> &children) {
        for (const int child : children) {
          const auto &longer = node(run, child);
          const int symbol = longer.symbol;
          if (heard[symbol] < RAREST) continue;
          put(run, with(prefix, child, LANGUAGE * longer.likeliest, symbol, IMPOSSIBLE, (symbol == prefix.symbol ? prefix.none : total) + heard[symbol]));
        }
      };
      follow(node(run, prefix.node).children);
      if (prefix.node == 0) follow(run.likely[0].children);
    }
    for (size_t at = 0, count = run.next.size(); at < count; at++) end_words(run, Prefix(run.next[at]));
    keep_best(run);
  }

  void end_words(Run &run, const Prefix &prefix) const {
    if (prefix.expected() < run.highest - WIDTH) return;
    for (const int word : node(run, prefix.node).words) {
      if (is_in_large_tree(prefix.node) && run.vocabulary.is_likely(word)) continue;  // the other tree has it
      const float language = WORD + LANGUAGE * run.vocabulary.log_probability(prefix.before, prefix.last, word);
      auto ended = with(prefix, 0, 0, prefix.symbol, prefix.none + language, prefix.some + language);
      ended.text = (prefix.text ^ static_cast<uint64_t>(word + 1)) * 1'099'511'628'211u;
      ended.before = prefix.last;
      ended.last = word;
      ended.trace = static_cast<int>(run.traces.size());
      run.traces.push_back({prefix.trace, word});
      put(run, ended);
    }
  }

  void keep_best(Run &run) const {
    std::vector<std::pair<float, size_t>> order;
    for (size_t at = 0; at < run.next.size(); at++) order.emplace_back(-run.next[at].expected(), at);
    const size_t most = std::min(order.size(), MOST_PREFIXES);
    std::partial_sort(order.begin(), order.begin() + most, order.end());
    run.kept.clear();
    for (size_t at = 0; at < most && order[at].first < order[0].first + WIDTH; at++) run.kept.push_back(run.next[order[at].second]);
  }

  std::vector<std::vector<int>> texts(const Run &run, size_t count) const {
    std::vector<std::pair<float, const Prefix *>> ended;
    for (const auto &prefix : run.kept) {
      if (prefix.node == 0) ended.emplace_back(-prefix.total() - LANGUAGE * run.vocabulary.log_probability(prefix.before, prefix.last, NGrams::END), &prefix);
    }
    std::sort(ended.begin(), ended.end());
    std::vector<uint64_t> known;
    std::vector<std::vector<int>> result;
    for (const auto &[cost, prefix] : ended) {
      if (result.size() == count) break;
      if (std::find(known.begin(), known.end(), prefix->text) != known.end()) continue;
      known.push_back(prefix->text);
      std::vector<int> words;
      for (int at = prefix->trace; at != NONE; at = run.traces[at].previous) words.push_back(run.traces[at].word);
      result.emplace_back(words.rbegin(), words.rend());
    }
    return result;
  }

  Tree words_{1};
};

}  // namespace oak
