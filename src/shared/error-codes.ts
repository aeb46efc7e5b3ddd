interface ErrorEntry {
  readonly meaning: string;
  /** Whether the same request may succeed later, unchanged. */
  readonly retryable: boolean;
}

const permanent = (meaning: string): ErrorEntry => ({ meaning, retryable: false });
const transient = (meaning: string): ErrorEntry => ({ meaning, retryable: true });

/** Codes of errors after which the connection stays open (docs/protocol.md). */
const CALL_ERRORS = {
  MALFORMED_JSON: permanent("A text frame is not JSON."),
  INVALID_MESSAGE: permanent("A field of the message is missing or wrong."),
  UNKNOWN_MESSAGE_TYPE: permanent("The message's type is unknown."),
  INVALID_SETTINGS: permanent("A setting is wrong. No setting was changed."),
  SETTINGS_OUTSIDE_DATA: permanent("Settings at the top level of the message were ignored."),
  AUDIO_FORMAT_SUSPECT: permanent("The audio seems to be in a wrong format."),
  AUDIO_BEFORE_SETTINGS: transient("Audio came before the first accepted settings and was dropped."),
  TEXT_BEFORE_SETTINGS: transient("A text came before the first accepted settings and was dropped."),
  AUDIO_PROCESSING_FAILED: permanent("The audio could not be decoded or analysed."),
  KEY_RATE_EXCEEDED: transient("The connections of the key send too much together. This message was dropped."),
  STT_UNAVAILABLE: transient("Speech recognition failed in this turn."),
  LLM_UNAVAILABLE: transient("No reply could be written in this turn."),
  TTS_UNAVAILABLE: transient("The reply could not be spoken."),
  NOT_PERMITTED: permanent("The credentials lack the permission."),
  CALL_NOT_FOUND: permanent("No open call has this id."),
  UNKNOWN_TOOL_CALL: permanent("No call with this id waits for a result."),
  NOT_RECORDED: permanent("The call's configuration keeps no record."),
  TOO_MANY_TEXTS: transient("Too many texts wait to be spoken."),
  EMOTION_UNAVAILABLE: transient("The emotion model failed."),
  TURN_DETECTION_DEGRADED: transient("The end-of-turn model failed. Silence alone ends turns."),
  SPEAKER_UNAVAILABLE: transient("The speaker model failed. All voices count as the caller's."),
};

/** Codes of errors that end a connection (docs/protocol.md). */
export const FATAL_ERRORS = {
  AUDIO_RATE_EXCEEDED: transient("Audio came faster than real time. A chunk was dropped, or the connection ended."),
  INVALID_CONNECT_REQUEST: permanent("A parameter of the address is missing or wrong."),
  MISSING_CREDENTIALS: permanent("The request has no API key and no token."),
  INVALID_API_KEY: permanent("The API key is unknown or revoked."),
  INVALID_TOKEN: permanent("The token is not accepted."),
  TOKEN_EXPIRED: permanent("The token has expired."),
  CREDENTIALS_REVOKED: permanent("The API key was revoked during the connection."),
  PROJECT_MISMATCH: permanent("project_id is not that of the configuration."),
  CONFIG_NOT_ALLOWED: permanent("The credentials do not open this configuration."),
  CONFIG_NOT_FOUND: permanent("No voice configuration has this config_id."),
  IDLE_TIMEOUT: transient("The client sent no message for too long."),
  CONNECTION_ID_IN_USE: transient("Another connection has this connection_id."),
  CLIENT_TOO_SLOW: transient("The client does not read its socket."),
  MESSAGE_RATE_EXCEEDED: transient("The client sent too many messages, or too many bytes."),
  MESSAGE_TOO_LARGE: permanent("A message is too large."),
  TOO_MANY_FRAGMENTS: transient("A message has too many fragments."),
  INVALID_TEXT: permanent("A text message is not UTF-8."),
  PROTOCOL_ERROR: permanent("A frame breaks the WebSocket protocol."),
  MODEL_NOT_LOADED: permanent("The configuration names a model that was not loaded at the start."),
  KEY_CONNECTIONS_EXCEEDED: transient("The key has all its connections open."),
  SERVER_BUSY: transient("The server has all its connections open."),
  SERVER_SHUTDOWN: transient("The server is stopping."),
  INTERNAL_ERROR: transient("A fault of the server ended this connection."),
};

/** Codes for clients: `error_code` of an error message. */
export const CLIENT_ERRORS = { ...CALL_ERRORS, ...FATAL_ERRORS };

/** Codes for operators: in the log, in errors of commands, and in the `cause` of an error message. */
const OPERATOR_ERRORS = {
  INTERNAL: permanent("A fault of the program."),
  USAGE: permanent("The command's arguments are wrong."),
  STOPPED: transient("The operator stopped the command."),
  BENCH_FAILED: permanent("A bench cannot use its input, its tools or its server."),
  REHEARSAL_FAILED: permanent("A model cannot be measured for a rehearsal."),

  // Files and disk
  CONFIG_INVALID: permanent("A configuration or key file has wrong content."),
  CONFIG_UNREADABLE: permanent("A configuration file cannot be read."),
  FILE_FAILED: permanent("The file system refused an operation."),
  FILE_NOT_REGULAR: permanent("The path is not a regular file."),
  FILE_TOO_LARGE: permanent("The file is too large."),
  LOCK_FAILED: permanent("A folder cannot be locked."),
  OUTPUT_FAILED: permanent("Output cannot be written."),
  DISK_FULL: permanent("The disk has no room for the models."),
  DISK_FAILED: permanent("A download cannot be written to the disk."),
  RECORD_KEY_INVALID: permanent("The key of the call records is missing, too short or another one."),
  RECORD_NOT_FOUND: permanent("No call record has this id."),
  RECORD_UNWRITABLE: permanent("The folder of the call records cannot be written."),
  TRACE_DIR_UNWRITABLE: permanent("The folder for replay logs cannot be written."),
  SCENARIO_INVALID: permanent("A scenario of `oakvoice test` has wrong content."),
  SCENARIOS_FAILED: permanent("Scenarios of `oakvoice test` failed."),
  WAV_INVALID: permanent("A WAV file cannot be read."),

  // Keys and tokens
  KEY_NOT_FOUND: permanent("No API key has this id."),
  KEYS_LOCKED: transient("Another process is changing the keys."),
  KEYS_UNREADABLE: permanent("The key file cannot be read."),
  KEYS_UNWRITABLE: permanent("The key file cannot be written."),
  TOO_MANY_SECRETS: transient("A key asks for too many client secrets."),
  NO_KEYS: permanent("Other machines can reach the server, and it has no API keys."),

  // More than one box
  CLUSTER_DATA_WRONG: permanent("The boxes' shared store has a value of the wrong kind."),
  CLUSTER_INVALID: permanent("A file of the cluster's configuration cannot be used."),
  CLUSTER_UNAVAILABLE: transient("The boxes' shared store does not answer."),

  // Server
  CERTIFICATE_NOT_VALID: permanent("The TLS certificate is out of date."),
  LISTEN_FAILED: permanent("The server cannot listen on its address."),
  PAGE_NOT_BUILT: permanent("The playground has not been built."),
  SERVER_FAILED: permanent("The server of a rehearsal did not start."),
  TLS_INVALID: permanent("The TLS certificate or its key cannot be used."),

  // Models
  CHECKSUM_WRONG: permanent("A download or bundle is not the file of the catalogue."),
  DOWNLOAD_FAILED: transient("A download failed."),
  GPU_UNAVAILABLE: permanent("The configured GPU cannot be used."),
  LICENCE_NOT_ACCEPTED: permanent("The licence of a model was not accepted."),
  MEMORY_SHORT: permanent("The models do not fit into memory."),
  MODEL_BROKEN: permanent("A model file cannot be loaded."),
  MODEL_DAMAGED: permanent("The files of a model are not as installed."),
  MODEL_MISSING: permanent("A model is not installed."),
  MODEL_SHIPPED: permanent("A model is part of the program and cannot be removed."),
  MODEL_UNKNOWN: permanent("No model of the catalogue has this name."),
  MODEL_UNREADABLE: permanent("A model file cannot be read."),
  MODELS_LOCKED: transient("Another process is installing models."),
  NOTHING_TO_BUNDLE: permanent("The profile has no models to bundle."),
  UNPACK_FAILED: permanent("An archive cannot be written or unpacked."),

  // Engines: the `cause` of a client's error
  AUDIO_LOST: transient("Speech was decoded too late, and its beginning was gone."),
  AUDIO_SKIPPED: transient("Audio came faster than it could be analysed."),
  EMOTION_CLOSED: permanent("The emotion model is closed."),
  EMOTION_FAILED: permanent("The emotion model failed."),
  SPEAKER_CLOSED: permanent("The speaker model is closed."),
  SPEAKER_FAILED: permanent("The speaker model failed."),
  ENGINE_BUSY: transient("Too many requests wait for the engine."),
  ENGINE_CRASHED: transient("The engine's process ended during the request, or its server broke off."),
  ENGINE_METHOD_UNKNOWN: permanent("The engine does not have this method."),
  ENGINE_START_FAILED: permanent("The engine cannot start."),
  ENGINE_TIMEOUT: transient("The request missed its deadline."),
  ENGINE_UNAVAILABLE: transient("The engine is restarting, or the server of a remote model cannot be used."),
  LLM_CALL_INCOMPLETE: permanent("A tool call ends too early and was dropped."),
  LLM_CALL_UNKNOWN: permanent("The language model called a tool that does not exist."),
  LLM_CALL_UNREADABLE: permanent("The language model wrote a call, or JSON, that cannot be read."),
  LLM_BUSY: transient("All contexts of the language model are in use."),
  LLM_PROMPT_TOO_LONG: permanent("The prompt does not fit into the context."),
  LLM_SAID_NOTHING: permanent("The reply has no text to speak."),
  LLM_SESSION_CLOSED: permanent("The conversation with the language model is closed."),
  LLM_SLOT_UNKNOWN: permanent("The language model does not know this context."),
  TOOL_UNUSABLE: permanent("A tool has a name or parameters that no call can be written for."),
  STT_BUSY: transient("The recogniser is busy. A partial was dropped."),
  STT_CLOSED: permanent("The recogniser is closed."),
  STT_FAILED: permanent("The recogniser failed."),
  STT_MODEL_UNUSABLE: permanent("The recogniser's model file cannot be used."),
  STT_NOT_BUILT: permanent("The recogniser's native code has not been built."),
  STT_OVERLOADED: transient("Too many callers wait for the recogniser."),
  STT_TIMEOUT: transient("A later turn waited too long for this one."),
  TOOL_FAILED: permanent("A tool reported a failure."),
  TOOL_REFUSED: permanent("A tool does not take these arguments, or too many calls were made."),
  TOOL_TIMEOUT: transient("A tool did not answer in time."),
  TTS_BUSY: transient("Too many texts wait to be spoken."),
  TTS_SAID_NOTHING: permanent("The voice made no sound of the text."),
  TURN_CLOSED: permanent("The end-of-turn model is closed."),
  TURN_FAILED: permanent("The end-of-turn model failed."),
  VAD_CLOSED: permanent("The voice activity model is closed."),
  VAD_FAILED: permanent("The voice activity model failed."),
};

/** Every code of an `OakError`. The client library has a few of its own (src/client/errors.ts). */
export const ERRORS = { ...CLIENT_ERRORS, ...OPERATOR_ERRORS };

export type ErrorCode = keyof typeof ERRORS;
