// Whisper: loads a model, decodes clips and aligns their words.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "abort-hook.h"
#include "encoded.h"
#include "fourier.h"
#include "kept-attention.h"
#include "kept-scores.h"
#include "library-log.h"
#include "model.h"
#include "scores.h"
#include "weights.h"

namespace oak {

// whisper.cpp makes a backend for the alignment of words and leaves it at ggml's default of four threads. Those threads
// spin while one of them works.
static ggml_backend_t single_threaded_backend(enum ggml_backend_dev_type type, const char *params) {
  auto *backend = ggml_backend_init_by_type(type, params);
  auto *registry = backend ? ggml_backend_dev_backend_reg(ggml_backend_get_device(backend)) : nullptr;
  auto set = registry ? reinterpret_cast<ggml_backend_set_n_threads_t>(
                            ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"))
                      : nullptr;
  if (set) set(backend, 1);
  return backend;
}

}  // namespace oak

// Compiled here, because the abort hook needs the private state of a lane.
#define ggml_backend_init_by_type oak::single_threaded_backend
#include "whisper.cpp"
#undef ggml_backend_init_by_type

#include "score-text.h"

namespace oak {
namespace {

using Context = std::shared_ptr<whisper_context>;

const std::unordered_map<std::string, whisper_alignment_heads_preset> ALIGNMENTS = {
    {"none", WHISPER_AHEADS_NONE},         {"all", WHISPER_AHEADS_N_TOP_MOST},      {"tiny.en", WHISPER_AHEADS_TINY_EN},
    {"tiny", WHISPER_AHEADS_TINY},         {"base.en", WHISPER_AHEADS_BASE_EN},     {"base", WHISPER_AHEADS_BASE},
    {"small.en", WHISPER_AHEADS_SMALL_EN}, {"small", WHISPER_AHEADS_SMALL},         {"medium.en", WHISPER_AHEADS_MEDIUM_EN},
    {"medium", WHISPER_AHEADS_MEDIUM},     {"large-v1", WHISPER_AHEADS_LARGE_V1},   {"large-v2", WHISPER_AHEADS_LARGE_V2},
    {"large-v3", WHISPER_AHEADS_LARGE_V3}, {"large-v3-turbo", WHISPER_AHEADS_LARGE_V3_TURBO}};

struct Abort {
  const std::atomic<bool> &aborted;
  whisper_state *state;

  // Once a segment exists only the alignment pass is left; whisper.cpp ends the process when that pass fails.
  static bool is_due(void *data) {
    const auto *abort = static_cast<const Abort *>(data);
    return abort->aborted.load(std::memory_order_relaxed) && whisper_full_n_segments_from_state(abort->state) == 0;
  }
};

class WhisperDecoder : public Decoder {
 public:
  explicit WhisperDecoder(Context of) : context_(std::move(of)), state_(whisper_init_state(context_.get())) {
    if (!state_) throw std::runtime_error("no memory for a decoding state: " + take_errors());
  }
  WhisperDecoder(const WhisperDecoder &) = delete;
  ~WhisperDecoder() override { whisper_free_state(state_); }

  void check(size_t samples, const DecodeOptions &options) const override {
    check_fit(samples, options.audio_context);
    check_encoded(options.encoded, options.audio_context);
    if (options.language != "auto" && whisper_lang_id(options.language.c_str()) < 0)
      throw std::invalid_argument("unknown language '" + options.language + "'");
  }

  std::vector<float> log_mel(const std::vector<float> &samples, int audio_context, int threads) override {
    check_fit(samples.size(), audio_context);
    state_->result_all.clear();
    if (whisper_pcm_to_mel_with_state(context_.get(), state_, samples.data(), static_cast<int>(samples.size()), threads) != 0)
      throw std::runtime_error("whisper.cpp failed: " + take_errors());
    const auto &mel = state_->mel;
    const int frames = 2 * positions(audio_context);
    std::vector<float> window(static_cast<size_t>(frames) * mel.n_mel);
    for (int band = 0; band < mel.n_mel; band++) {
      const auto row = mel.data.begin() + static_cast<ptrdiff_t>(band) * mel.n_len;
      std::copy_n(row, std::min(frames, mel.n_len), window.begin() + static_cast<ptrdiff_t>(band) * frames);
    }
    return window;
  }

  // The first token after the start of a text names the language.
  LanguageScores identify_language(const std::vector<float> &samples, int audio_context, int threads,
                                   const std::vector<float> &states, const std::atomic<bool> &aborted) override {
    auto *context = context_.get();
    if (!whisper_is_multilingual(context)) return Decoder::identify_language(samples, audio_context, threads, states, aborted);
    check_fit(samples.size(), audio_context);
    check_encoded(states, audio_context);
    const Encoded encoding(states);
    state_->exp_n_audio_ctx = audio_context;
    state_->result_all.clear();
    steps_.clear();
    Abort abort{aborted, state_};
    std::vector<float> probabilities(whisper_lang_max_id() + 1);
    set_abort(state_->backends, Abort::is_due, &abort);
    int status = 0;
    if (states.empty())
      status = whisper_pcm_to_mel_with_state(context, state_, samples.data(), static_cast<int>(samples.size()), threads);
    if (status == 0) status = whisper_lang_auto_detect_with_state(context, state_, 0, threads, probabilities.data());
    set_abort(state_->backends, nullptr, nullptr);
    if (aborted) return {};
    if (status < 0)
      throw std::runtime_error("whisper.cpp failed with status " + std::to_string(status) + ": " + take_errors());
    LanguageScores scores;
    // A model may have fewer languages than the library.
    for (int id = 0; id < context->vocab.num_languages(); id++) scores.emplace_back(whisper_lang_str(id), probabilities[id]);
    return scores;
  }

  void check_fit(size_t samples, int audio_context) const {
    const int most = whisper_n_audio_ctx(context_.get());
    if (audio_context > most) throw std::invalid_argument("audioContext must be at most " + std::to_string(most));
    // A longer clip than the window would be decoded in several passes, and its alignment would end the process.
    if (samples > static_cast<size_t>(positions(audio_context)) * 320)
      throw std::invalid_argument("the clip is longer than the audio context: 320 samples a position");
  }

  void check_encoded(const std::vector<float> &states, int audio_context) const {
    const size_t size = static_cast<size_t>(positions(audio_context)) * whisper_model_n_audio_state(context_.get());
    if (states.empty()) return;
    if (states.size() != size) throw std::invalid_argument("encoded must have " + std::to_string(size) + " numbers");
    if (state_->mel.data.empty()) throw std::invalid_argument("encoded needs the clip's logMel before");
  }

  int positions(int audio_context) const { return audio_context > 0 ? audio_context : whisper_n_audio_ctx(context_.get()); }

  Decoded decode(const std::vector<float> &samples, const DecodeOptions &options, const std::atomic<bool> &aborted) override {
    auto *context = context_.get();
    Abort abort{aborted, state_};
    auto params = whisper_full_default_params(options.beams > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
    params.beam_search.beam_size = options.beams;
    params.n_threads = options.threads;
    params.audio_ctx = options.audio_context;
    // whisper.cpp stops after the token with this index.
    params.max_tokens = std::max(0, options.max_tokens - 1);
    params.language = options.language.c_str();
    params.initial_prompt = options.prompt.empty() ? nullptr : options.prompt.c_str();
    // Temperatures above 0 are random. The text must not vary, because a prepared reply is kept only if the final text is the same.
    params.temperature = params.temperature_inc = 0;
    params.greedy.best_of = 1;
    params.no_context = true;
    params.no_timestamps = true;  // one window, one pass; word times come from the alignment
    params.single_segment = true;
    params.suppress_blank = true;
    params.suppress_nst = true;
    params.print_progress = params.print_special = params.print_realtime = params.print_timestamps = false;
    params.no_speech_thold = 2;  // off: the guards of the caller decide
    params.abort_callback = Abort::is_due;
    params.abort_callback_user_data = &abort;

    steps_.clear();
    aligns_words = options.aligns_words;
    const Encoded encoding(options.encoded);
    // The alignment decodes the text again, and beams decode several.
    const KeepingSteps keeping(aligns_words || options.beams > 1 ? nullptr : &steps_);
    set_abort(state_->backends, Abort::is_due, &abort);
    // Without samples, whisper.cpp takes the log-mel that `log_mel` has computed.
    const int count = options.encoded.empty() ? static_cast<int>(samples.size()) : 0;
    const int status = whisper_full_with_state(context, state_, params, samples.data(), count);
    set_abort(state_->backends, nullptr, nullptr);
    aligns_words = false;
    Decoded decoded;
    if (aborted) return decoded;
    if (status != 0)
      throw std::runtime_error("whisper.cpp failed with status " + std::to_string(status) + ": " + take_errors());

    const int end_of_text = whisper_token_eot(context);
    for (int segment = 0; segment < whisper_full_n_segments_from_state(state_); segment++) {
      for (int index = 0; index < whisper_full_n_tokens_from_state(state_, segment); index++) {
        const auto data = whisper_full_get_token_data_from_state(state_, segment, index);
        if (data.id >= end_of_text) continue;
        const double seconds = data.t_dtw < 0 ? -1 : static_cast<double>(data.t_dtw) / 100;
        decoded.tokens.push_back({data.id, whisper_token_to_str(context, data.id), data.p, data.plog, seconds});
      }
    }
    if (!decoded.tokens.empty()) decoded.no_speech = whisper_full_get_segment_no_speech_prob_from_state(state_, 0);
    return decoded;
  }

  std::vector<std::vector<Token>> score(const std::vector<std::string> &texts, const std::string &language, int threads,
                                        const std::atomic<bool> &aborted) override {
    return score_texts(context_.get(), state_, std::exchange(steps_, {}), texts, language, threads, aborted);
  }

 private:
  Context context_;  // declared first: freed last
  whisper_state *state_;
  Steps steps_;  // until they are used for scores
};

class WhisperModel : public Model {
 public:
  explicit WhisperModel(Context context) : context_(std::move(context)) {}

  std::unique_ptr<Decoder> open() const override { return std::make_unique<WhisperDecoder>(context_); }

  std::vector<std::pair<const char *, int>> facts() const override {
    auto *context = context_.get();
    return {{"audioContext", whisper_n_audio_ctx(context)},
            {"textLayers", whisper_model_n_text_layer(context)},
            {"audioLayers", whisper_model_n_audio_layer(context)},
            {"width", whisper_model_n_audio_state(context)}};
  }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<Model> load_whisper(const std::string &path, const WhisperLoading &loading) {
  const auto preset = ALIGNMENTS.find(loading.alignment);
  if (preset == ALIGNMENTS.end()) throw std::invalid_argument("unknown alignment");
  auto params = whisper_context_default_params();
  params.use_gpu = loading.gpu;
  params.flash_attn = preset->second == WHISPER_AHEADS_NONE && loading.flash_attention;
  params.dtw_token_timestamps = preset->second != WHISPER_AHEADS_NONE;
  params.dtw_aheads_preset = preset->second;
  params.dtw_n_top = loading.alignment_layers;
  whisper_log_set(keep_errors, nullptr);
  auto *context = whisper_init_from_file_with_params_no_state(path.c_str(), params);
  if (!context) throw std::runtime_error(take_errors());
  return std::make_unique<WhisperModel>(Context(context, whisper_free));
}

}  // namespace oak
