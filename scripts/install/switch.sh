# shellcheck shell=bash
# The switch to the new installation. Each thing changes by a rename, and goes back unless the new service comes up.

placed=() was_active=''
declare -A replaced=()

switch() {
  step 'Switch to it'
  if [ "$built" != "$program" ]; then run place "$program"; fi
  local file
  for file in "$etc/tls/cert.pem" "$etc/tls/key.pem" "$configuration"; do
    # An unchanged file may be a link of the operator's, and stays one.
    if [ -z "$dry" ] && cmp -s "$file.new" "$file"; then rm -f "$file.new"; fi
    if [ -n "$dry" ] || [ -e "$file.new" ]; then run place "$file"; fi
  done
  built=$program
  run write_command "$prefix/oakvoice.new"
  run place "$prefix/oakvoice"
  if [ ! -e "$command" ] && [ ! -L "$command" ] || is_our_command; then
    run mkdir -p "$(dirname "$command")"
    run ln -sfn "$prefix/oakvoice" "$command"
  fi
}
# A link to a file that is gone may be a leftover of an earlier prefix.
is_our_command() { [ -L "$command" ] && { [ ! -e "$command" ] || [ "$(readlink "$command")" = "$prefix/oakvoice" ]; }; }

# FILE.new becomes FILE. The present one stays as FILE.before until the end.
place() {
  rm -rf "$1.before"
  if [ -e "$1" ] || [ -L "$1" ]; then replaced[$1]=yes; fi
  placed=("$1" "${placed[@]}")
  if [ -d "$1" ]; then
    mv -T "$1" "$1.before"
  elif [ -n "${replaced[$1]:-}" ]; then
    # A link takes no space: a full disk cannot leave half a copy.
    ln "$1" "$1.before"
  fi
  mv -fT "$1.new" "$1"
}

# The old configuration stays as a backup, FILE.old.
keep_switch() {
  local file
  for file in "${placed[@]}"; do
    if [ "$file" = "$configuration" ]; then mv -f "$file.before" "$file.old"; else rm -rf "$file.before"; fi
  done
  placed=()
  rm -rf "$program.new" "$program.old"
}

undo_switch() {
  local file
  [ ${#placed[@]} -gt 0 ] || return 0
  if [[ " ${placed[*]} " == *" $unit "* && -z ${replaced[$unit]:-} ]]; then
    systemctl disable --quiet --now oakvoice.service
  fi
  for file in "${placed[@]}"; do
    if [[ -e $file.before || -L $file.before ]]; then
      if [ -d "$file" ]; then unplace "$file"; fi
      mv -fT "$file.before" "$file"
    elif [ -z "${replaced[$file]:-}" ]; then
      unplace "$file"
    fi
  done
  if [ -n "$was_active" ]; then
    systemctl daemon-reload
    if [ "$was_active" = active ]; then systemctl restart oakvoice.service; fi
  fi
  note 'program, configuration and unit are what they were before this run'
}

# A program that was built well is not built again.
unplace() { if [ -d "$1" ] && [ ! -e "$1.new" ]; then mv -T "$1" "$1.new"; else rm -f "$1"; fi; }

# Runs at every end: a failure, an interruption, success.
at_exit() {
  trap '' INT TERM HUP
  set +e
  [ -z "$scratch" ] || rm -rf "$scratch"
  if [ "$1" = 0 ]; then return; fi
  if [ -z "$dry$uninstall" ]; then
    undo_switch
    rm -f "$configuration.new" "$etc/tls/cert.pem.new" "$etc/tls/key.pem.new" "$unit.new" "$prefix/oakvoice.new"
  fi
  if [ -z "$said_why" ]; then
    say 'install: ' "stopped at \"$current_step\": remedy the cause, then run it again" >&2
  fi
}
