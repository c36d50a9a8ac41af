#!/usr/bin/env python3
"""clang-tidy over the project's own files, two at a time, remembering what passed: tidy.py BUILD_FOLDER.
A file is checked again only when it, a header of the project, or the list of checks changed."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("SONDER_CACHE", pathlib.Path.home() / ".cache/sonder")) / "tidy"


def main():
    build = ROOT / sys.argv[1]
    commands = json.loads((build / "compile_commands.json").read_text())
    files = sorted({c["file"] for c in commands if c["file"].startswith((str(ROOT / "src"), str(ROOT / "apps"), str(ROOT / "bench")))})
    shared = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for header in sorted(ROOT.glob("src/**/*.h")):
        shared.update(header.read_bytes())
    CACHE.mkdir(parents=True, exist_ok=True)

    def one(file):
        stamp = CACHE / hashlib.sha256(shared.digest() + file.encode() + pathlib.Path(file).read_bytes()).hexdigest()
        if stamp.exists():
            return None
        run = subprocess.run(["clang-tidy-16", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", str(build), file],
                             capture_output=True, text=True)  # the flags are g++'s
        if run.returncode == 0:
            stamp.touch()
            return None
        return run.stdout

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [text for text in pool.map(one, files) if text is not None]
    print("".join(failed), end="")
    print(f"clang-tidy: {len(files)} files, {len(failed)} with findings")
    sys.exit(1 if failed else 0)


main()
