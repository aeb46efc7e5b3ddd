# shellcheck shell=bash
# What is wanted: defaults < the configuration that is there < the command line.

usage() {
  cat <<'HELP'
scripts/install.sh [options]            installs, or brings an installation up to date
scripts/install.sh --uninstall [--purge]

  --profile starter|cpu|gpu   which models (default starter: they ship; cpu and gpu are downloaded)
  --bundle FILE               models from a bundle made by "oakvoice models bundle": no download
  --npm-cache FOLDER          keep npm's packages here; what is here needs no registry, all of it no network
  --accept-licences           of the models that are downloaded
  --host ADDRESS              where to listen (default 127.0.0.1; given later on, it is changed: so with profile, port, data)
  --port PORT                 (default 8787)
  --cert FILE --key FILE      TLS with your certificate
  --self-signed               TLS with a certificate made here
  --prefix FOLDER             the program (default /opt/oakvoice)
  --data FOLDER               models, keys, voices (default /var/lib/oakvoice)
  --etc FOLDER                configuration (default /etc/oakvoice)
  --no-systemd                no unit; for containers (also when systemd does not run)
  --skip-self-test            do not talk to it at the end
  --dry-run                   say what would be done, do nothing
  --uninstall                 remove program, unit, command and user; --purge: configuration and data too;
                              system packages stay
HELP
}

profile='' bundle='' npm_cache='' accept='' host='' port='' cert='' key='' self_signed=''
prefix=/opt/oakvoice data='' etc=/etc/oakvoice systemd=auto self_test=yes dry='' uninstall='' purge=''

read_options() {
  local name
  while [ $# -gt 0 ]; do
    case $1 in
      --profile | --bundle | --npm-cache | --host | --port | --cert | --key | --prefix | --data | --etc)
        [ -n "${2:-}" ] || fail "$1 needs a value; --help shows which"
        name=${1#--}
        printf -v "${name//-/_}" %s "$2"
        shift
        ;;
      --accept-licences) accept=yes ;;
      --self-signed) self_signed=yes ;;
      --no-systemd) systemd=no ;;
      --skip-self-test) self_test=no ;;
      --dry-run) dry=yes ;;
      --uninstall) uninstall=yes ;;
      --purge) purge=yes ;;
      --help | -h) usage; exit 0 ;;
      *) fail "unknown option $1; --help shows them all" ;;
    esac
    shift
  done
  # Some are used from other folders. What is not there is told later, by the name it would have.
  for name in bundle npm_cache cert key; do
    if [ -n "${!name}" ]; then printf -v "$name" %s "$(realpath -m "${!name}")"; fi
  done
}

# What is not said again stays as the configuration has it.
read_configuration() {
  configuration=$etc/oakvoice.yaml
  host=${host:-$(field host 127.0.0.1)} port=${port:-$(field port 8787)}
  profile=${profile:-$(field profile starter)} data=${data:-$(field data_dir /var/lib/oakvoice)}
}
# The operator may have put it in quotes, and a comment behind it.
field() {
  local value
  value=$(sed -nE "s/^$1:[[:space:]]*//; T; s/[[:space:]]+#.*//; s/[[:space:]]*\$//; s/^([\"'])(.*)\1\$/\2/; p" "$configuration" 2>/dev/null | head -1) || true
  echo "${value:-$2}"
}

check_options() {
  [[ $profile =~ ^(starter|cpu|gpu)$ ]] || fail "--profile is starter, cpu or gpu, not $profile"
  [[ $port =~ ^[1-9][0-9]{0,4}$ && $port -le 65535 ]] || fail "--port is a number from 1 to 65535, not $port"
  if [[ -n $cert && -z $key || -z $cert && -n $key ]]; then fail '--cert and --key go together'; fi
  local file folder name
  for file in "$cert" "$key" "$bundle" "${npm_cache:+$(dirname "$npm_cache")}"; do
    [ -z "$file" ] || [ -r "$file" ] || fail "$file is not there or cannot be read"
  done
  for name in prefix data etc; do
    folder=${!name}
    [[ $folder == /?* ]] || fail "$folder must be a full path, and not /"
    # They go into the unit, the configuration and the command, each with signs of its own.
    [[ $folder != *[[:space:]\"\'\\%\$\`]* ]] || fail "--$name $folder: no spaces there, nor the signs \" ' \\ % \$ \`"
  done
  # Their owner is changed, and --purge removes them: only where they are Oakvoice's own.
  if is_foreign "$data" voices; then fail "--data $data holds something else: name a folder for Oakvoice alone"; fi
  if is_foreign "$etc" oakvoice.yaml; then fail "--etc $etc holds something else: name a folder for Oakvoice alone"; fi
  if [ "$systemd" = auto ] && [ ! -d /run/systemd/system ]; then systemd=no; fi
  [ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail 'run it as root (sudo), or with --dry-run'
  # As root's folders are not for others: better now than after a long build.
  if [ -n "$bundle" ] && [ "$(id -u)" = 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$bundle"; then
    fail "the service's user could not read $bundle: put it where everybody may read, such as /srv or /tmp"
  fi
}
is_foreign() { [ -d "$1" ] && [ -n "$(ls -A --ignore=lost+found "$1")" ] && [ ! -e "$1/$2" ]; }
