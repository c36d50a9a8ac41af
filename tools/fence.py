#!/usr/bin/env python3
"""A fence compiles twice: as it stands it must compile, and with -DPLANT it must fail with the complaint named in its
`// expect:` line, so that it cannot rot into failing for another reason. fence.py COMPILER SRC FILE…"""
import re
import subprocess
import sys

compiler, src, *files = sys.argv[1:]
bad = 0
for file in files:
    found = re.search(r"^// expect: (.+)$", open(file).read(), re.M)
    if not found:
        print(f"{file}: needs one line `// expect: REGEX`, the complaint that -DPLANT must give")
        bad += 1
        continue
    expected = found.group(1)
    base = [compiler, "-std=c++20", "-fsyntax-only", "-I", src, file]
    clean = subprocess.run(base, capture_output=True, text=True)
    planted = subprocess.run(base + ["-DPLANT"], capture_output=True, text=True)
    if clean.returncode != 0:
        print(f"{file}: must compile as it stands\n{clean.stderr}")
    elif planted.returncode == 0:
        print(f"{file}: the wrong thing compiles")
    elif not re.search(expected, planted.stderr):
        print(f"{file}: fails, but not with /{expected}/\n{planted.stderr}")
    else:
        continue
    bad += 1
print(f"{len(files)} fences, {bad} broken")
sys.exit(1 if bad else 0)
