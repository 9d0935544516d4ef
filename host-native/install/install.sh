#!/bin/sh
# Installs the program `textveil` from the files of a release: the archive of this machine, checked against SHA256SUMS.
#
#   sh install.sh URL
#
# URL is the folder of the release, such as https://…/releases/download/v0.1.0. The program goes to PREFIX/lib/textveil,
# and a link to PREFIX/bin/textveil. PREFIX is $TEXTVEIL_PREFIX, or ~/.local. Nothing is changed unless the archive is whole.
set -eu

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 1
}

download() {
  if command -v curl > /dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget > /dev/null 2>&1; then
    wget --quiet --output-document="$2" "$1"
  else
    fail 'curl or wget is needed; install one of them'
  fi || fail "$1 could not be downloaded"
}

# of the checksums, only that of the archive: the other files are not here
check() {
  grep "[ *]$archive\$" SHA256SUMS > checksum || fail "SHA256SUMS does not name $archive"
  if command -v sha256sum > /dev/null 2>&1; then
    sha256sum --check --quiet checksum > /dev/null 2>&1
  elif command -v shasum > /dev/null 2>&1; then
    shasum -a 256 --check checksum > /dev/null 2>&1
  else
    fail 'sha256sum or shasum is needed; install one of them'
  fi || fail "$archive has another checksum than SHA256SUMS says; nothing was installed"
}

main() {
  url=${1:-${TEXTVEIL_RELEASE:-}}
  [ -n "$url" ] || fail 'the address of a release is missing: sh install.sh https://…/releases/download/v0.1.0'
  url=${url%/}
  prefix=${TEXTVEIL_PREFIX:-${HOME:?}/.local}
  machine=$(uname -s)-$(uname -m)
  case $machine in
    Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
    *) fail "there is no program for $machine; \`npx textveil\` runs on Node, or build the program from its sources" ;;
  esac
  archive=textveil-$target.tar.gz

  mkdir -p "$prefix/lib" "$prefix/bin"
  work=$(mktemp -d "$prefix/lib/.textveil-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cd "$work"
  download "$url/SHA256SUMS" SHA256SUMS
  download "$url/$archive" "$archive"
  check
  mkdir new
  tar -xzf "$archive" -C new || fail "$archive could not be unpacked"
  [ -x new/dist/textveil ] || fail "$archive has no program"

  rm -rf old
  if [ -e "$prefix/lib/textveil" ]; then mv "$prefix/lib/textveil" old; fi
  if ! mv new "$prefix/lib/textveil"; then
    if [ -e old ]; then mv old "$prefix/lib/textveil"; fi
    fail "$prefix/lib/textveil could not be written"
  fi
  ln -sf ../lib/textveil/dist/textveil "$prefix/bin/textveil"

  "$prefix/bin/textveil" --version
  case :${PATH:-}: in
    *":$prefix/bin:"*) ;;
    *) printf 'Add %s to your PATH.\n' "$prefix/bin" ;;
  esac
}

# in a function, so that a script that arrives in part does nothing
main "$@"
