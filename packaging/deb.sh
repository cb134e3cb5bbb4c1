#!/usr/bin/env bash
# Makes a package for Debian and Ubuntu with the program, documentation, examples and licences.
#
#     bash packaging/deb.sh [DIRECTORY]        # dist where none is given
#     sudo apt install ./dist/touchdown_*.deb
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist}
target=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
description=$(sed -n 's/^description = "\(.*\)"/\1/p' Cargo.toml | head -1)
architecture=$(dpkg --print-architecture)

cargo build --locked --release --target "$target"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
bash packaging/tree.sh "$target" "$tree/usr/bin" "$tree/usr/share/doc/touchdown"
# The oldest C library that has every symbol the program asks for.
libc=$(objdump -T "$tree/usr/bin/touchdown" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -1)
mkdir "$tree/DEBIAN"
cat > "$tree/DEBIAN/control" <<CONTROL
Package: touchdown
Version: $version
Architecture: $architecture
Maintainer: The touchdown developers
Section: science
Priority: optional
Depends: libc6 (>= $libc), libgcc-s1
Recommends: libvulkan1, mesa-vulkan-drivers
Installed-Size: $(du --summarize --block-size=1024 "$tree/usr" | cut -f1)
Description: $description
 Monte Carlo studies of landings with verdicts at a stated confidence, on
 the processor or on any GPU; rays, wheels, contacts of ellipsoids and
 worlds of rigid bodies by the million.
CONTROL
mkdir -p "$out"
package=$out/touchdown_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$tree" "$package"
