#!/usr/bin/env python3
"""A run is killed at random moments and goes on: no finished cell is lost, none is computed twice, and the cells and the
verdict are those of a run that nobody disturbed, byte for byte. kill_test.py SONDER TINY_WRITER N | kill_test.py SONDER real N

N kills; the moments come from a fixed seed. Also: Ctrl-C keeps what is finished and says how to go on; a changed plan is
refused with the difference; --fork takes over what is still valid."""
import json
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sonder, writer, n_kills = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], int(sys.argv[3])
chance = random.Random(20261201)
CELLS = ("reading", "reply", "score")
PLAN = """sonder: 1
name: killed
seed: 5
model: {model}
form: {form}
n_test: 29
facets: [affective]
detect: {{layers: [{layers}], methods: [dom], permutations: 99, random_directions: 50}}
steer: {{layer: {layer}, doses: [1, 2], negative: [-1], placebos: {{isotropic: 2, variance: 0, shuffled: 0, formality: 0}}, ablate: false, random_ablations: 0}}
generate: {{n_tokens: {n_tokens}, batch: 8}}
instruments:
  - {{name: lexicon, when: always}}
  - {{name: length}}
gates: {{kl_prompts: 4}}
"""


def say(text):
    print(text, flush=True)


def rows(path, kinds=CELLS):
    """The entries of a run file as they are on disk, read by another program than ours."""
    if not path.exists() or path.stat().st_size == 0:
        return {}
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        try:
            found = db.execute("SELECT kind, key, body FROM entries ORDER BY id").fetchall()
        except sqlite3.OperationalError as error:  # killed before the first table stood
            assert "no such table" in str(error), error
            return {}
    kept = {(kind, key): body for kind, key, body in found if kind in kinds}
    assert len(kept) == sum(1 for kind, _, _ in found if kind in kinds), "a cell stands twice"
    return kept


def verdict(path):
    """All that the run found, without the clock: when it was run and how long it took."""
    done = subprocess.run([sonder, "report", str(path), "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    for clock in ("started", "finished", "times"):
        found["provenance"].pop(clock, None)
    found.pop("times", None)
    return json.dumps(found, sort_keys=True)


def difference(a, b):
    a, b = json.loads(verdict(a)), json.loads(verdict(b))
    return "; ".join(f"{key}: {str(a.get(key))[:300]} | {str(b.get(key))[:300]}" for key in {*a, *b} if a.get(key) != b.get(key))


def start(plan, out, *more, **streams):
    return subprocess.Popen([sonder, "run", str(plan), "-o", str(out), "-q", *more], cwd=plan.parent, text=True,
                            stdout=subprocess.DEVNULL, **{"stderr": subprocess.DEVNULL, **streams})


def finish(plan, out, *more):
    child = start(plan, out, *more, stderr=subprocess.PIPE)
    _, said = child.communicate()
    assert child.returncode == 0, f"exit {child.returncode}: {said}"
    return said


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    plan = folder / "plan.yaml"
    if writer == "real":
        ready = json.loads(subprocess.run([sonder, "model", "list", "--json"], capture_output=True, text=True).stdout)
        if "smollm2-135m" not in [row["name"] for row in ready if row["state"] == "ready"]:
            say("the default model is not pulled: ./dev test does it")
            sys.exit(77)
        plan.write_text(PLAN.format(model="smollm2-135m", form="chat", layers="16", layer=16, n_tokens=8))
    else:
        subprocess.run([writer, str(folder / "tiny.gguf")], check=True)
        plan.write_text(PLAN.format(model=folder / "tiny.gguf", form="chat", layers="1, 2", layer=1, n_tokens=12))

    whole = folder / "whole.sonder"
    began = time.monotonic()
    finish(plan, whole)
    lasts = time.monotonic() - began
    cells, answer = rows(whole), verdict(whole)
    say(f"undisturbed: {lasts:.1f} s, {len(cells)} cells")
    assert len(cells) > 100

    kills = runs = with_cells = 0
    while kills < n_kills:
        runs += 1
        broken = folder / f"broken{runs}.sonder"
        before = {}
        while True:
            child = start(plan, broken)
            limit = chance.uniform(.1, lasts)
            try:
                child.wait(limit)
                assert child.returncode == 0, f"a resumed run ended with {child.returncode}"
                break
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
                kills += 1
            now = rows(broken)
            lost = [key for key, body in before.items() if now.get(key) != body]
            assert not lost, f"{len(lost)} finished cells were lost or changed"
            assert all(cells.get(key) == body for key, body in now.items()), "a cell differs from the undisturbed run's"
            with_cells += len(now) > 0
            before = now
            if kills >= n_kills:
                finish(plan, broken)
                break
        assert rows(broken) == cells, "the cells are not those of the undisturbed run"
        assert verdict(broken) == answer, "the verdict is not that of the undisturbed run: " + difference(broken, whole)
    say(f"{kills} kills in {runs} runs, {with_cells} of them with cells already kept: none lost, none twice, same bytes")
    assert with_cells >= n_kills // 3, "the kills came too early to show anything"

    # Ctrl-C: one batch more, and how to go on.
    stopped = folder / "stopped.sonder"
    child = start(plan, stopped, stderr=subprocess.PIPE)
    while child.poll() is None and len(rows(stopped)) == 0:
        time.sleep(.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=120)
    kept = len(rows(stopped))
    if child.returncode != 0:  # else it was finished before the signal came
        assert child.returncode == 1, child.returncode
        assert f"stopped on request; {kept} cells are kept" in said and f"sonder run {plan} -o {stopped}" in said, said
        say("Ctrl-C: " + said.strip().replace(str(folder) + "/", ""))
    assert 0 < kept
    finish(plan, stopped)
    assert rows(stopped) == cells and verdict(stopped) == answer

    # A changed plan is refused with the difference; forked, it takes over what is still valid, and no more.
    changed = folder / "changed.yaml"
    changed.write_text(plan.read_text().replace("doses: [1, 2]", "doses: [1, 3]"))
    child = start(changed, whole, stderr=subprocess.PIPE)
    _, said = child.communicate()
    assert child.returncode == 2 and "steer.doses: [1,2] → [1,3]" in said and "--fork" in said, said
    say("changed plan: " + said.strip().replace(str(folder) + "/", ""))
    fresh, forked = folder / "fresh.sonder", folder / "forked.sonder"
    finish(changed, fresh)
    began = time.monotonic()
    child = subprocess.run([sonder, "run", str(changed), "-o", str(forked), "--fork", str(whole)], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    shared = len(set(cells) & set(rows(fresh)))
    assert f"taken over from {whole}: {shared} cells" in child.stderr, child.stderr
    assert rows(forked) == rows(fresh) and verdict(forked) == verdict(fresh)
    assert 0 < shared < len(rows(fresh))
    say(f"forked: {shared} of {len(rows(fresh))} cells taken over, the rest computed; the same as a fresh run")
