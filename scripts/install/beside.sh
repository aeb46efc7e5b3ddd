# shellcheck shell=bash
# How the new version takes over: beside the running one, or after it.

way=start running='' old_program=''

# Sets $running, the unit whose calls matter, $slot, and $way. The values of $way:
#
#   none     it runs, and nothing changed
#   beside   both run for a while: no call is cut
#   restart  the old one stops first
#   start    nothing runs, or there is no systemd
choose_way() {
  local why
  old_program=$program
  choose_slot
  [ "$systemd" != no ] || return 0
  running=$(current_unit)
  if [ "$(systemctl is-active "$running" 2>/dev/null)" != active ]; then
    running=''
    return
  fi
  if is_unchanged; then
    way=none
    return
  fi
  why=$(why_not_beside)
  if [ -z "$why" ]; then
    way=beside
    note 'the new version starts beside the old one: no call is cut'
  else
    way=restart
    note "$why: the service is restarted, and current calls end (limits.drain_timeout_seconds)"
  fi
}

is_unchanged() {
  local file since
  if [ "$built" != "$program" ] || [ "$running" = oakvoice.service ]; then return 1; fi
  since=$(systemctl show --timestamp=us --property=ExecMainStartTimestamp --value "$running") || return 1
  since=$(date -d "$since" +%s.%N) || return 1
  for file in "$etc/tls/cert.pem" "$etc/tls/key.pem" "$configuration"; do
    if [ -e "$file.new" ] && ! cmp -s "$file.new" "$file"; then return 1; fi
    # The operator may have edited it since the service read it.
    if [ -e "$file" ] && is_later "$(stat -c %.Y "$file")" "$since"; then return 1; fi
  done
  unit_text "${program: -1}" | cmp -s - "$units/$running" && socket_text | cmp -s - "$socket"
}

is_later() { awk -v one="$1" -v other="$2" 'BEGIN { exit !(one + 0 >= other + 0) }'; }

why_not_beside() {
  if [ "$(systemctl is-active oakvoice.socket 2>/dev/null)" != active ]; then
    echo 'the running version cannot share its port'
  elif ! grep -qsxF "ListenStream=$(listen_address)" "$socket"; then
    echo 'host or port changes'
  elif [ -n "$dry" ]; then
    return
  elif ! has_room; then
    echo 'there is no memory for two versions'
  fi
}
# The new program plans its memory beside everything that runs now.
has_room() {
  as_service env OAKVOICE_CONFIG="$configuration.new" HOME="$data" "$node" "$built/dist/scripts/check-room.js"
}
