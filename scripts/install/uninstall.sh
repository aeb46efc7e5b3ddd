# shellcheck shell=bash
# Takes away what the installer made, and nothing else: the folders may hold other things, too.

uninstall() {
  step 'Uninstall'
  if [ "$systemd" != no ] && [ -e "$unit" ]; then
    run systemctl disable --quiet --now oakvoice.service
    run rm -f "$unit"
    run systemctl daemon-reload
  fi
  if [ -z "$dry" ] && id "$user" >/dev/null 2>&1 && [ -n "$(find /proc -maxdepth 1 -user "$user")" ]; then
    fail "processes of $user still run: stop the server first"
  fi
  if [ "$(readlink "$command")" = "$prefix/oakvoice" ]; then run rm -f "$command"; fi
  run rm -rf "$prefix"/{program,program.new,program.old,node,npm-cache,oakvoice}
  if [ -d "$prefix" ]; then run rmdir --ignore-fail-on-non-empty "$prefix"; fi
  if [ -n "$purge" ]; then
    run rm -rf "$etc" "$data"
  else
    note "kept, as root's: $etc $data (--purge removes them)"
    # The user's number may become somebody else's.
    local folder
    for folder in "$etc" "$data"; do
      if [ -d "$folder" ]; then run chown -R root:root "$folder"; fi
    done
  fi
  if id "$user" >/dev/null 2>&1; then run userdel "$user"; fi
  if [ -n "$dry" ]; then note 'nothing was done'; else note 'done'; fi
}
