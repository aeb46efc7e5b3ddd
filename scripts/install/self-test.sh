# shellcheck shell=bash
# The proof: every engine timed, and a spoken question answered.

self_test() {
  step 'Doctor'
  run oakvoice doctor || fail 'an engine does not start; the line above says which'
  step 'A spoken question'
  run ask_aloud || fail 'it did not answer; run "oakvoice doctor" and read the log'
}

# By a server of its own on a free port and without TLS: the test needs no certificate and disturbs no caller.
ask_aloud() {
  local folder said
  folder=$(mktemp -d)
  chown "$user" "$folder"
  printf 'port: 0\ndata_dir: %s\nprofile: %s\n' "$data" "$profile" >"$folder/test.yaml"
  said=$(OAKVOICE_CONFIG=$folder/test.yaml "$prefix/oakvoice" talk --out "$folder/reply.wav" | tail -1) || return 1
  note "${said% in *}"
  [ "$(stat -c %s "$folder/reply.wav")" -gt 20000 ] || return 1
  rm -rf "$folder"
}
