#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu where it is missing, then runs them all:
# format, lints and documentation with warnings denied, then every test.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cc >/dev/null; then
    echo "installing a C linker, which Rust programs need"
    run_as_root=()
    [ "$(id -u)" -eq 0 ] || run_as_root=(sudo)
    "${run_as_root[@]}" apt-get update -qq
    "${run_as_root[@]}" apt-get install -y -qq gcc libc6-dev
fi
if ! command -v cargo >/dev/null; then
    echo "Rust 1.89 or newer is needed: https://rustup.rs" >&2
    exit 1
fi

say() { printf '\n== %s\n' "$*"; }

say "format"
cargo fmt --all --check
say "lints"
cargo clippy --locked --all-targets --quiet -- --deny warnings
say "documentation"
RUSTDOCFLAGS="--deny warnings" cargo doc --locked --no-deps --document-private-items --quiet
say "tests"
cargo test --locked
