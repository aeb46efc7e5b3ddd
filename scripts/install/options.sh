# shellcheck shell=bash
# The command line, and where an earlier run installed. Defaults < the existing installation < the command line.

usage() {
  cat <<'HELP'
scripts/install.sh [options]            installs Oakvoice, updates or repairs an installation
scripts/install.sh --uninstall [--purge]

  --profile NAME              which models: starter (they ship; the default), cpu, cpu-large, gpu, gpu-large, or
                              auto: what this machine can run, measured before anything is downloaded
  --bundle FILE               models from a bundle made by "oakvoice models bundle": no download
  --npm-cache FOLDER          keep npm's packages here; with a filled cache no registry is needed
  --accept-licences           accept the licences of downloaded models
  --host ADDRESS              address to listen on (default 127.0.0.1); other addresses need TLS
  --port PORT                 (default 8787)
  --cert FILE --key FILE      TLS with your certificate
  --self-signed               TLS with a certificate made here
  --prefix FOLDER             the program (default /opt/oakvoice)
  --data FOLDER               models, keys, voices (default /var/lib/oakvoice)
  --etc FOLDER                configuration (default /etc/oakvoice)
  --no-systemd                no unit; for containers (also when systemd does not run)
  --skip-self-test            do not ask a spoken question at the end
  --dry-run                   check everything, print the steps, change nothing
  --uninstall                 remove program, unit, command and user; system packages stay
  --purge                     with --uninstall: remove configuration, keys, models and voices too
  --version, --help, -h

A later run keeps host, port, profile and folders, unless they are given again. FOLDERs are for Oakvoice alone.
HELP
}

profile='' bundle='' npm_cache='' accept='' host='' port='' cert='' key='' self_signed=''
prefix='' data='' etc='' systemd=auto self_test=yes dry='' uninstall='' purge=''
configuration=''
declare -A given=()

read_options() {
  local name
  while [ $# -gt 0 ]; do
    name=${1%%=*}
    [[ $name =~ ^-(h|-[a-z-]+)$ ]] || fail "unknown option ${1:-\"\"}; --help shows all options"
    [ -z "${given[$name]:-}" ] || fail "$name is given twice: give it once"
    given[$name]=yes
    case $name in
      --profile | --bundle | --npm-cache | --host | --port | --cert | --key | --prefix | --data | --etc)
        if [[ $1 != *=* ]]; then set -- "$1=${2:-}" "${@:3}"; fi
        [[ $1 == *=?* && $1 != *=--* ]] || fail "$name needs a value; --help shows which"
        given[$name]=${1#*=} name=${name#--}
        printf -v "${name//-/_}" %s "${1#*=}"
        shift
        continue
        ;;
      --accept-licences) accept=yes ;;
      --self-signed) self_signed=yes ;;
      --no-systemd) systemd=no ;;
      --skip-self-test) self_test=no ;;
      --dry-run) dry=yes ;;
      --uninstall) uninstall=yes ;;
      --purge) purge=yes ;;
      --version) sed -nE 's/^  "version": "(.*)",$/\1/p' "$source_folder/package.json"; exit 0 ;;
      --help | -h) usage; exit 0 ;;
      *) fail "unknown option $1; --help shows all options" ;;
    esac
    [[ $1 != *=* ]] || fail "$name takes no value: write $name alone"
    shift
  done
  # Later steps run in other folders.
  for name in bundle npm_cache cert key; do
    if [ -n "${!name}" ]; then printf -v "$name" %s "$(realpath -m -- "${!name}")"; fi
  done
}

# The command links into the prefix, and the file there names the configuration.
find_installation() {
  local name link
  for name in prefix data etc; do
    if [ -n "${!name}" ]; then resolve_folder "$name"; fi
  done
  link=$(readlink "$command") || true
  if [[ $link == /*/oakvoice && -f $link ]]; then stay_with prefix "${link%/oakvoice}"; fi
  prefix=${prefix:-/opt/oakvoice}
  link=$(sed -nE 's/.*OAKVOICE_CONFIG:-(.+)\/oakvoice\.yaml\}.*/\1/p' "$prefix/oakvoice" 2>/dev/null) || true
  if [ -n "$link" ]; then stay_with etc "$link"; fi
  etc=${etc:-/etc/oakvoice}
  configuration=$etc/oakvoice.yaml
  host=${host:-$(field host 127.0.0.1)} port=${port:-$(field port 8787)}
  profile=${profile:-$(field profile starter)} data=${data:-$(field data_dir /var/lib/oakvoice)}
  for name in prefix data etc; do resolve_folder "$name"; done
  configuration=$etc/oakvoice.yaml
  program=$(sed -nE 's/^program="(.*)\/dist\/src\/main\.js"$/\1/p' "$prefix/oakvoice" 2>/dev/null) || true
  program=${program:-$prefix/program}
}
stay_with() {
  local now=${!1}
  [ -z "$now" ] || [ "$now" = "$(realpath -m -- "$2")" ] ||
    fail "--$1 $now: Oakvoice is installed with --$1 $2; leave --$1 out, or uninstall first"
  printf -v "$1" %s "$2"
}
# A top-level scalar of the configuration, without its quotes and comment.
field() {
  local value
  value=$(sed -nE "s/^$1:[[:space:]]*//; T; s/[[:space:]]+#.*//; s/[[:space:]]*\$//; s/^([\"'])(.*)\1\$/\2/; p" "$configuration" 2>/dev/null | head -1) || true
  echo "${value:-$2}"
}
# Names the source of a value in messages.
source_of() {
  local option=$1 name=${2:-$1}
  if [ -n "${given[--$option]:-}" ] || [ "$(field "$name" '')" = '' ]; then echo "--$option"; else echo "$configuration: $name"; fi
}
