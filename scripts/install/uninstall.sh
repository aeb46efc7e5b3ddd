# shellcheck shell=bash
# Removes what the manifest lists. Other files in the same folders stay.

uninstall() {
  local name
  step 'Uninstall'
  if [ -n "$(manifest)" ]; then run save_manifest; else note "$prefix holds no installation"; fi
  if [ "$systemd" != no ]; then remove_units; fi
  if [ -z "$dry" ] && id "$user" >/dev/null 2>&1 && [ -n "$(find /proc -maxdepth 1 -user "$user")" ]; then
    fail "processes of $user still run: stop the server first"
  fi
  if [ "$(readlink "$command")" = "$prefix/oakvoice" ]; then run rm -f "$command"; fi
  for name in "${names[@]}"; do
    if is_listed "$name"; then run rm -rf "$prefix/$name"; fi
  done
  if [ -n "$purge" ]; then purge_folders; else keep_folders; fi
  if is_listed user && id "$user" >/dev/null 2>&1; then run userdel "$user"; fi
  # Last: an interrupted run can be given again.
  if [ -n "$(manifest)" ]; then
    run rm -f "$prefix/.oakvoice"
    remove_empty "$prefix"
  fi
  if [ -n "$dry" ]; then note 'nothing was done'; else note 'done'; fi
}

# Older versions that still have calls stop too.
remove_units() {
  local file found=()
  for file in "$units"/oakvoice-[abc].service "$socket" "$single_unit"; do
    if [ -e "$file" ]; then found+=("$file"); fi
  done
  if [ ${#found[@]} -eq 0 ]; then return; fi
  run systemctl disable --quiet --now "${found[@]##*/}"
  run rm -rf "${found[@]}" "$units"/oakvoice-[abc].service.d "$current_link"
  run systemctl daemon-reload
}

# The file by which a folder is known goes last, and the configuration names the data folder.
purge_folders() {
  local name
  if [ -e "$data/.oakvoice" ] || [ -e "$data/api-keys.json" ]; then
    # The server's files and its home's; models, voices and traces are whole folders.
    for name in api-keys.json.lock models voices traces .cache .config .local .npm api-keys.json .oakvoice; do
      run rm -rf "$data/$name"
    done
    remove_empty "$data"
  fi
  if [ -e "$configuration" ]; then
    for name in tls/cert.pem tls/key.pem oakvoice.yaml; do run rm -f "$etc/$name".{new,before,old} "$etc/$name"; done
    remove_empty "$etc/tls"
    remove_empty "$etc"
  fi
}
remove_empty() {
  [ -d "$1" ] || return 0
  run rmdir "$1" 2>/dev/null || note "$1 stays: it is a mount, or holds files that are not Oakvoice's"
}

# The user's number may become another user's.
keep_folders() {
  note "kept, as root's: $etc $data (--purge removes them)"
  if [ -e "$etc/tls/key.pem" ]; then run chgrp -h root "$etc/tls/key.pem"; fi
  if [ -d "$data" ] && id "$user" >/dev/null 2>&1; then run give_data root; fi
}
