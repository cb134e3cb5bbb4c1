#!/usr/bin/env bash
# Makes a program for Linux that needs no library of the system, in an archive with documentation, examples and licences.
#
#     bash packaging/static.sh [DIRECTORY]     # dist where none is given
#
# A program without libraries cannot open Vulkan drivers: it has the engines of the processor, and says so of GPUs.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist}
target=$(uname -m)-unknown-linux-musl
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=touchdown-$version-$target

rustup target add "$target"
cargo build --locked --release --target "$target"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bash packaging/tree.sh "$target" "$tree/$name" "$tree/$name"
mkdir -p "$out"
tar --create --gzip --file "$out/$name.tar.gz" --directory "$tree" --sort=name --owner=0 --group=0 --numeric-owner "$name"
echo "$out/$name.tar.gz"
