# shellcheck shell=bash
# The switch to the new installation. Each thing changes by a rename, and goes back unless the new service comes up.

placed=() placed_program='' started='' stopped=''
declare -A replaced=()

switch() {
  step 'Switch to it'
  if [ "$way" = none ]; then
    rm -f "$configuration.new" "$etc/tls/cert.pem.new" "$etc/tls/key.pem.new"
    return
  fi
  if [[ $built != "$program" || $systemd != no ]]; then run place_program; fi
  local file
  for file in "$etc/tls/cert.pem" "$etc/tls/key.pem" "$configuration"; do
    # An unchanged file may be a link of the operator's, and stays one.
    if [ -z "$dry" ] && cmp -s "$file.new" "$file"; then rm -f "$file.new"; fi
    if [ -n "$dry" ] || [ -e "$file.new" ]; then run place "$file"; fi
  done
  run write_command "$prefix/oakvoice.new"
  run place "$prefix/oakvoice"
  if [ ! -e "$command" ] && [ ! -L "$command" ] || is_our_command; then
    run mkdir -p "$(dirname "$command")"
    run ln -sfn "$prefix/oakvoice" "$command"
  fi
}
# A link to a file that is gone may be a leftover of an earlier prefix.
is_our_command() { [ -L "$command" ] && { [ ! -e "$command" ] || [ "$(readlink "$command")" = "$prefix/oakvoice" ]; }; }

# Each slot has a folder. An unchanged program, started for a new configuration, shares its files with the old slot's.
place_program() {
  placed_program=$prefix/program-$slot
  rm -rf "$placed_program"
  if [ "$built" = "$program" ]; then cp -al "$built" "$placed_program"; else mv -T "$built" "$placed_program"; fi
  program=$placed_program built=$placed_program
}

# FILE.new becomes FILE. The present one stays as FILE.before until the end.
place() {
  rm -rf "$1.before"
  if [ -e "$1" ] || [ -L "$1" ]; then replaced[$1]=yes; fi
  placed=("$1" "${placed[@]}")
  if [ -n "${replaced[$1]:-}" ]; then
    # A link takes no space: a full disk cannot leave half a copy.
    ln "$1" "$1.before"
  fi
  mv -fT "$1.new" "$1"
}

# FILE goes away, as FILE.before until the end.
displace() {
  replaced[$1]=yes placed=("$1" "${placed[@]}")
  mv -fT "$1" "$1.before"
}

# The old configuration stays as a backup, FILE.old.
keep_switch() {
  local file
  for file in "${placed[@]}"; do
    if [ "$file" = "$configuration" ]; then mv -f "$file.before" "$file.old"; else rm -rf "$file.before"; fi
  done
  placed=() placed_program=''
  # The start at the boot of a version before the slots.
  if [ ! -e "$single_unit" ]; then rm -f "$units/multi-user.target.wants/oakvoice.service"; fi
  remove_old_programs
}

# A version that was replaced keeps its program while it has calls. The next run removes it.
remove_old_programs() {
  local slot
  rm -rf "$prefix"/program.{new,before,old}
  if [ "$program" != "$prefix/program" ]; then rm -rf "$prefix/program"; fi
  for slot in "${slots[@]}"; do
    if [ "$program" = "$prefix/program-$slot" ] || is_in_use "$slot"; then continue; fi
    rm -rf "$prefix/program-$slot" "$units/oakvoice-$slot.service" "$units/oakvoice-$slot.service.d"
  done
}

undo_switch() {
  local file
  if [[ ${#placed[@]} -eq 0 && -z $placed_program ]]; then return; fi
  if [ -n "$started" ]; then
    systemctl disable --quiet --now "$started"
    if [ "$way" != beside ]; then systemctl stop oakvoice.socket; fi
  fi
  for file in "${placed[@]}"; do
    if [[ -e $file.before || -L $file.before ]]; then
      mv -fT "$file.before" "$file"
    elif [ -z "${replaced[$file]:-}" ]; then
      rm -f "$file"
    fi
  done
  if [ -n "$placed_program" ]; then unplace_program; fi
  if [[ $systemd != no && ${#placed[@]} -gt 0 ]]; then systemctl daemon-reload; fi
  if [ -n "$stopped" ]; then systemctl start "$stopped"; fi
  note 'program, configuration and units are what they were before this run'
}

# A program that was built well is not built again.
unplace_program() {
  if [ -e "$prefix/program.new" ]; then rm -rf "$placed_program"; else mv -T "$placed_program" "$prefix/program.new"; fi
}

# Runs at every end: a failure, an interruption, success.
at_exit() {
  trap '' INT TERM HUP
  set +e
  [ -z "$scratch" ] || rm -rf "$scratch"
  if [ "$1" = 0 ]; then return; fi
  if [ -z "$dry$uninstall" ]; then
    undo_switch
    rm -f "$configuration.new" "$etc/tls/cert.pem.new" "$etc/tls/key.pem.new" "$units"/oakvoice*.new "$current_link.new" "$prefix/oakvoice.new"
  fi
  if [ -z "$said_why" ]; then
    say 'install: ' "stopped at \"$current_step\": remedy the cause, then run it again" >&2
  fi
}
