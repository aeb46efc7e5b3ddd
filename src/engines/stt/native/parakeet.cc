// Parakeet TDT: an encoder whose cost follows the clip's length, and a transducer that gives each token a frame of 80 ms.
#include <algorithm>
#include <cmath>
#include <stdexcept>

// Compiled here, because the abort hook needs the private state of a lane.
#include "parakeet.cpp"

#include "abort-hook.h"
#include "library-log.h"
#include "model.h"

namespace oak {
namespace {

using Context = std::shared_ptr<parakeet_context>;

constexpr double MEL_FRAME_SECONDS = static_cast<double>(PARAKEET_HOP_LENGTH) / PARAKEET_SAMPLE_RATE;

bool is_set(void *aborted) { return static_cast<const std::atomic<bool> *>(aborted)->load(std::memory_order_relaxed); }

// SentencePiece writes a space as U+2581. Marks such as <unk> and <|en|> are not text.
std::string text_of(const std::string &piece) {
  if (piece.size() > 2 && piece.front() == '<' && piece.back() == '>') return "";
  std::string text;
  for (size_t at = 0; at < piece.size();) {
    const bool is_space = piece.compare(at, PARAKEET_SPM_SPACE.size(), PARAKEET_SPM_SPACE) == 0;
    text += is_space ? ' ' : piece[at];
    at += is_space ? PARAKEET_SPM_SPACE.size() : 1;
  }
  return text;
}

// Log-probability of a token among the vocabulary and the blank. The library computes it without the largest logit taken
// off first, so that it may be 0 / 0, and counts durations as tokens.
float log_probability(const std::vector<float> &logits, int vocabulary, int token) {
  const float largest = *std::max_element(logits.begin(), logits.begin() + vocabulary + 1);
  double sum = 0;
  for (int id = 0; id <= vocabulary; id++) sum += std::exp(logits[id] - largest);
  return static_cast<float>(logits[token] - largest - std::log(sum));
}

void add_token(parakeet_context *context, parakeet_state *state, const parakeet_token_data *data, void *tokens) {
  const auto text = text_of(parakeet_token_to_str(context, data->id));
  if (text.empty()) return;
  const float log_p = log_probability(state->logits, parakeet_n_vocab(context), data->id);
  const double seconds = static_cast<double>(data->t0) * MEL_FRAME_SECONDS;
  static_cast<std::vector<Token> *>(tokens)->push_back({data->id, text, std::exp(log_p), log_p, seconds});
}

class ParakeetDecoder : public Decoder {
 public:
  explicit ParakeetDecoder(Context of) : context_(std::move(of)), state_(parakeet_init_state(context_.get())) {
    if (!state_) throw std::runtime_error("no memory for a decoding state: " + take_errors());
  }
  ParakeetDecoder(const ParakeetDecoder &) = delete;
  ~ParakeetDecoder() override { parakeet_free_state(state_); }

  void check(size_t samples, const DecodeOptions &) const override {
    if (samples > static_cast<size_t>(parakeet_n_audio_ctx(context_.get()) - 1) * PARAKEET_HOP_LENGTH)
      throw std::invalid_argument("the clip is longer than the audio context: 160 samples a position");
  }

  Decoded decode(const std::vector<float> &samples, const DecodeOptions &options, const std::atomic<bool> &aborted) override {
    Decoded decoded;
    auto *flag = const_cast<std::atomic<bool> *>(&aborted);
    auto params = parakeet_full_default_params(PARAKEET_SAMPLING_GREEDY);
    params.n_threads = options.threads;
    params.new_token_callback = add_token;
    params.new_token_callback_user_data = &decoded.tokens;
    params.abort_callback = is_set;
    params.abort_callback_user_data = flag;

    set_abort(state_->backends, is_set, flag);
    const bool done = run(samples, params);
    set_abort(state_->backends, nullptr, nullptr);
    if (aborted) return {};
    if (!done) throw std::runtime_error("parakeet failed: " + take_errors());
    for (const auto &token : decoded.tokens)
      if (!std::isfinite(token.log_probability)) throw std::runtime_error("parakeet failed: its weights are damaged");
    return decoded;
  }

 private:
  // parakeet_full_with_state with one thread for the transducer: its graphs are so small that threads only wait for each other.
  bool run(const std::vector<float> &samples, const parakeet_full_params &params) {
    auto *context = context_.get();
    parakeet_reset_state(state_);
    if (parakeet_pcm_to_mel_with_state(context, state_, samples.data(), static_cast<int>(samples.size()), params.n_threads) != 0)
      return false;
    state_->n_audio_ctx = parakeet_n_len_from_state(state_);
    return parakeet_ensure_encode_sched(*context, *state_, state_->n_audio_ctx) &&
           parakeet_encode_internal(*context, *state_, 0, params.n_threads, params.abort_callback,
                                    params.abort_callback_user_data) &&
           parakeet_decode(*context, *state_, state_->batch, 1, &params);
  }

  Context context_;  // declared first: freed last
  parakeet_state *state_;
};

class ParakeetModel : public Model {
 public:
  explicit ParakeetModel(Context context) : context_(std::move(context)) {}

  std::unique_ptr<Decoder> open() const override { return std::make_unique<ParakeetDecoder>(context_); }

  std::vector<std::pair<const char *, int>> facts() const override {
    auto *context = context_.get();
    return {{"audioContext", parakeet_n_audio_ctx(context)},
            {"vocabulary", parakeet_n_vocab(context)},
            {"audioLayers", parakeet_model_n_audio_layer(context)},
            {"width", parakeet_model_n_audio_state(context)}};
  }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<Model> load_parakeet(const std::string &path, bool gpu) {
  auto params = parakeet_context_default_params();
  params.use_gpu = gpu;
  parakeet_log_set(keep_errors, nullptr);
  auto *context = parakeet_init_from_file_with_params_no_state(path.c_str(), params);
  if (!context) throw std::runtime_error(take_errors());
  return std::make_unique<ParakeetModel>(Context(context, parakeet_free));
}

}  // namespace oak
