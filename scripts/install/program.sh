# shellcheck shell=bash
# The program, built in program.new, for this machine's processor and without files for others.

parts=(package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json LICENSE NOTICE README.md src scripts bench models voices docs)

# Sets $built, the folder of the program to run.
stage_program() {
  step "Program in $prefix"
  local stamp
  stamp=$(make_stamp | sha256sum | cut -d' ' -f1)
  built=$prefix/program.new
  if is_built "$program" "$stamp"; then
    built=$program
    note 'there, and the same'
  elif is_built "$built" "$stamp"; then
    note 'built already, by a run that did not come to its end'
  else
    run rm -rf "$built"
    run mkdir -p "$built"
    run copy_parts "$built"
    run in_folder "$built" npm ci "${npm_options[@]}" || fail 'npm ci failed; the lines above say why'
    run in_folder "$built" npm run --silent build || fail 'the program did not compile'
    run in_folder "$built" npm prune --omit=dev --ignore-scripts "${npm_options[@]}"
    run slim "$built"
    run seal "$built" "$stamp"
  fi
  run open_to_all "$built"
  if is_listed node; then run open_to_all "$prefix/node"; fi
  run rm -rf "$prefix/npm-cache"
}

# The command line of the program that was just built, as the service's user. The folders come from the checked options.
oakvoice() {
  as_service env OAKVOICE_CONFIG="$configuration" OAKVOICE_DATA_DIR="$data" HOME="$data" "$node" "$built/dist/src/main.js" "$@"
}

# A stamp of the installed program's sources. An equal stamp means that the program is up to date.
make_stamp() {
  cd "$source_folder"
  find "${parts[@]}" -type f -print0 | sort -z | xargs -0 sha256sum
  "$node" --version 2>/dev/null || true
  echo "$arch $gpu_kinds"
  grep -m1 '^flags' /proc/cpuinfo || true
}
is_built() { [ "$(cat "$1/.stamp" 2>/dev/null)" = "$2" ] && is_whole "$1"; }
is_whole() { (cd "$1" && sha256sum --check --status SHA256SUMS 2>/dev/null); }
copy_parts() { tar -C "$source_folder" -cf - "${parts[@]}" | tar -C "$1" -xf -; }
in_folder() { (cd "$1" && "${@:2}"); }

slim() {
  local folder=$1 modules=$1/node_modules before after other
  before=$(du -sm "$folder" | cut -f1)
  find "$modules"/@node-llama-cpp -mindepth 1 -maxdepth 1 ! -name "linux-$arch*" -exec rm -rf {} +
  for other in cuda vulkan; do
    if [[ " $gpu_kinds " != *" $other "* ]]; then rm -rf "$modules"/@node-llama-cpp/*-"$other"*; fi
  done
  for other in darwin win32; do rm -rf "$modules"/onnxruntime-node/bin/napi-v*/"$other"; done
  find "$modules"/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d ! -name "$arch" -exec rm -rf {} +
  rm -rf "$modules"/whisper.rn/{ios,android,lib,src,jest} "$folder"/build/native/objects
  after=$(du -sm "$folder" | cut -f1)
  note "$after MB (without $((before - after)) MB that this machine cannot use)"
}

seal() {
  echo "$2" >"$1/.stamp"
  in_folder "$1" find . -type f ! -name SHA256SUMS -exec sha256sum {} + >"$1/SHA256SUMS"
}
# The source may have been cloned under a stricter umask.
open_to_all() { if [ -d "$1" ]; then chmod -R a+rX,go-w "$1"; fi; }

write_command() {
  cat >"$1" <<COMMAND
#!/bin/sh
# Oakvoice's command line, as the service's user and with the service's configuration. Made by the installer.
export OAKVOICE_CONFIG="\${OAKVOICE_CONFIG:-$configuration}" HOME="$data"
program="$program/dist/src/main.js"
if [ "\$1" = talk ]; then
  shift
  program="$program/dist/scripts/talk.js"
  # The server may have made its own certificate.
  if [ -e "$etc/tls/cert.pem" ]; then export NODE_EXTRA_CA_CERTS="$etc/tls/cert.pem"; fi
fi
case "\$1" in help | --help | -h) echo 'oakvoice talk [FILE.wav] [--out reply.wav]: speaks to this server, prints its answer and saves it' ;; esac
case \$(id -un) in
  $user) exec "$node" "\$program" "\$@" ;;
  root) exec setpriv --reuid=$user --regid=$user --init-groups "$node" "\$program" "\$@" ;;
  *) echo 'oakvoice: run it as root or as $user (sudo oakvoice ...)' >&2; exit 1 ;;
esac
COMMAND
  chmod 0755 "$1"
}
