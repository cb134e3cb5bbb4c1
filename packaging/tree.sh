#!/usr/bin/env bash
# Lays out what a package holds: the program of a target in one directory, what is to be read in another.
#
#     bash packaging/tree.sh TARGET PROGRAMS DOCUMENTS
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1 programs=$2 documents=$3

mkdir -p "$programs" "$documents"
install -m 755 "${CARGO_TARGET_DIR:-target}/$target/release/touchdown" "$programs/touchdown"
cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$documents/"
cp -r docs examples "$documents/"
python3 packaging/third_party.py "$target" > "$documents/THIRD-PARTY.md"
