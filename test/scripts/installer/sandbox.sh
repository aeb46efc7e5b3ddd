# shellcheck shell=bash
# Runs the snippet $2 where changes to the system's folders go to memory and end with it. $1: a scratch folder.
# $3, if given: a folder where an earlier snippet kept its changes ("keep FOLDER"). This run begins with them.
# Fakes: npm copies the built program; systemctl and journalctl do as the files in /run/fake say.
set -eu
source_folder=$PWD
mount --make-rprivate /
upper=$(mktemp -d -p "$1")
mount -t tmpfs tmpfs "$upper"
if [ -n "${3:-}" ]; then cp -a --preserve=all "$3/." "$upper"; fi
for folder in /etc /opt /srv /home /var/lib /usr/local "$source_folder"; do
  name=$upper/${folder//\//_}
  mkdir -p "$name/upper" "$name/work"
  mount -t overlay overlay -o "lowerdir=$folder,upperdir=$name/upper,workdir=$name/work" "$folder"
done
mount -t tmpfs tmpfs /run
if [ -z "${3:-}" ]; then
  rm -rf /opt/oakvoice /etc/oakvoice /var/lib/oakvoice /usr/local/bin/oakvoice /etc/systemd/system/oakvoice* \
    /usr/local/lib/systemd/system/oakvoice*
fi
keep() { for folder in "$upper"/_*; do mkdir -p "$1/${folder##*/}" && cp -a --preserve=all "$folder/upper" "$1/${folder##*/}"; done; }
cd "$source_folder"
# Only a test with a real systemd loads models.
if [ -z "${REAL_SYSTEMD:-}" ]; then find models -size +100k -exec truncate -s 0 {} +; fi

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
      case \$name in */onnxruntime-node | */whisper.rn | */@node-llama-cpp) ;; *) names+=("\$name") ;; esac
    done
    ln -s "\${names[@]}" node_modules
    ;;
  run) cp -r "$source_folder/dist" . ;;
esac
NPM
cat >"$bin/systemctl" <<'SYSTEMCTL'
#!/bin/sh
echo "systemctl $*" >>/run/fake/log
case $1 in
  is-active) cat "/run/fake/active-$2" 2>/dev/null || cat /run/fake/active ;;
  show) echo 0 ;;
  start | restart) grep -h '^host' /etc/oakvoice/oakvoice.yaml >>/run/fake/log ;;
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
  find /etc/oakvoice /opt/oakvoice /usr/local/bin/oakvoice /etc/systemd/system/oakvoice* /usr/local/lib/systemd/system/oakvoice* /var/lib/oakvoice \
    -path '*/program*/*' -prune -o -printf '%p %u %m %l\n' 2>/dev/null | sort
  cat /etc/oakvoice/oakvoice.yaml /etc/oakvoice/tls/*.pem /opt/oakvoice/program-*/.stamp 2>/dev/null || true
}
# A real systemd as the user manager of this sandbox. It sees only the units of the installer, and no unit of the machine.
# The sandbox must be in a control group and a control group namespace of its own.
real_systemd() {
  local name units=/etc/systemd/system
  umount -R /sys/fs/cgroup
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
  mkdir -p /run/systemd/system /run/user /run/journal /run/config/systemd /usr/local/lib/systemd/system "$units/service.d"
  ln -s "$units" /run/config/systemd/user
  for name in basic shutdown default; do printf '[Unit]\nDefaultDependencies=no\n' >"$units/$name.target"; done
  # Without a journal, and without the unit's own namespaces, which a user manager cannot make.
  cat >"$units/service.d/test.conf" <<'UNIT'
[Service]
StandardOutput=truncate:/run/journal/%N
StandardError=inherit
ProtectSystem=no
ReadWritePaths=
ProtectHome=no
ProtectProc=default
PrivateTmp=no
PrivateDevices=no
ProtectKernelTunables=no
ProtectKernelModules=no
ProtectKernelLogs=no
ProtectControlGroups=no
ProtectHostname=no
UNIT
  export XDG_RUNTIME_DIR=/run/user XDG_CONFIG_HOME=/run/config SYSTEMD_UNIT_PATH=$units:/usr/local/lib/systemd/system
  # The output of an earlier start does not count.
  cat >"$bin/systemctl" <<'SYSTEMCTL'
#!/bin/sh
if [ "$1" = restart ]; then rm -f "/run/journal/${2%.service}"; fi
exec /usr/bin/systemctl --user "$@"
SYSTEMCTL
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nfor word; do case $word in --unit=*) word=${word#*=}; cat "/run/journal/${word%%.service}" ;; esac; done\n' >"$bin/journalctl"
  # The real program, with its engines.
  cat >/run/fake/npm-ci <<NPM
ln -s "$source_folder/node_modules" node_modules
mkdir -p build && cp -r "$source_folder/build/native" build/
exit
NPM
  echo exit >/run/fake/npm-prune
  /lib/systemd/systemd --user --unit=default.target --log-target=console >/run/manager 2>&1 &
  until [ -S /run/user/systemd/private ]; do kill -0 $! && sleep 0.1; done
}
with_systemd() { mkdir -p /run/systemd/system && echo inactive >/run/fake/active; }
eval "$2"
