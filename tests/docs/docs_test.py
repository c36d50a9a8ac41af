#!/usr/bin/env python3
"""Every example of docs/ is run and must print what the page says. docs_test.py SONDER [--write]

A block ```csv NAME is a file; in a block ```console each line `$ sonder …` is followed by what it prints, at 88 columns.
--write puts what was printed into the pages instead: read the difference before you commit it."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sonder = str(pathlib.Path(sys.argv[1]).resolve())
write = "--write" in sys.argv[2:]
root = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```(csv|console) ?(\S*)\n(.*?)^```$", re.M | re.S)


def run(line, folder):
    words = shlex.split(line.removeprefix("$ "))
    if words[0] != "sonder":
        sys.exit(f"an example begins with 'sonder', found: {line}")
    environment = {**os.environ, "GOMP_SPINCOUNT": "1000", "SONDER_CACHE": folder + "/cache"}
    done = subprocess.run([sonder, "-q", *words[1:]], env=environment, cwd=folder, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout + done.stderr


def check(page):
    text = page.read_text()
    examples = wrong = 0
    pieces, end = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(root / "examples", folder + "/examples")
        for block in BLOCK.finditer(text):
            kind, name, body = block.groups()
            if kind == "csv":
                pathlib.Path(folder, name).write_text(body)
                continue
            said = ""
            for line in body.splitlines():
                if line.startswith("$ "):
                    examples += 1
                    said += line + "\n" + run(line, folder).strip("\n") + "\n"
            if said != body:
                wrong += 1
                if not write:
                    print(f"{page.name}: the page says\n{body}the program says\n{said}")
            pieces += [text[end:block.start(3)], said]
            end = block.end(3)
    if write and wrong:
        page.write_text("".join(pieces) + text[end:])
    return examples, wrong


total = failed = 0
for page in sorted((root / "docs").glob("*.md")):
    examples, wrong = check(page)
    total += examples
    failed += wrong
print(f"{total} examples, {failed} pages' blocks {'written' if write else 'differ'}")
if total < 5:
    sys.exit("docs_test.py found fewer than 5 examples: the pages have lost theirs")
sys.exit(1 if failed and not write else 0)
