/**
 * Environment variables that native libraries and system tools need: paths, the locale, and settings of the GPU, OpenMP, ggml
 * and the allocator. All others are withheld, because they may be secrets (docs/security.md).
 */
const ALLOWED =
  /^(?:PATH|HOME|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_\w+|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_\w+|XDG_(?:CACHE_HOME|CONFIG_HOME|CONFIG_DIRS|DATA_HOME|DATA_DIRS|RUNTIME_DIR)|(?:CUDA|NVIDIA|GGML|OMP|GOMP|KMP|VK|MESA|HIP|HSA|ROCR|MTL|METAL|MALLOC)_\w+|GLIBC_TUNABLES|ORT_DISABLE_TELEMETRY)$/u;

/** The part of this process's environment that a child process gets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => ALLOWED.test(name)));
}
