# shellcheck shell=bash
# Output of the installer. A failure is one line: what is wrong, where, what to do.

# Ranges in patterns mean ASCII, whatever the terminal's language is.
export LC_ALL=C

current_step='' said_why=''
step() { current_step=$*; say '==> ' "$*"; }
note() { say '    ' "$*"; }
fail() {
  said_why=yes
  say 'install: ' "$*" >&2
  exit 1
}
# Line breaks and escape sequences from names of files or from options do not reach the terminal.
say() { printf '%s%s\n' "$1" "${2//[^[:print:]]/?}"; }
# Runs a command. A dry run prints it instead.
run() {
  if [ -n "$dry" ]; then note "would run: $*"; else "$@"; fi
}
