#!/usr/bin/env python3
"""Writes what the program is made of: each library with version, licence and the texts that it asks to be handed on.

    python3 packaging/third_party.py TARGET > THIRD-PARTY.md

TARGET is a target triple, such as x86_64-unknown-linux-gnu. Libraries that only tests or builds use are left out.
"""

import json
import pathlib
import subprocess
import sys


def main():
    (target,) = sys.argv[1:] or sys.exit(__doc__)
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    used = linked(metadata["resolve"])
    used.discard(metadata["resolve"]["root"])
    libraries = sorted((packages[name] for name in used), key=lambda package: (package["name"], package["version"]))
    print(f"# Libraries in touchdown for {target}\n")
    print("| library | version | licence | source |\n| --- | --- | --- | --- |")
    texts = {}
    for package in libraries:
        print(f"| {package['name']} | {package['version']} | {package['license']} | {package['repository'] or ''} |")
        for text in licence_texts(pathlib.Path(package["manifest_path"]).parent):
            texts.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, names in texts.items():
        print(f"\n## {', '.join(names)}\n\n```text\n{text}\n```")


def linked(resolve):
    """The packages that the program is linked from: normal dependencies of normal dependencies."""
    nodes = {node["id"]: node for node in resolve["nodes"]}
    found, open_ends = set(), [resolve["root"]]
    while open_ends:
        name = open_ends.pop()
        if name not in found:
            found.add(name)
            normal = lambda edge: any(kind["kind"] is None for kind in edge["dep_kinds"])
            open_ends += [edge["pkg"] for edge in nodes[name]["deps"] if normal(edge)]
    return found


def licence_texts(directory):
    """What stands in the licence files of a package, each text once."""
    names = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")
    files = (file for file in sorted(directory.iterdir()) if file.is_file() and file.name.upper().startswith(names))
    return dict.fromkeys(file.read_text(errors="replace").strip() for file in files)


main()
