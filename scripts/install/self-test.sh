# shellcheck shell=bash
# The proof: every engine timed, and a spoken question answered.

scratch=''

self_test() {
  step 'Doctor'
  run oakvoice doctor || fail 'an engine does not start; the line above says which'
  step 'A spoken question'
  run ask_aloud || fail 'it did not answer; run "oakvoice doctor" and read the log'
}

# Uses its own server on a free port, without TLS: no certificate is needed and no caller is disturbed.
# Only "out" is the service user's: root must not write where that user may plant links.
ask_aloud() {
  local said
  scratch=$(mktemp -d) && chmod 0755 "$scratch" && install -d -o "$user" "$scratch/out" || return 1
  printf 'port: 0\ndata_dir: %s\nprofile: %s\n' "$data" "$profile" >"$scratch/test.yaml"
  said=$(as_service env OAKVOICE_CONFIG="$scratch/test.yaml" HOME="$data" "$node" "$built/dist/scripts/talk.js" --out "$scratch/out/reply.wav" | tail -1) || return 1
  note "${said% in *}"
  [ "$(stat -c %s "$scratch/out/reply.wav")" -gt 20000 ]
}
