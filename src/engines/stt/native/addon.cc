// The N-API side: models, decoding lanes, and transcriptions on libuv's worker threads.
//
//   loadBackend(path) -> number of graphics cards
//   loadModel(path, { alignment, gpu }) -> Model { createLane(), facts }   for Whisper. Throws an Error with the cause.
//   loadParakeet(path, { gpu }) -> Model
//   Lane.transcribe(samples, options) -> Promise<Result>                   One at a time.
//   Lane.score(texts, { language, threads }) -> Promise<tokens of each>    For the last transcribed clip.
//   Lane.identifyLanguage(samples, options) -> Promise<{ code: probability }>
//   Lane.logMel(samples, options) -> Promise<Float32Array>                 The encoder's input, for an encoder outside whisper.cpp.
//   Lane.abort()                                                           The running work rejects with code ABORTED.

#include <dlfcn.h>
#include <napi.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "library-log.h"
#include "model.h"

namespace {

using SharedModel = std::shared_ptr<oak::Model>;

// Lives as long as its Lane or its running job.
struct LaneState {
  std::unique_ptr<oak::Decoder> decoder;
  std::atomic<bool> aborted{false};
  bool busy = false;  // main thread only

  explicit LaneState(const oak::Model &model) : decoder(model.open()) {}
};

// Work on a lane, one at a time. `run` works on a thread of the pool, `result` makes the JavaScript value.
class Job : public Napi::AsyncWorker {
 public:
  Job(Napi::Env env, std::shared_ptr<LaneState> lane)
      : AsyncWorker(env), lane_(std::move(lane)), promise_(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise promise() const { return promise_.Promise(); }

  void Execute() override {
    oak::logged_errors.clear();
    run(*lane_->decoder, lane_->aborted);  // an exception rejects the promise
    if (lane_->aborted) SetError("aborted");
  }

  void OnOK() override {
    Napi::HandleScope scope(Env());
    lane_->busy = false;
    promise_.Resolve(result(Env()));
  }

  void OnError(const Napi::Error &error) override {
    Napi::HandleScope scope(Env());
    lane_->busy = false;
    auto value = error.Value();
    value.Set("code", lane_->aborted.load() ? "ABORTED" : "STT_FAILED");
    promise_.Reject(value);
  }

 protected:
  virtual void run(oak::Decoder &decoder, const std::atomic<bool> &aborted) = 0;
  virtual Napi::Value result(Napi::Env env) = 0;

 private:
  std::shared_ptr<LaneState> lane_;
  Napi::Promise::Deferred promise_;
};

Napi::Array tokens_array(Napi::Env env, const std::vector<oak::Token> &tokens) {
  auto list = Napi::Array::New(env, tokens.size());
  for (size_t index = 0; index < tokens.size(); index++) {
    const auto &token = tokens[index];
    auto entry = Napi::Object::New(env);
    napi_value bytes;  // a token may hold half a character: one JS char a byte, decoded where words are joined
    napi_create_string_latin1(env, token.bytes.data(), token.bytes.size(), &bytes);
    entry.Set("id", token.id);
    entry.Set("bytes", Napi::Value(env, bytes));
    entry.Set("probability", token.probability);
    entry.Set("logProbability", token.log_probability);
    entry.Set("alignedSeconds", token.seconds);
    list.Set(static_cast<uint32_t>(index), entry);
  }
  return list;
}

class Transcription : public Job {
 public:
  Transcription(Napi::Env env, std::shared_ptr<LaneState> lane, std::vector<float> samples, oak::DecodeOptions options)
      : Job(env, std::move(lane)), samples_(std::move(samples)), options_(std::move(options)) {}

 protected:
  void run(oak::Decoder &decoder, const std::atomic<bool> &aborted) override {
    decoded_ = decoder.decode(samples_, options_, aborted);
  }

  Napi::Value result(Napi::Env env) override {
    auto result = Napi::Object::New(env);
    result.Set("tokens", tokens_array(env, decoded_.tokens));
    result.Set("noSpeechProbability", decoded_.no_speech);
    return result;
  }

 private:
  std::vector<float> samples_;
  oak::DecodeOptions options_;
  oak::Decoded decoded_;
};

class Scoring : public Job {
 public:
  Scoring(Napi::Env env, std::shared_ptr<LaneState> lane, std::vector<std::string> texts, std::string language, int threads)
      : Job(env, std::move(lane)), texts_(std::move(texts)), language_(std::move(language)), threads_(threads) {}

 protected:
  void run(oak::Decoder &decoder, const std::atomic<bool> &aborted) override {
    scored_ = decoder.score(texts_, language_, threads_, aborted);
  }

  Napi::Value result(Napi::Env env) override {
    auto list = Napi::Array::New(env, scored_.size());
    for (size_t index = 0; index < scored_.size(); index++)
      list.Set(static_cast<uint32_t>(index), tokens_array(env, scored_[index]));
    return list;
  }

 private:
  std::vector<std::string> texts_;
  std::string language_;
  int threads_;
  std::vector<std::vector<oak::Token>> scored_;
};

class LogMel : public Job {
 public:
  LogMel(Napi::Env env, std::shared_ptr<LaneState> lane, std::vector<float> samples, int audio_context, int threads)
      : Job(env, std::move(lane)), samples_(std::move(samples)), audio_context_(audio_context), threads_(threads) {}

 protected:
  void run(oak::Decoder &decoder, const std::atomic<bool> &) override {
    mel_ = decoder.log_mel(samples_, audio_context_, threads_);
  }

  Napi::Value result(Napi::Env env) override {
    auto array = Napi::Float32Array::New(env, mel_.size());
    std::copy(mel_.begin(), mel_.end(), array.Data());
    return array;
  }

 private:
  std::vector<float> samples_;
  int audio_context_;
  int threads_;
  std::vector<float> mel_;
};

class Identification : public Job {
 public:
  Identification(Napi::Env env, std::shared_ptr<LaneState> lane, std::vector<float> samples, int audio_context, int threads,
                 std::vector<float> encoded)
      : Job(env, std::move(lane)),
        samples_(std::move(samples)),
        audio_context_(audio_context),
        threads_(threads),
        encoded_(std::move(encoded)) {}

 protected:
  void run(oak::Decoder &decoder, const std::atomic<bool> &aborted) override {
    scores_ = decoder.identify_language(samples_, audio_context_, threads_, encoded_, aborted);
  }

  Napi::Value result(Napi::Env env) override {
    auto result = Napi::Object::New(env);
    for (const auto &[language, probability] : scores_) result.Set(language, probability);
    return result;
  }

 private:
  std::vector<float> samples_;
  int audio_context_;
  int threads_;
  std::vector<float> encoded_;
  oak::LanguageScores scores_;
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

std::vector<std::string> strings(const Napi::Value &value) {
  const auto array = value.As<Napi::Array>();
  std::vector<std::string> result;
  for (uint32_t at = 0; at < array.Length(); at++) result.push_back(array.Get(at).ToString().Utf8Value());
  return result;
}

// The content of a Float32Array; empty for another value.
std::vector<float> floats(const Napi::Value &value) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float32_array) return {};
  const auto array = value.As<Napi::Float32Array>();
  return {array.Data(), array.Data() + array.ElementLength()};
}

// Calls the library side. Its exceptions become JavaScript's.
template <typename Call>
auto or_throw(Napi::Env env, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::invalid_argument &error) {
    throw Napi::RangeError::New(env, error.what());
  } catch (const std::exception &error) {
    throw Napi::Error::New(env, error.what());
  }
}

struct Classes {
  Napi::FunctionReference model;
  Napi::FunctionReference lane;
};

class Lane : public Napi::ObjectWrap<Lane> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Lane",
                       {InstanceMethod<&Lane::transcribe>("transcribe"), InstanceMethod<&Lane::score>("score"),
                        InstanceMethod<&Lane::identify_language>("identifyLanguage"), InstanceMethod<&Lane::log_mel>("logMel"),
                        InstanceMethod<&Lane::abort>("abort")});
  }

  explicit Lane(const Napi::CallbackInfo &info) : ObjectWrap(info) {
    const auto &model = *info[0].As<Napi::External<SharedModel>>().Data();
    lane_ = or_throw(info.Env(), [&] { return std::make_shared<LaneState>(*model); });
  }

 private:
  Napi::Value transcribe(const Napi::CallbackInfo &info) {
    const auto samples = clip(info, "transcribe");
    const auto from = info[1].As<Napi::Object>();
    oak::DecodeOptions options;
    options.audio_context = integer(from, "audioContext", 0, 1 << 20);
    options.threads = integer(from, "threads", 1, 256);
    options.beams = integer(from, "beams", 1, 8);  // whisper.cpp has room for eight decoders
    options.max_tokens = integer(from, "maxTokens", 0, 1 << 20);
    options.aligns_words = from.Get("alignsWords").ToBoolean();
    options.language = from.Get("language").ToString().Utf8Value();
    if (from.Get("prompt").IsString()) options.prompt = from.Get("prompt").ToString().Utf8Value();
    options.encoded = floats(from.Get("encoded"));
    or_throw(info.Env(), [&] { return lane_->decoder->check(samples.size(), options); });
    return start(new Transcription(info.Env(), lane_, samples, options));
  }

  Napi::Value score(const Napi::CallbackInfo &info) {
    check_idle(info.Env());
    const auto from = info[1].As<Napi::Object>();
    const int threads = integer(from, "threads", 1, 256);
    return start(new Scoring(info.Env(), lane_, strings(info[0]), from.Get("language").ToString().Utf8Value(), threads));
  }

  Napi::Value identify_language(const Napi::CallbackInfo &info) {
    const auto samples = clip(info, "identifyLanguage");
    const auto from = info[1].As<Napi::Object>();
    const int audio_context = integer(from, "audioContext", 0, 1 << 20);
    const int threads = integer(from, "threads", 1, 256);
    return start(new Identification(info.Env(), lane_, samples, audio_context, threads, floats(from.Get("encoded"))));
  }

  Napi::Value log_mel(const Napi::CallbackInfo &info) {
    const auto samples = clip(info, "logMel");
    const auto from = info[1].As<Napi::Object>();
    const int audio_context = integer(from, "audioContext", 0, 1 << 20);
    return start(new LogMel(info.Env(), lane_, samples, audio_context, integer(from, "threads", 1, 256)));
  }

  void check_idle(Napi::Env env) const {
    if (lane_->busy) throw Napi::Error::New(env, "this lane is already in use");
  }

  std::vector<float> clip(const Napi::CallbackInfo &info, const std::string &method) {
    auto env = info.Env();
    check_idle(env);
    auto samples = floats(info[0]);
    if (samples.empty() || !info[1].IsObject()) throw Napi::TypeError::New(env, method + "(samples: Float32Array, options)");
    if (samples.size() < 4000) throw Napi::RangeError::New(env, "the clip is shorter than 0.25 s");
    return samples;
  }

  Napi::Value start(Job *job) {
    lane_->aborted = false;
    lane_->busy = true;
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

  explicit Model(const Napi::CallbackInfo &info) : ObjectWrap(info), model_(*info[0].As<Napi::External<SharedModel>>().Data()) {}

 private:
  Napi::Value create_lane(const Napi::CallbackInfo &info) {
    return info.Env().GetInstanceData<Classes>()->lane.New({Napi::External<SharedModel>::New(info.Env(), &model_)});
  }

  Napi::Value facts(const Napi::CallbackInfo &info) {
    auto result = Napi::Object::New(info.Env());
    for (const auto &[name, value] : model_->facts()) result.Set(name, value);
    return result;
  }

  SharedModel model_;
};

// loadBackend(path): adds a ggml library. Returns how many graphics cards it found; 0 also when it cannot be loaded.
Napi::Value load_backend(const Napi::CallbackInfo &info) {
  const auto path = info[0].ToString().Utf8Value();
  auto *registry = ggml_backend_load(path.c_str());
  oak::take_errors();
  int cards = 0;
  for (size_t index = 0; registry && index < ggml_backend_reg_dev_count(registry); index++) {
    const auto type = ggml_backend_dev_type(ggml_backend_reg_dev_get(registry, index));
    if (type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU) cards++;
  }
  return Napi::Number::New(info.Env(), cards);
}

template <typename Load>
Napi::Value load(Napi::Env env, Load from_file) {
  oak::logged_errors.clear();
  SharedModel model = or_throw(env, from_file);
  return env.GetInstanceData<Classes>()->model.New({Napi::External<SharedModel>::New(env, &model)});
}

// loadModel(path, { alignment, alignmentLayers, flashAttention, gpu }): blocks until the file is in memory.
Napi::Value load_whisper(const Napi::CallbackInfo &info) {
  const auto path = info[0].ToString().Utf8Value();
  const auto from = info[1].As<Napi::Object>();
  const oak::WhisperLoading loading{from.Get("alignment").ToString().Utf8Value(), integer(from, "alignmentLayers", 1, 64),
                                    from.Get("flashAttention").ToBoolean(), from.Get("gpu").ToBoolean()};
  return load(info.Env(), [&] { return oak::load_whisper(path, loading); });
}

// loadParakeet(path, { gpu }): blocks until the file is in memory.
Napi::Value load_parakeet(const Napi::CallbackInfo &info) {
  const auto path = info[0].ToString().Utf8Value();
  const bool gpu = info[1].As<Napi::Object>().Get("gpu").ToBoolean();
  return load(info.Env(), [&] { return oak::load_parakeet(path, gpu); });
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
    throw Napi::Error::New(env, "ggml has no library for this CPU: " + oak::take_errors());
  }
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  ggml_log_set(oak::keep_errors, nullptr);
  load_cpu_backend(env);
  env.SetInstanceData(new Classes{Napi::Persistent(Model::define(env)), Napi::Persistent(Lane::define(env))});
  exports.Set("loadBackend", Napi::Function::New(env, load_backend, "loadBackend"));
  exports.Set("loadModel", Napi::Function::New(env, load_whisper, "loadModel"));
  exports.Set("loadParakeet", Napi::Function::New(env, load_parakeet, "loadParakeet"));
  return exports;
}

}  // namespace

NODE_API_MODULE(whisper, init)
