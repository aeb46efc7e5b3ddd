# shellcheck shell=bash
# The systemd unit, and that the service listens.

install_service() {
  if [ "$systemd" = no ]; then
    step 'No systemd: start it with'
    note 'oakvoice serve (as root: it becomes the service user)'
    return
  fi
  step 'Service'
  was_active=$(systemctl is-active oakvoice.service 2>/dev/null || true)
  run write_unit "$unit.new"
  run place "$unit"
  run systemctl daemon-reload
  run systemctl enable --quiet oakvoice.service
  run start_service || fail 'the new service does not start: see journalctl -u oakvoice'
}

write_unit() {
  local text name private_devices=yes capabilities=''
  if [ -n "$gpu" ]; then private_devices=no; fi
  if [ "$port" -lt 1024 ]; then capabilities=CAP_NET_BIND_SERVICE; fi
  text=$(<"$source_folder/scripts/install/oakvoice.service")
  for name in user node program data configuration; do text=${text//"@$name@"/"${!name}"}; done
  text=${text//@private_devices@/$private_devices}
  text=${text//@capabilities@/$capabilities}
  printf '%s\n' "$text" >"$1"
}

# Returns when each model is loaded and the server listens.
start_service() {
  local since said
  since=$(date '+%Y-%m-%d %H:%M:%S')
  systemctl restart oakvoice.service || return 1
  for _ in $(seq 180); do
    said=$(journalctl --unit=oakvoice.service --output=cat --since="$since" 2>/dev/null || true)
    if is_listening <<<"$said"; then return; fi
    if grep '^oakvoice: ' <<<"$said" >&2; then return 1; fi
    sleep 1
  done
  return 1
}
# Every log level prints the address on standard output.
is_listening() { grep -E '^wss?://' >/dev/null; }
