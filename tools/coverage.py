#!/usr/bin/env python3
"""The slow tests of the stats room, and the table of docs/coverage.md: coverage.py STATS_TEST [--write]. Fails when a test
fails or when the table differs from what the tests print; --write puts theirs in its place."""
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/coverage.md"


def main():
    run = subprocess.run([sys.argv[1], "--gtest_also_run_disabled_tests", "--gtest_filter=*DISABLED_*"],
                         stdout=subprocess.PIPE, text=True)
    found = [line for line in run.stdout.splitlines() if line.startswith("| ")]
    if run.returncode != 0 or not found:
        print(run.stdout)
        sys.exit(1)
    lines = PAGE.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| ---")) + 1
    last = next(i for i in range(first, len(lines)) if not lines[i].startswith("| "))
    if "--write" in sys.argv:
        PAGE.write_text("\n".join(lines[:first] + found + lines[last:]) + "\n")
    elif lines[first:last] != found:
        print("docs/coverage.md is not what the tests print; `tools/coverage.py STATS_TEST --write` mends it:")
        for line in [line for line in found if line not in lines[first:last]]:
            print(line)
        sys.exit(1)
    print(f"{len(found)} intervals")


main()
