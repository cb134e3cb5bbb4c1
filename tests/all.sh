#!/usr/bin/env bash
# Installs what the tests need on Debian or Ubuntu where it is missing, then runs them all:
# format, lints and documentation with warnings denied, then every test.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {
    echo "installing $*"
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq "$@"
}

# Rust programs need a C linker.
command -v cc >/dev/null || install gcc libc6-dev
if ! command -v cargo >/dev/null; then
    if ! { install rustup && rustup default stable; }; then
        echo "Rust 1.89 or newer is needed; see https://rustup.rs" >&2
        exit 1
    fi
fi

# The kernels run on the adapter named by TOUCHDOWN_ADAPTER, else on Mesa's software adapter, which needs no GPU.
if [ -z "${TOUCHDOWN_ADAPTER:-}" ] && ! ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1; then
    install mesa-vulkan-drivers
fi

# Reports are looked at in a browser: the one named by TOUCHDOWN_BROWSER, else one of Chromium's kind.
if [ -z "${TOUCHDOWN_BROWSER:-}" ] &&
    ! command -v chromium chromium-browser google-chrome chrome >/dev/null; then
    install chromium
fi

# The Python package is tested in an environment of its own.
command -v python3 >/dev/null && python3 -c 'import ensurepip, venv' 2>/dev/null || install python3 python3-venv

# Tables of lines for backtraces take an eighth of the time to build; failed assertions tell their line without.
export CARGO_PROFILE_DEV_DEBUG=0

# Without a desktop a layer that Mesa adds to Vulkan programs complains at every start.
export NODEVICE_SELECT=1

# What follows, and what was spent so far: by the clock, and by processors in programs that have ended.
spent=$(mktemp)
trap 'rm -f "$spent"' EXIT
say() {
    times >"$spent"
    awk -v what="$*" -v clock="$SECONDS" 'NR == 2 {
        for (i = 1; i <= 2; i++) { split($i, time, "m"); processors += time[1] + time[2] / 60 }
        printf "\n== %s (after %.1f min, %.1f of processors)\n", what, clock / 60, processors
    }' "$spent"
}

say "format"
cargo fmt --all --check
say "lints"
cargo clippy --locked --workspace --all-targets --quiet -- --deny warnings
say "the library alone, without GPUs, reports and the program"
cargo clippy --locked --lib --no-default-features --quiet -- --deny warnings
say "documentation"
RUSTDOCFLAGS="--deny warnings" cargo doc --locked --workspace --no-deps --document-private-items --quiet
say "libraries"
if command -v cargo-deny >/dev/null; then
    cargo deny --locked check
else
    echo "cargo-deny is not here: the tests check licences and sources, nothing checks for advisories"
fi
say "adapters"
cargo test --locked --no-run
"${CARGO_TARGET_DIR:-target}/debug/touchdown" devices
say "tests"
cargo test --locked

say "the Python package"
# Built by maturin, installed in a fresh environment, tested there.
place="${CARGO_TARGET_DIR:-target}/python"
rm -rf "$place"
mkdir -p "$place"
place=$(cd "$place" && pwd)
python3 -m venv "$place/environment"
pip() { "$place/environment/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
if ! pip install 'maturin>=1.9,<2'; then
    echo "the index of Python packages cannot be reached: maturin, numpy, pyarrow, pytest and others are missing" >&2
    exit 1
fi
started=$SECONDS
# In the profile of the tests, whose libraries are those of the wheel.
"$place/environment/bin/maturin" build --locked --profile dev --manifest-path python/Cargo.toml --out "$place/wheels" --quiet
echo "built in $((SECONDS - started)) s: $(cd "$place/wheels" && du -h ./*.whl)"
wheel=$(echo "$place"/wheels/*.whl)
started=$SECONDS
pip install "$wheel[test,dask,notebooks]"
echo "installed in $((SECONDS - started)) s"
"$place/environment/bin/python" -m pytest python/tests --quiet -rs
say "passed"
