// The interface of addon.cc to a family of speech recognition models.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oak {

struct Token {
  int id;
  std::string bytes;  // begins with a space where a word begins; may hold half of a UTF-8 character
  float probability;
  float log_probability;
  double seconds;  // from the first sample to the token; -1 when unknown
};

struct Decoded {
  std::vector<Token> tokens;
  float no_speech = 0;  // probability
};

using LanguageScores = std::vector<std::pair<std::string, float>>;

// Parakeet uses only `threads`.
struct DecodeOptions {
  int audio_context = 0;
  int threads = 1;
  int beams = 1;
  int max_tokens = 0;  // 0: no limit
  bool aligns_words = false;
  std::string language;
  std::string prompt;
  std::vector<float> encoded;  // the encoder's output for the clip; empty: the library runs its encoder
};

// The state of one lane, which keeps its model alive. The lanes of one model decode side by side.
class Decoder {
 public:
  virtual ~Decoder() = default;

  // Throws std::invalid_argument for arguments on which the library would end the process.
  virtual void check(size_t samples, const DecodeOptions &options) const = 0;

  // Blocks. After `aborted` is set, it returns early or throws, and the result does not count.
  // Throws std::runtime_error with the library's reason.
  virtual Decoded decode(const std::vector<float> &samples, const DecodeOptions &options,
                         const std::atomic<bool> &aborted) = 0;

  // Each text's tokens and its end with their probabilities, given the clip that was decoded last. A text without tokens cannot be
  // scored. Blocks.
  virtual std::vector<std::vector<Token>> score(const std::vector<std::string> &, const std::string & /* language */,
                                                int /* threads */, const std::atomic<bool> &) {
    throw std::invalid_argument("this model does not score texts");
  }

  // The encoder's input for a clip: [bands][2 frames a position], log-mel. The clip must fit the audio context. Blocks.
  virtual std::vector<float> log_mel(const std::vector<float> &, int /* audio_context */, int /* threads */) {
    throw std::invalid_argument("this model has no separate encoder");
  }

  // Probability of each language that may be spoken, by its code. The clip must fit the audio context, as in `decode`. Blocks,
  // stops and throws like `decode`.
  virtual LanguageScores identify_language(const std::vector<float> &, int /* audio_context */, int /* threads */,
                                           const std::vector<float> & /* encoded, as in DecodeOptions */,
                                           const std::atomic<bool> &) {
    throw std::invalid_argument("this model does not identify languages");
  }
};

class Model {
 public:
  virtual ~Model() = default;
  // Throws std::runtime_error.
  virtual std::unique_ptr<Decoder> open() const = 0;
  virtual std::vector<std::pair<const char *, int>> facts() const = 0;
};

struct WhisperLoading {
  std::string alignment;
  int alignment_layers;
  bool flash_attention;
  bool gpu;
};

// Both block until the file is in memory. They throw std::invalid_argument for bad options and std::runtime_error with the
// library's reason for a bad file.
std::unique_ptr<Model> load_whisper(const std::string &path, const WhisperLoading &loading);
std::unique_ptr<Model> load_parakeet(const std::string &path, bool gpu);

}  // namespace oak
