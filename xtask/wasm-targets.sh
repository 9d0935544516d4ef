#!/usr/bin/env bash
# Usage: wasm-targets.sh TARGET…
#
# Gives the Rust toolchain in use the standard library of WebAssembly targets: by rustup, and where
# rustup is not there or cannot reach its server, compiled here from the sources that Debian packages
# for the very same version of Rust. The second way needs apt and dpkg, write access to the toolchain
# and about half a minute a target.
#
#   RUST_STD_SRC=DIR   the folder `library` of Rust's sources, in place of Debian's package
#   WASI_LIBC=DIR      a folder with libc.a, crt1-command.o and crt1-reactor.o for wasm32-wasip2, likewise
set -euo pipefail

sysroot=$(rustc --print sysroot)
version=$(rustc --version | cut -d' ' -f2)
rustlib=$sysroot/lib/rustlib
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { echo "    $*" >&2; }

fail() {
  echo "error: $*" >&2
  exit 1
}

# Keeps of its arguments the targets whose standard library is not installed.
missing() {
  local target
  for target in "$@"; do
    compgen -G "$rustlib/$target/lib/libstd-*.rlib" >/dev/null || echo "$target"
  done
}

# The machine's own Debian mirror.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | sort -u | sed -n 1p
}

# apt-get with package lists of its own, of every suite that may hold the version wanted; the
# machine's sources and lists stay as they are.
own_apt() {
  apt-get -qq -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$scratch/lists" -o APT::Sandbox::User=root "$@"
}

# Unpacks a Debian package (NAME or NAME=VERSION) into $scratch/root; nothing is installed.
unpack() {
  if [[ ! -e $scratch/sources.list ]]; then
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "neither rustup nor apt can provide the targets"
    local uri suite
    uri=$(mirror)
    if [[ -z $uri ]]; then
      apt-get update -qq
      uri=$(mirror)
    fi
    [[ -n $uri ]] || fail "apt knows no Debian mirror to get Rust's sources from"
    mkdir -p "$scratch/lists/partial" "$scratch/root"
    for suite in trixie trixie-backports forky sid; do
      echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
    done >"$scratch/sources.list"
    own_apt update
  fi
  (cd "$scratch" && own_apt download "$1" && dpkg -x "${1%%=*}"_*.deb root)
}

# Puts the sources of the standard library where cargo's build-std looks for them.
provide_sources() {
  local wanted=$rustlib/src/rust/library found=${RUST_STD_SRC:-}
  [[ ! -d $wanted ]] || return 0
  if [[ -z $found ]]; then
    unpack "rust-src=$version*" ||
      fail "Debian has no sources of Rust $version; add the targets with rustup, or set RUST_STD_SRC"
    found=$scratch/root/usr/src/rustc-$version/library
  fi
  mkdir -p "${wanted%/*}"
  cp -r "$found" "$wanted"
}

# wasm32-wasip2 links the C library of WASI; rustup's copy of the target brings it along.
provide_libc() {
  local target=$1 into=$2 found=${WASI_LIBC:-}
  if [[ -z $found ]]; then
    found=$scratch/root/usr/lib/$target
    [[ -d $found ]] || unpack wasi-libc
  fi
  mkdir -p "$into/self-contained"
  cp "$found"/{libc.a,crt1-command.o,crt1-reactor.o} "$into/self-contained/"
}

# Compiles the standard library for a target, by way of a crate that is empty, and installs it.
compile() {
  local target=$1 into=$rustlib/$1/lib
  if [[ ! -e $scratch/empty ]]; then
    cargo new --quiet --vcs none --lib --name empty "$scratch/empty"
    echo '#![no_std]' >"$scratch/empty/src/lib.rs"
  fi
  # with bitcode, as rustup's copy has it: link-time optimisation needs it
  (cd "$scratch/empty" && RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR="$scratch/target" \
    cargo build --quiet --release -Zbuild-std=std,panic_abort --target "$target")
  mkdir -p "$into"
  [[ $target != *-wasi* ]] || provide_libc "$target" "$into"
  find "$scratch/target/$target/release/deps" -name 'lib*.rlib' ! -name 'libempty-*' -exec cp {} "$into/" \;
}

mapfile -t targets < <(missing "$@")
((${#targets[@]})) || exit 0

if command -v rustup >/dev/null && timeout 120 rustup target add "${targets[@]}"; then
  exit 0
fi
say "rustup cannot add ${targets[*]}: compiling the standard library of Rust $version from Debian's sources"
provide_sources
for target in "${targets[@]}"; do
  compile "$target"
  say "installed $target"
done
