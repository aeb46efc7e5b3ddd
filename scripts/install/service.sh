# shellcheck shell=bash
# The systemd units. oakvoice.socket owns the port, and each version runs in a slot: program-a in oakvoice-a.service. The name
# oakvoice.service is a link to the current slot's unit.

slots=(a b c)

# The unit of the current program.
current_unit() {
  if [[ $program == "$prefix"/program-? ]]; then echo "oakvoice-${program: -1}.service"; else echo oakvoice.service; fi
}

# Sets $slot, one whose program does not run. A version that was replaced may have calls for hours.
choose_slot() {
  for slot in "${slots[@]}"; do
    if [ "$prefix/program-$slot" != "$program" ] && ! is_in_use "$slot"; then return; fi
  done
  fail "two earlier versions still have calls: wait for their end, or stop them (systemctl stop 'oakvoice-?.service')"
}
# By standard input, because grep must not find the text in its own command line.
# shellcheck disable=SC2062
is_in_use() { grep -aqsF --file=- /proc/[0-9]*/cmdline <<<"$prefix/program-$1/"; }

unit_text() {
  local text name slot=$1 program=$prefix/program-$1 private_devices=yes
  # shellcheck disable=SC2034
  if [ -n "$gpu" ]; then private_devices=no; fi
  text=$(<"$source_folder/scripts/install/oakvoice.service")
  for name in slot user node program data configuration private_devices; do text=${text//"@$name@"/"${!name}"}; done
  printf '%s\n' "$text"
}
socket_text() {
  local text
  text=$(<"$source_folder/scripts/install/oakvoice.socket")
  printf '%s\n' "${text//@address@/"$(listen_address)"}"
}
# systemd needs an IP address. The server resolves a name in the same way.
listen_address() {
  local address=$host
  if [[ $address =~ [A-Za-z] && $address != *:* ]]; then
    address=$(getent ahosts "$host" | awk 'NR == 1 { print $1 }') || true
    [ -n "$address" ] || fail "$(source_of host) $host has no address: give an IP address"
  fi
  case $address in
    *:*%*) echo "[${address%%%*}]:$port%${address#*%}" ;;
    *:*) echo "[$address]:$port" ;;
    *) echo "$address:$port" ;;
  esac
}

install_service() {
  if [ "$systemd" = no ]; then
    step 'No systemd: start it with'
    note 'oakvoice serve (as root: it becomes the service user)'
    return
  fi
  step 'Service'
  if [ "$way" = none ]; then
    note 'it runs, and nothing changed: not restarted'
    return
  fi
  run write_units
  if [ "$way" = restart ]; then run stop_old; fi
  if [ "$way" != beside ]; then run point_to_slot; fi
  run systemctl daemon-reload
  run start_service || fail "the new service does not start: see journalctl -u oakvoice-$slot"
  run systemctl enable --quiet "oakvoice-$slot.service"
  if [ "$way" = beside ]; then
    run point_to_slot
    run systemctl daemon-reload
  fi
}

write_units() {
  local file drop_ins
  file=$units/oakvoice-$slot.service
  unit_text "$slot" >"$file.new"
  place "$file"
  socket_text >"$socket.new"
  place "$socket"
  # The operator's changes of the unit (systemctl edit).
  drop_ins=$units/$(current_unit_before).d
  rm -rf "$file.d"
  if [[ $drop_ins != "$single_unit.d" && -d $drop_ins ]]; then cp -a "$drop_ins" "$file.d"; fi
}
current_unit_before() { program=$old_program current_unit; }

stop_old() {
  stopped=$running
  systemctl stop "$running" oakvoice.socket 2>/dev/null || systemctl stop "$running"
}

# From now on "systemctl ... oakvoice" means the new slot.
point_to_slot() {
  mkdir -p "$(dirname "$current_link")"
  ln -sfn "$units/oakvoice-$slot.service" "$current_link.new"
  place "$current_link"
  # Versions before the slots. It would hide the link.
  if [ -e "$single_unit" ]; then displace "$single_unit"; fi
}

# Returns when each model is loaded and the server listens.
start_service() {
  local since said
  since=$(date '+%Y-%m-%d %H:%M:%S')
  started=oakvoice-$slot.service
  systemctl restart "$started" || return 1
  for _ in $(seq 180); do
    said=$(journalctl --unit="$started" --output=cat --since="$since" 2>/dev/null || true)
    if is_listening <<<"$said"; then return; fi
    if grep '^oakvoice: ' <<<"$said" >&2; then return 1; fi
    sleep 1
  done
  return 1
}
# Every log level prints the address on standard output.
is_listening() { grep -E '^wss?://' >/dev/null; }

# Both versions accept calls now. The old one stops that, and ends after its last call: no restart then, and no start at the boot.
hand_over() {
  local pid
  sed -i 's/^Restart=.*/Restart=no/' "$units/$running"
  systemctl disable --quiet "$running"
  systemctl daemon-reload
  pid=$(systemctl show --property=MainPID --value "$running")
  if [[ $pid -gt 0 ]] && kill -USR2 "$pid"; then note "calls of the old version go on in $running until they end"; fi
}
