# shellcheck shell=bash
# The three folders of an installation. Root works in them, so each must be Oakvoice's alone and beyond the reach of other users.

shopt -s extglob
# program, program.before and program.old are older versions'.
names=(program-{a,b,c} program program.new program.before program.old node npm-cache oakvoice oakvoice.new oakvoice.before)

# Links and "." are resolved before any check sees the path.
resolve_folder() {
  local name=$1 folder=${!1} source
  source=$(if [ "$name" = data ]; then source_of data data_dir; else echo "--$name"; fi)
  [[ $folder == /?* ]] || fail "$source $folder: give a full path, and not /"
  # The path goes into the unit, the configuration and a shell script.
  [[ $folder =~ ^[A-Za-z0-9._/@+-]+$ ]] || fail "$source $folder: use no spaces and no signs other than . _ / @ + -"
  [[ /$folder/ != */../* ]] || fail "$source $folder: give the path without .."
  printf -v "$name" %s "$(realpath -m -- "$folder")"
}

check_folders() {
  local name other folder
  for name in prefix data etc; do
    folder=${!name}
    # An older installation may lie in a system folder: its parts are known by name, so it can be removed.
    if [ "$name" != prefix ] || [ -z "$uninstall" ]; then check_place "$name" "$folder"; fi
    for other in prefix data etc; do
      [[ $name = "$other" || ${!other}/ != "$folder"/* ]] || fail "--$other ${!other} lies in --$name $folder: name folders apart from each other"
    done
    check_reach "$name" "$folder"
  done
  [ -n "$uninstall" ] || is_own "$prefix" .oakvoice || is_older ||
    fail "--prefix $prefix holds something else: name a folder for Oakvoice alone"
  is_own "$data" .oakvoice || is_own "$data" api-keys.json ||
    fail "--data $data holds something else: name a folder for Oakvoice alone (if it is Oakvoice's: touch $data/.oakvoice)"
  is_own "$etc" oakvoice.yaml || fail "--etc $etc holds something else: name a folder for Oakvoice alone"
}
check_place() {
  case $2 in
    / | /bin | /boot | /dev | /etc | /home | /lib | /lib32 | /lib64 | /libx32 | /lost+found | /media | /mnt | /opt | /proc | /root | /run | /sbin | /srv | /sys | /tmp | /usr | /var) ;&
    /usr/@(bin|games|include|lib|lib32|lib64|libexec|libx32|local|sbin|share|src) | /usr/local/@(bin|etc|games|include|lib|libexec|man|sbin|share|src)) ;&
    /var/@(backups|cache|lib|local|log|mail|opt|run|spool|tmp|www) | /etc/@(systemd|default|ssl|init.d|cron.d) | /etc/systemd/system)
      fail "--$1 $2 is a system folder: name a folder for Oakvoice alone" ;;
    /proc/* | /sys/* | /dev/* | /run/* | /boot/*) fail "--$1 $2 does not outlive a restart: name another folder" ;;
    /home/* | /root/*) fail "--$1 $2: the service cannot see /home and /root; name another folder" ;;
  esac
}
# Absent, empty, or with a file that only Oakvoice puts there.
is_own() { [ ! -e "$1" ] || [ -e "$1/$2" ] || { [ -d "$1" ] && [ -z "$(ls -A --ignore=lost+found "$1" 2>/dev/null)" ]; }; }

# A user who may rename any folder of the path could put another in its place while root works there.
check_reach() {
  local folder=$2 owner group mode trusted
  trusted=" 0 $(id -u) $(stat -c %u /) "
  while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
  [ -d "$folder" ] || fail "--$1 $2: $folder is not a folder"
  check_writable "$folder"
  while :; do
    read -r owner group mode < <(stat -c '%u %g %a' "$folder")
    if [ "$1" = data ] && [ "$folder" = "$2" ] && is_service "$owner"; then owner=0; fi
    [[ $trusted == *" $owner "* ]] || fail "--$1 $2: $folder belongs to $(stat -c %U "$folder"); its path must be root's"
    if (((8#$mode & 8#2) || ((8#$mode & 8#20) && group >= 1000))) && ! ((8#$mode & 8#1000)); then
      fail "--$1 $2: other users may write to $folder; its path must be root's (chmod go-w)"
    fi
    [ "$folder" != / ] || return 0
    folder=$(dirname "$folder")
  done
}
# The service's user, or a deleted one: its number may differ after a new installation.
is_service() { [ "$1" = "$(id -u "$user" 2>/dev/null)" ] || ! getent passwd "$1" >/dev/null; }

# The manifest, PREFIX/.oakvoice, lists what the installer made: --uninstall removes nothing else.
claim() { is_listed "$1" || printf '%s\n' "$1" >>"$prefix/.oakvoice"; }
is_listed() { manifest | grep -x -- "${1//./\\.}" >/dev/null; }
manifest() {
  if [ -e "$prefix/.oakvoice" ]; then
    cat "$prefix/.oakvoice"
  elif is_older; then
    printf '%s\n' program program.new program.before program.old npm-cache
    if is_command; then echo oakvoice; fi
    if grep -qsF "$prefix/node/node_modules/" "$prefix/oakvoice"; then echo node; fi
    if [ -n "$(service_user)" ]; then echo user; fi
  fi
}
save_manifest() {
  local listed
  listed=$(manifest)
  if [ ! -e "$prefix/.oakvoice" ] && [ -d "$prefix" ]; then printf '%s' "${listed:+$listed$'\n'}" >"$prefix/.oakvoice"; fi
}
# Versions before the manifest.
is_older() { grep -qs '^  "name": "oakvoice",$' "$prefix"/program{,.new,.before,.old}/package.json; }
is_command() { grep -qs 'Made by the installer' "$prefix/oakvoice"; }
service_user() { getent passwd "$user" | grep -E ':/(usr/)?s?bin/(nologin|false)$' || true; }

prepare_folders() {
  step "Folders $prefix, $etc and $data"
  run make_folders
  # Again: the folders may have come into a place that all may write to, such as /tmp.
  if [ -z "$dry" ]; then check_folders; fi
}
make_folders() {
  local name
  mkdir -p "$prefix"
  save_manifest
  for name in "${names[@]}"; do
    if [ "$name" != node ]; then claim "$name"; fi
  done
  mkdir -p "$etc" && begin_configuration
  mkdir -p "$etc/tls" "$data"
}

make_user() {
  step "User $user"
  if id "$user" >/dev/null 2>&1; then
    note 'there'
  else
    run claim user
    run useradd --system --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$(user_group)" "$user"
  fi
  if [[ $gpu_kinds == *vulkan ]]; then run join_render_group; fi
  run own_data
}
# useradd refuses to make a group that is there.
user_group() { if getent group "$user" >/dev/null; then echo "--gid=$user"; else echo --user-group; fi; }

# Root's files come from a backup or an uninstall. The service's user may have planted links here: none is followed.
own_data() {
  give_data "$user"
  chmod 0750 "$data"
  [ -e "$data/.oakvoice" ] || [ -L "$data/.oakvoice" ] || as_service touch "$data/.oakvoice"
  [ -e "$data/voices" ] || [ -L "$data/voices" ] || as_service mkdir "$data/voices"
}
# -execdir works in the folder that find opened, whatever a name in the path points to by then.
give_data() {
  PATH=/usr/sbin:/usr/bin:/sbin:/bin find "$data" -xdev \( -type d -o -links 1 \) \( -nouser -o -user root -o -user "$user" \) ! -user "$1" -execdir chown -h "$1:$1" {} +
}
as_service() { (cd / && setpriv --reuid="$user" --regid="$user" --init-groups "$@"); }

# Two runs at a time would build in one folder.
lock() {
  exec {lock_file}>/run/oakvoice-install.lock
  flock --nonblock "$lock_file" || fail 'another run of the installer is under way: wait for it'
}
