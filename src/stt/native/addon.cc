// The N-API side: models, decoding lanes, and transcriptions on libuv's worker threads.
//
//   loadBackend(path) -> number of graphics cards
//   loadModel(path, { alignment, gpu }) -> Model { createLane(), facts }        throws an Error that says what is wrong
//   Lane.transcribe(samples, options) -> Promise<Result>                   one at a time
//   Lane.abort()                                                           the running transcription rejects with code ABORTED

#include <dlfcn.h>
#include <napi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "ggml-backend.h"
#include "whisper-core.h"

namespace {

// whisper.cpp reports why a call failed only through its log. The last lines are kept per thread.
thread_local std::string last_error;

void keep_errors(ggml_log_level level, const char *text, void *) {
  if (level != GGML_LOG_LEVEL_ERROR || !text) return;
  if (last_error.size() < 500) last_error += text;
}

std::string take_error() {
  std::string text = std::move(last_error);
  last_error.clear();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (auto &character : text) {
    if (character == '\n') character = ';';
  }
  return text.empty() ? "no reason given" : text;
}

using Context = std::shared_ptr<whisper_context>;

// One whisper_state and the flag its graphs look at. Lives as long as its Lane or its running job.
struct LaneState {
  Context context;  // declared first: freed last
  whisper_state *state = nullptr;
  std::atomic<bool> aborted{false};
  bool busy = false;  // main thread only

  explicit LaneState(Context of) : context(std::move(of)), state(whisper_init_state(context.get())) {}
  LaneState(const LaneState &) = delete;
  ~LaneState() {
    if (state) whisper_free_state(state);
  }

  // Once a segment exists only the alignment pass is left; whisper.cpp ends the process when that pass fails.
  static bool should_stop(void *data) {
    auto *lane = static_cast<LaneState *>(data);
    return lane->aborted.load(std::memory_order_relaxed) && whisper_full_n_segments_from_state(lane->state) == 0;
  }
};

struct Options {
  int audio_ctx = 0;
  int threads = 1;
  int beams = 1;
  float temperature_step = 0;
  std::string language;
};

struct Token {
  int id;
  std::string bytes;
  float probability;
  float log_probability;
  int64_t aligned_cs;
};

// The model's own word on whether anybody spoke, asked as it was trained: right after the start token, of the audio that
// the state has just encoded. whisper.cpp 1.9.3 reports one too, but reads it from logits that a prompt of more than one
// token does not compute: what it finds there is left from an earlier clip.
float no_speech_probability(whisper_context *context, whisper_state *state, int threads) {
  const whisper_token start = whisper_token_sot(context);
  if (whisper_decode_with_state(context, state, &start, 1, 0, threads) != 0) return 0;
  const float *logits = whisper_get_logits_from_state(state);
  const int size = whisper_n_vocab(context);
  const float largest = *std::max_element(logits, logits + size);
  double sum = 0;
  for (int id = 0; id < size; id++) sum += std::exp(logits[id] - largest);
  return static_cast<float>(std::exp(logits[whisper_token_nosp(context)] - largest) / sum);
}

class Job : public Napi::AsyncWorker {
 public:
  Job(Napi::Env env, std::shared_ptr<LaneState> lane, std::vector<float> samples, Options options)
      : AsyncWorker(env), lane_(std::move(lane)), samples_(std::move(samples)), options_(std::move(options)),
        promise_(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise promise() const { return promise_.Promise(); }

  void Execute() override {
    auto *context = lane_->context.get();
    auto *state = lane_->state;
    auto params = whisper_full_default_params(options_.beams > 1 ? WHISPER_SAMPLING_BEAM_SEARCH : WHISPER_SAMPLING_GREEDY);
    params.beam_search.beam_size = options_.beams;
    params.n_threads = options_.threads;
    params.audio_ctx = options_.audio_ctx;
    params.language = options_.language.c_str();
    params.temperature = 0;
    params.temperature_inc = options_.temperature_step;
    params.greedy.best_of = 1;
    params.no_context = true;
    params.no_timestamps = true;  // one window, one pass; word times come from the alignment
    params.single_segment = true;
    params.suppress_blank = true;
    params.suppress_nst = true;
    params.print_progress = params.print_special = params.print_realtime = params.print_timestamps = false;
    params.no_speech_thold = 2;  // off: see no_speech_probability
    params.abort_callback = LaneState::should_stop;
    params.abort_callback_user_data = lane_.get();

    last_error.clear();
    oak::set_abort(state, LaneState::should_stop, lane_.get());
    const int status = whisper_full_with_state(context, state, params, samples_.data(), static_cast<int>(samples_.size()));
    oak::set_abort(state, nullptr, nullptr);
    if (lane_->aborted.load()) {
      take_error();
      SetError("aborted");
      return;
    }
    if (status != 0) {
      SetError("whisper.cpp failed with status " + std::to_string(status) + ": " + take_error());
      return;
    }
    const int end_of_text = whisper_token_eot(context);
    for (int segment = 0; segment < whisper_full_n_segments_from_state(state); segment++) {
      for (int index = 0; index < whisper_full_n_tokens_from_state(state, segment); index++) {
        const auto data = whisper_full_get_token_data_from_state(state, segment, index);
        if (data.id >= end_of_text) continue;
        tokens_.push_back({data.id, whisper_token_to_str(context, data.id), data.p, data.plog, data.t_dtw});
      }
    }
    if (!tokens_.empty()) no_speech_ = no_speech_probability(context, state, options_.threads);
  }

  void OnOK() override {
    auto env = Env();
    Napi::HandleScope scope(env);
    lane_->busy = false;
    auto list = Napi::Array::New(env, tokens_.size());
    for (size_t index = 0; index < tokens_.size(); index++) {
      const auto &token = tokens_[index];
      auto entry = Napi::Object::New(env);
      napi_value bytes;  // a token may hold half a character: one JS char a byte, decoded where words are joined
      napi_create_string_latin1(env, token.bytes.data(), token.bytes.size(), &bytes);
      entry.Set("id", token.id);
      entry.Set("bytes", Napi::Value(env, bytes));
      entry.Set("probability", token.probability);
      entry.Set("logProbability", token.log_probability);
      entry.Set("alignedSeconds", token.aligned_cs < 0 ? -1.0 : static_cast<double>(token.aligned_cs) / 100);
      list.Set(static_cast<uint32_t>(index), entry);
    }
    auto result = Napi::Object::New(env);
    result.Set("tokens", list);
    result.Set("noSpeechProbability", no_speech_);
    promise_.Resolve(result);
  }

  void OnError(const Napi::Error &error) override {
    Napi::HandleScope scope(Env());
    lane_->busy = false;
    auto value = error.Value();
    value.Set("code", lane_->aborted.load() ? "ABORTED" : "STT_FAILED");
    promise_.Reject(value);
  }

 private:
  std::shared_ptr<LaneState> lane_;
  std::vector<float> samples_;
  Options options_;
  Napi::Promise::Deferred promise_;
  std::vector<Token> tokens_;
  float no_speech_ = 0;
};

int integer(const Napi::Object &from, const char *name, int least, int most) {
  const auto value = from.Get(name);
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : NAN;
  if (!(number >= least && number <= most) || number != std::floor(number)) {
    throw Napi::RangeError::New(from.Env(), std::string(name) + " must be a whole number from " + std::to_string(least) +
                                                " to " + std::to_string(most));
  }
  return static_cast<int>(number);
}

struct Classes {
  Napi::FunctionReference model;
  Napi::FunctionReference lane;
};

class Lane : public Napi::ObjectWrap<Lane> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Lane", {InstanceMethod<&Lane::transcribe>("transcribe"), InstanceMethod<&Lane::abort>("abort")});
  }

  explicit Lane(const Napi::CallbackInfo &info) : ObjectWrap(info) {
    lane_ = std::make_shared<LaneState>(*info[0].As<Napi::External<Context>>().Data());
    if (!lane_->state) throw Napi::Error::New(info.Env(), "no memory for a decoding state: " + take_error());
  }

 private:
  Napi::Value transcribe(const Napi::CallbackInfo &info) {
    auto env = info.Env();
    if (lane_->busy) throw Napi::Error::New(env, "this lane is already transcribing");
    if (!info[0].IsTypedArray() || info[0].As<Napi::TypedArray>().TypedArrayType() != napi_float32_array || !info[1].IsObject()) {
      throw Napi::TypeError::New(env, "transcribe(samples: Float32Array, options)");
    }
    const auto samples = info[0].As<Napi::Float32Array>();
    const auto from = info[1].As<Napi::Object>();
    auto *context = lane_->context.get();
    Options options;
    options.audio_ctx = integer(from, "audioContext", 0, whisper_n_audio_ctx(context));
    options.threads = integer(from, "threads", 1, 256);
    options.beams = integer(from, "beams", 1, 8);  // whisper.cpp has room for eight decoders
    options.temperature_step = from.Get("temperatureStep").ToNumber().FloatValue();
    options.language = from.Get("language").ToString().Utf8Value();
    // A longer clip than the window would be decoded in several passes, and its alignment would end the process.
    const int positions = options.audio_ctx > 0 ? options.audio_ctx : whisper_n_audio_ctx(context);
    if (samples.ElementLength() > static_cast<size_t>(positions) * 320) {
      throw Napi::RangeError::New(env, "the clip is longer than the audio context: 320 samples a position");
    }
    if (samples.ElementLength() < 4000) throw Napi::RangeError::New(env, "the clip is shorter than 0.25 s");
    if (options.language != "auto" && whisper_lang_id(options.language.c_str()) < 0) {
      throw Napi::RangeError::New(env, "unknown language '" + options.language + "'");
    }
    lane_->aborted = false;
    lane_->busy = true;
    auto *job = new Job(env, lane_, std::vector<float>(samples.Data(), samples.Data() + samples.ElementLength()), options);
    auto promise = job->promise();
    job->Queue();
    return promise;
  }

  void abort(const Napi::CallbackInfo &) { lane_->aborted = true; }

  std::shared_ptr<LaneState> lane_;
};

class Model : public Napi::ObjectWrap<Model> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Model", {InstanceMethod<&Model::create_lane>("createLane"), InstanceAccessor<&Model::facts>("facts")});
  }

  explicit Model(const Napi::CallbackInfo &info) : ObjectWrap(info), context_(*info[0].As<Napi::External<Context>>().Data()) {}

 private:
  Napi::Value create_lane(const Napi::CallbackInfo &info) {
    return info.Env().GetInstanceData<Classes>()->lane.New({Napi::External<Context>::New(info.Env(), &context_)});
  }

  Napi::Value facts(const Napi::CallbackInfo &info) {
    auto result = Napi::Object::New(info.Env());
    auto *context = context_.get();
    result.Set("audioContext", whisper_n_audio_ctx(context));
    result.Set("multilingual", whisper_is_multilingual(context) != 0);
    result.Set("textLayers", whisper_model_n_text_layer(context));
    result.Set("audioLayers", whisper_model_n_audio_layer(context));
    result.Set("width", whisper_model_n_audio_state(context));
    return result;
  }

  Context context_;
};

const std::unordered_map<std::string, whisper_alignment_heads_preset> ALIGNMENTS = {
    {"none", WHISPER_AHEADS_NONE},         {"all", WHISPER_AHEADS_N_TOP_MOST},      {"tiny.en", WHISPER_AHEADS_TINY_EN},
    {"tiny", WHISPER_AHEADS_TINY},         {"base.en", WHISPER_AHEADS_BASE_EN},     {"base", WHISPER_AHEADS_BASE},
    {"small.en", WHISPER_AHEADS_SMALL_EN}, {"small", WHISPER_AHEADS_SMALL},         {"medium.en", WHISPER_AHEADS_MEDIUM_EN},
    {"medium", WHISPER_AHEADS_MEDIUM},     {"large-v1", WHISPER_AHEADS_LARGE_V1},   {"large-v2", WHISPER_AHEADS_LARGE_V2},
    {"large-v3", WHISPER_AHEADS_LARGE_V3}, {"large-v3-turbo", WHISPER_AHEADS_LARGE_V3_TURBO}};

// loadBackend(path): adds a ggml library. Returns how many graphics cards it found; 0 also when it cannot be loaded.
Napi::Value load_backend(const Napi::CallbackInfo &info) {
  const auto path = info[0].ToString().Utf8Value();
  auto *registry = ggml_backend_load(path.c_str());
  take_error();
  int cards = 0;
  for (size_t index = 0; registry && index < ggml_backend_reg_dev_count(registry); index++) {
    const auto type = ggml_backend_dev_type(ggml_backend_reg_dev_get(registry, index));
    if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) cards++;
  }
  return Napi::Number::New(info.Env(), cards);
}

// loadModel(path, { alignment, alignmentLayers, flashAttention, gpu }): blocks until the file is in memory.
Napi::Value load_model(const Napi::CallbackInfo &info) {
  auto env = info.Env();
  const auto path = info[0].ToString().Utf8Value();
  const auto from = info[1].As<Napi::Object>();
  const auto preset = ALIGNMENTS.find(from.Get("alignment").ToString().Utf8Value());
  if (preset == ALIGNMENTS.end()) throw Napi::RangeError::New(env, "unknown alignment");
  auto params = whisper_context_default_params();
  params.use_gpu = from.Get("gpu").ToBoolean();
  params.flash_attn = preset->second == WHISPER_AHEADS_NONE && from.Get("flashAttention").ToBoolean();
  params.dtw_token_timestamps = preset->second != WHISPER_AHEADS_NONE;
  params.dtw_aheads_preset = preset->second;
  params.dtw_n_top = integer(from, "alignmentLayers", 1, 64);
  last_error.clear();
  auto *raw = whisper_init_from_file_with_params_no_state(path.c_str(), params);
  if (!raw) throw Napi::Error::New(env, take_error());
  Context context(raw, whisper_free);
  return env.GetInstanceData<Classes>()->model.New({Napi::External<Context>::New(env, &context)});
}

// The ggml version whose headers whisper.rn carries. Another version may lay out its structures differently.
constexpr char GGML_HEADERS[] = "0.23.0";

// The CPU variants of ggml lie beside its base library. ggml picks the best one for this CPU.
void load_cpu_backend(Napi::Env env) {
  if (std::string(ggml_version()) != GGML_HEADERS) {
    throw Napi::Error::New(env, std::string("speech recognition needs ggml ") + GGML_HEADERS + ", node-llama-cpp has " +
                                    ggml_version() + "; run npm ci");
  }
  Dl_info library;
  if (!dladdr(reinterpret_cast<void *>(ggml_version), &library)) throw Napi::Error::New(env, "ggml was not found");
  const std::string path = library.dli_fname;
  ggml_backend_load_all_from_path(path.substr(0, path.rfind('/')).c_str());
  if (!ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)) {
    throw Napi::Error::New(env, "ggml has no library for this CPU: " + take_error());
  }
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  whisper_log_set(keep_errors, nullptr);
  ggml_log_set(keep_errors, nullptr);
  load_cpu_backend(env);
  env.SetInstanceData(new Classes{Napi::Persistent(Model::define(env)), Napi::Persistent(Lane::define(env))});
  exports.Set("loadBackend", Napi::Function::New(env, load_backend, "loadBackend"));
  exports.Set("loadModel", Napi::Function::New(env, load_model, "loadModel"));
  exports.Set("version", Napi::String::New(env, whisper_version()));
  return exports;
}

}  // namespace

NODE_API_MODULE(whisper, init)
