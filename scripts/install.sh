#!/usr/bin/env bash
# Installs Oakvoice on Debian or Ubuntu: program, service user, models, key, TLS, systemd units; then proves that it talks.
# A second run repairs and updates. See --help and docs/operations.md.
set -euo pipefail
# The service's user must be able to read root's files, on hardened boxes too.
umask 022
# The caller's environment must not change what is checked and installed.
unset CDPATH "${!OAKVOICE_@}"

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source_folder/scripts/install/say.sh"
. "$source_folder/scripts/install/options.sh"
. "$source_folder/scripts/install/folders.sh"
. "$source_folder/scripts/install/check.sh"
. "$source_folder/scripts/install/gpu.sh"
. "$source_folder/scripts/install/machine.sh"
. "$source_folder/scripts/install/program.sh"
. "$source_folder/scripts/install/configuration.sh"
. "$source_folder/scripts/install/switch.sh"
. "$source_folder/scripts/install/service.sh"
. "$source_folder/scripts/install/beside.sh"
. "$source_folder/scripts/install/self-test.sh"
. "$source_folder/scripts/install/uninstall.sh"

user=oakvoice
units=/etc/systemd/system socket=/etc/systemd/system/oakvoice.socket
# The one unit of versions before the slots.
single_unit=/etc/systemd/system/oakvoice.service
# Not in $units: "systemctl disable" removes links to a unit from there.
current_link=/usr/local/lib/systemd/system/oakvoice.service
command=/usr/local/bin/oakvoice

read_options "$@"
find_installation
check_options
if [ -z "$dry" ]; then
  lock
  # The service may have calls while this builds and tests. systemd starts services with their own priority.
  renice -n 10 -p $$ >/dev/null
fi
trap 'at_exit $?' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

if [ -n "$uninstall" ]; then
  uninstall
  exit 0
fi

PATH=$prefix/node/node_modules/node/bin:$PATH
npm_options=(--no-audit --no-fund --loglevel=error --prefer-offline)
# A cache of its own, removed at the end: npm fetches 700 MB, and its logs would stay in root's home.
export npm_config_cache=${npm_cache:-$prefix/npm-cache} npm_config_update_notifier=false

check_machine
prepare_folders
install_packages
install_node
make_user
stage_program
choose_profile

step "Models of the $profile profile"
model_options=(--profile "$profile")
if [ -n "$accept" ]; then model_options+=(--accept-licences); fi
if [ -n "$bundle" ]; then model_options+=(--from "$bundle"); fi
run oakvoice models install "${model_options[@]}" || fail 'the models were not installed; the line above says why'

configure
choose_way
# Two servers at a time: the test's own server ends before the new one starts.
if [[ $self_test = yes && $way = beside ]]; then self_test; fi
switch

step 'Key'
if [ -z "$dry" ] && oakvoice keys list | has_active_key; then
  note 'there are keys: sudo oakvoice keys list'
elif [ /dev/stdout -ef /dev/null ]; then
  # A key is shown once. `keys create` refuses to make a key that is not shown.
  note 'no key was made, because the output goes to /dev/null: sudo oakvoice keys create --name first' >&2
else
  run oakvoice keys create --name first
fi

install_service
run keep_switch
# From here on nothing goes back: the new version runs.
if [ "$way" = beside ]; then run hand_over; fi
if [[ $self_test = yes && $way != beside ]]; then self_test; fi
if [ -n "$dry" ]; then
  step 'Nothing was done'
else
  step "Installed: $(page_address), with the key"
fi
