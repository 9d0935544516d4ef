#!/bin/sh
# Prints the Homebrew formula of a release: formula.sh TAG ARCHIVE REPOSITORY
set -eu
tag=$1
archive=$2
repository=$3
sha256=$(sha256sum "$archive" | cut -d ' ' -f 1)
sed -e "s|@VERSION@|${tag#v}|" -e "s|@SHA256@|$sha256|" -e "s|@HOMEPAGE@|$repository|" \
  -e "s|@URL@|$repository/releases/download/$tag/$(basename "$archive")|" "$(dirname "$0")/textveil.rb"
