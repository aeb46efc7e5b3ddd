# shellcheck shell=bash
# Runs the snippet $2 where changes to the system's folders go to memory and end with it. $1: the built program, in a scratch folder.
# Fakes: npm copies what was built; systemctl and journalctl do as the files in /run/fake say.
set -eu
source_folder=$PWD built=$1
mount --make-rprivate /
upper=$(mktemp -d -p "$(dirname "$built")")
mount -t tmpfs tmpfs "$upper"
for folder in /etc /opt /srv /home /var/lib /usr/local "$source_folder"; do
  name=$upper/${folder//\//_}
  mkdir -p "$name/upper" "$name/work"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=$name/upper,workdir=$name/work" "$folder"
done
mount -t tmpfs tmpfs /run
rm -rf /opt/oakvoice /etc/oakvoice /var/lib/oakvoice /usr/local/bin/oakvoice /etc/systemd/system/oakvoice.service*
cd "$source_folder"
# No test here loads a model.
find models -size +100k -exec truncate -s 0 {} +

bin=$upper/bin
mkdir "$bin" /run/fake
cat >"$bin/npm" <<NPM
#!/bin/bash
set -eu
if [ -e "/run/fake/npm-\$1" ]; then . "/run/fake/npm-\$1"; fi
case \$1 in
  ci)
    mkdir -p node_modules/onnxruntime-node/bin/napi-v6/linux/x64 node_modules/@node-llama-cpp build/native
    for name in package.json dist; do ln -s "$source_folder/node_modules/onnxruntime-node/\$name" node_modules/onnxruntime-node; done
    for name in "$source_folder"/node_modules/*; do
      case \$name in */onnxruntime-node | */whisper.rn | */@node-llama-cpp) ;; *) ln -s "\$name" node_modules ;; esac
    done
    ;;
  run) cp -r "$built" dist ;;
esac
NPM
cat >"$bin/systemctl" <<'SYSTEMCTL'
#!/bin/sh
echo "systemctl $*" >>/run/fake/log
case $1 in
  is-active) cat /run/fake/active ;;
  restart) grep -h '^host' /etc/oakvoice/oakvoice.yaml >>/run/fake/log ;;
esac
[ ! -e "/run/fake/fail-$1" ]
SYSTEMCTL
cat >"$bin/journalctl" <<'JOURNALCTL'
#!/bin/sh
if [ -e /run/fake/journal ]; then cat /run/fake/journal; else echo ws://127.0.0.1:8787/; fi
JOURNALCTL
chmod +x "$bin"/*
export PATH=$bin:$PATH

install() { bash "$source_folder/scripts/install.sh" --skip-self-test "$@" </dev/null; }
# Every file of an installation, its owner, mode and text.
state() {
  find /etc/oakvoice /opt/oakvoice /usr/local/bin/oakvoice /etc/systemd/system/oakvoice.service* /var/lib/oakvoice \
    -path '*/program/*' -prune -o -printf '%p %u %m %l\n' 2>/dev/null | sort
  cat /etc/oakvoice/oakvoice.yaml /etc/oakvoice/tls/*.pem /opt/oakvoice/program/.stamp 2>/dev/null || true
}
with_systemd() { mkdir -p /run/systemd/system && echo inactive >/run/fake/active; }
eval "$2"
