# shellcheck shell=bash
# The program: built beside the one that runs, for this machine's processor, without what this machine cannot use.

parts=(package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json LICENSE NOTICE README.md src scripts bench models voices docs)

install_program() {
  step "Program in $prefix"
  local staging=$prefix/program.new stamp
  stamp=$(make_stamp | sha256sum | cut -d' ' -f1)
  if [ "$(cat "$program/.stamp" 2>/dev/null)" = "$stamp" ] && is_whole "$program"; then
    note 'there, and the same'
  else
    run rm -rf "$staging"
    run mkdir -p "$staging"
    run copy_parts "$staging"
    run in_folder "$staging" npm ci "${npm_options[@]}" || fail 'npm ci failed; the lines above say why'
    run in_folder "$staging" npm run --silent build || fail 'the program did not compile'
    run in_folder "$staging" npm prune --omit=dev --ignore-scripts "${npm_options[@]}"
    run slim "$staging"
    run switch_program "$staging" "$stamp"
  fi
  run write_command "$prefix/oakvoice"
  # The source may have been cloned under a stricter umask.
  run chmod -R a+rX,go-w "$prefix"
  run chmod 0755 "$prefix/oakvoice"
  if [ ! -e "$command" ] || [ -L "$command" ]; then run ln -sfn "$prefix/oakvoice" "$command"; else note "$command is somebody else's: use $prefix/oakvoice"; fi
  run rm -rf "$prefix/npm-cache"
}

# What the installed program depends on: with the same stamp there is nothing to do.
make_stamp() {
  cd "$source_folder"
  find "${parts[@]}" -type f -print0 | sort -z | xargs -0 sha256sum
  "$node" --version 2>/dev/null || true
  echo "$arch $gpu"
  grep -m1 '^flags' /proc/cpuinfo || true
}
is_whole() { (cd "$1" && sha256sum --check --status SHA256SUMS 2>/dev/null); }
copy_parts() { tar -C "$source_folder" -cf - "${parts[@]}" | tar -C "$1" -xf -; }
in_folder() { (cd "$1" && "${@:2}"); }

slim() {
  local folder=$1 modules=$1/node_modules before after other
  before=$(du -sm "$folder" | cut -f1)
  find "$modules"/@node-llama-cpp -mindepth 1 -maxdepth 1 ! -name "linux-$arch*" -exec rm -rf {} +
  if [ -z "$gpu" ]; then rm -rf "$modules"/@node-llama-cpp/*-cuda* "$modules"/@node-llama-cpp/*-vulkan*; fi
  for other in darwin win32; do rm -rf "$modules"/onnxruntime-node/bin/napi-v*/"$other"; done
  find "$modules"/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d ! -name "$arch" -exec rm -rf {} +
  rm -rf "$modules"/whisper.rn/{ios,android,lib,src,jest} "$folder"/build/native/objects
  after=$(du -sm "$folder" | cut -f1)
  note "$after MB (without $((before - after)) MB that this box cannot use)"
}

switch_program() {
  echo "$2" >"$1/.stamp"
  in_folder "$1" find . -type f ! -name SHA256SUMS -exec sha256sum {} + >"$1/SHA256SUMS"
  rm -rf "$program.old"
  if [ -d "$program" ]; then mv "$program" "$program.old"; fi
  mv "$1" "$program"
  rm -rf "$program.old"
}

write_command() {
  cat >"$1" <<COMMAND
#!/bin/sh
# Oakvoice's command line, as the service's user and with the service's configuration. Made by the installer.
export OAKVOICE_CONFIG="\${OAKVOICE_CONFIG:-$configuration}" HOME="$data"
program="$program/dist/src/main.js"
if [ "\$1" = talk ]; then
  shift
  program="$program/dist/scripts/talk.js"
  # The box may have made its certificate itself.
  if [ -e "$etc/tls/cert.pem" ]; then export NODE_EXTRA_CA_CERTS="$etc/tls/cert.pem"; fi
fi
case "\$1" in help | --help | -h) echo 'oakvoice talk [FILE.wav] [--out reply.wav]: says something to this box, and prints and keeps its answer' ;; esac
case \$(id -un) in
  $user) exec "$node" "\$program" "\$@" ;;
  root) exec setpriv --reuid=$user --regid=$user --init-groups "$node" "\$program" "\$@" ;;
  *) echo 'oakvoice: run it as root or as $user (sudo oakvoice ...)' >&2; exit 1 ;;
esac
COMMAND
}
