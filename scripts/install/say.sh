# shellcheck shell=bash
# What the installer prints. Each failure is one line with its mend.
step() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}
# Runs a command, or says that it would be run.
run() {
  if [ -n "$dry" ]; then note "would run: $*"; else "$@"; fi
}
