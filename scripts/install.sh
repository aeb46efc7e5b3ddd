#!/usr/bin/env bash
# Installs Oakvoice on Debian or Ubuntu: program, service user, models, key, TLS, systemd unit; then proves that it talks.
# Safe to run again: what is there stays, what is missing is made. See --help and docs/operations.md.
set -euo pipefail
# The service's user must be able to read what root makes here, on hardened boxes too.
umask 022

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$source_folder/scripts/install/say.sh"
. "$source_folder/scripts/install/options.sh"
. "$source_folder/scripts/install/machine.sh"
. "$source_folder/scripts/install/program.sh"
. "$source_folder/scripts/install/configuration.sh"
. "$source_folder/scripts/install/service.sh"
. "$source_folder/scripts/install/self-test.sh"
. "$source_folder/scripts/install/uninstall.sh"

user=oakvoice
unit=/etc/systemd/system/oakvoice.service
command=/usr/local/bin/oakvoice

read_options "$@"
read_configuration
check_options
program=$prefix/program
PATH=$prefix/node/node_modules/node/bin:$PATH
npm_options=(--no-audit --no-fund --loglevel=error --prefer-offline)
# A cache of its own, gone at the end: what npm fetches is 700 MB, and its logs would stay in root's home.
export npm_config_cache=${npm_cache:-$prefix/npm-cache} npm_config_update_notifier=false

if [ -n "$uninstall" ]; then
  uninstall
  exit 0
fi

check_machine
install_packages
install_node

step "User $user"
if id "$user" >/dev/null 2>&1; then note 'there'; else run useradd --system --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$user"; fi

stage_program
prepare_folders

step "Models of the $profile profile"
model_options=(--profile "$profile")
if [ -n "$accept" ]; then model_options+=(--accept-licences); fi
if [ -n "$bundle" ]; then model_options+=(--from "$bundle"); fi
run oakvoice models install "${model_options[@]}" || fail 'the models were not installed; the line above says why'

configure
switch_program

step 'Key'
if [ -z "$dry" ] && oakvoice keys list | has_active_key; then
  note 'there are keys: sudo oakvoice keys list'
else
  run oakvoice keys create --name first
fi

install_service
if [ "$self_test" = yes ]; then self_test; fi
if [ -n "$dry" ]; then
  step 'Nothing was done'
else
  step "Installed: $(page_address), with the key"
fi
