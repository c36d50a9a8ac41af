#!/usr/bin/env python3
"""What happens to a run file, and what the program says: docs/faults.md is this list. ledger_faults.py SONDER TINY_WRITER

A full and a read-only disk are real ones (tmpfs), where mounting is allowed; elsewhere that is said and the rest is tested."""
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sonder, writer = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
FLIPS = 50
PLAN = """sonder: 1
model: {d}/tiny.gguf
n_test: 29
facets: [affective]
detect: {{layers: [1], methods: [dom], permutations: 99, random_directions: 50}}
steer: {{layer: 1, doses: [1], negative: [-1], placebos: {{isotropic: 1, variance: 0, shuffled: 0, formality: 0}}, ablate: false, random_ablations: 0}}
generate: {{n_tokens: 8, batch: 8}}
instruments: [{{name: lexicon, when: always}}, {{name: length}}]
gates: {{kl_prompts: 4}}
"""


def run(*args):
    done = subprocess.run([sonder, *args, "-q"], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.strip()


def expect(what, got, code, words):
    said = got[2] or got[1]
    assert got[0] == code and words in said, f"{what}: exit {got[0]}, expected {code} with '{words}'\n{said}"
    print(f"{what:<42} exit {code}  {words}")


def mounted(place, options):
    place.mkdir()
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True).returncode == 0


with tempfile.TemporaryDirectory() as name:
    d = pathlib.Path(name)
    subprocess.run([writer, str(d / "tiny.gguf")], check=True)
    plan, out = str(d / "plan.yaml"), str(d / "run.sonder")
    pathlib.Path(plan).write_text(PLAN.format(d=d))
    assert run("run", plan, "-o", out)[0] == 0
    answer = run("report", out, "--json")[1]

    disk = d / "disk"
    if mounted(disk, "size=200k"):
        try:
            full = str(disk / "run.sonder")
            expect("the disk is full", run("run", plan, "-o", full), 1, "the disk is full; what was finished before is kept, free space and run again")
            subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
            expect("room was made, the same command", run("run", plan, "-o", full), 0, "")
            expect("and the run is whole", run("validate", full), 0, "a sound run")
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            expect("a folder that cannot be written", run("run", plan, "-o", str(disk / "new.sonder")), 2, "cannot be written: no permission; choose another place")
            expect("a report from there", run("report", full, "--format", "text"), 0, "unmeasurable")
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    else:
        print("no permission to mount: the full and the read-only disk were not tried")

    held = sqlite3.connect(out)
    held.execute("BEGIN EXCLUSIVE")
    expect("another process holds the file", run("run", plan, "-o", out), 1, "another process holds it; wait until it has finished, or end it")
    held.rollback()
    held.close()

    newer = str(d / "newer.sonder")
    shutil.copy(out, newer)
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 9")
    expect("a run of a newer schema", run("report", newer), 2, "has schema 9, and this program reads up to 1; a newer Sonder is needed")

    whole, chance = pathlib.Path(out).read_bytes(), random.Random(7)
    flipped, noticed = d / "flipped.sonder", 0
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        for tail in ("", "-wal", "-shm"):
            pathlib.Path(str(flipped) + tail).unlink(missing_ok=True)
        flipped.write_bytes(damaged)
        code, _, said = run("validate", str(flipped))
        assert code in (0, 2) and (code == 0 or "is damaged" in said or "not a run file" in said or "schema" in said), said
        noticed += code != 0
        code, shown, said = run("report", str(flipped), "--json")
        assert code != 0 or shown == answer, "a damaged run file gave another answer in silence"
    assert noticed > FLIPS // 2
    print(f"{'a flipped bit, ' + str(FLIPS) + ' times':<42} {noticed} noticed by validate, the others harmless; never another answer")

    cut = d / "cut.sonder"
    cut.write_bytes(whole[: len(whole) // 2])
    expect("half of the file is gone", run("report", str(cut)), 2, "is damaged")
    assert os.path.getsize(cut) == len(whole) // 2, "a damaged file is left alone"
