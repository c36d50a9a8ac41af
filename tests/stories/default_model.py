#!/usr/bin/env python3
"""A study of the real default model, from plan to page: interrupted, resumed, run again. default_model.py SONDER"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sonder = sys.argv[1]
plan = str(pathlib.Path(__file__).with_name("default_model.yaml"))


def run(*args, code=0):
    done = subprocess.run([sonder, *args], capture_output=True, text=True)
    assert done.returncode == code, f"{args}: exit {done.returncode}, expected {code}\n{done.stderr}"
    return done.stdout


if "smollm2-135m" not in [row["name"] for row in json.loads(run("model", "list", "--json")) if row["state"] == "ready"]:
    print("the default model is not pulled: ./dev test does it")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    whole, broken = folder + "/whole.sonder", folder + "/broken.sonder"
    events = [json.loads(line) for line in run("run", plan, "-o", whole, "--json").splitlines()]
    assert [e["event"] for e in events if e["event"] in ("start", "done")] == ["start", "done"] and events[-1]["event"] == "done"
    assert sum(e["event"] == "step" for e in events) > 5 and any(e["event"] == "progress" for e in events)
    findings = json.loads(run("report", whole, "--json"))

    # A run that is killed goes on and ends with the same results.
    child = subprocess.Popen([sonder, "run", plan, "-o", broken, "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(6)
    child.send_signal(signal.SIGKILL)
    child.wait()
    run("run", plan, "-o", broken, "-q")
    again = json.loads(run("report", broken, "--json"))
    for part in ("verdict", "instruments", "effects", "detection", "side_effects", "manipulations", "placebos", "lengths", "replies"):
        assert findings[part] == again[part], f"a killed and resumed run differs in {part}"

    assert set(findings["verdict"]["affective"]) >= {"detect", "control", "perceive", "headline"}
    assert findings["verdict"]["affective"]["perceive"] == "UNTESTED"
    assert findings["verdict"]["affective"]["control"] == "UNMEASURABLE", "six scenarios cannot certify an instrument"
    assert all(m["relative_error"] <= 1e-3 for m in findings["manipulations"]) and findings["manipulations"]
    assert findings["detection"][0]["held_out"] >= 0.8, "the direction orders held-out exemplars"
    steered = [r["text"] for r in findings["replies"] if r["arm"] == "steer affective +1"]
    base = [r["text"] for r in findings["replies"] if r["arm"] == "base"]
    assert len(steered) == len(base) == 6 and steered != base, "a push changes what is written"

    run("gate", whole, "--require", "verdict.affective.control == 'UNMEASURABLE' and not instruments.certified")
    run("gate", whole, "--require", "verdict.affective.control == 'CONTROLS'", code=100)
    run("gate", whole, "--require", "verdict.afective.control == 'CONTROLS'", code=2)
    cells = run("export", whole, "--format", "jsonl").splitlines()
    assert len(cells) == len(findings["replies"]) and json.loads(cells[0])["text"] == findings["replies"][0]["text"]
    run("export", whole, "--format", "csv", "-o", folder + "/cells.csv")
    assert "mean of lexicon/affective" in run("stats", folder + "/cells.csv", "--test", "clustered", "--value", "lexicon/affective", "--cluster", "scenario")
    assert "| affective | " in run("report", whole, "--format", "md")
    run("export", whole, "--format", "gguf", "--facet", "affective", "-o", folder + "/e.gguf")
    page = run("report", whole)
    assert findings["verdict"]["affective"]["headline"].split(";")[0].lower() in page.lower()
    run("direction", "export", whole, "--facet", "affective", "-o", folder + "/d.gguf")
    assert "layer 16" in run("direction", "show", folder + "/d.gguf")

    # Another plan on the same run file is refused, and a plan with a mistake names it.
    other = pathlib.Path(folder, "other.yaml")
    other.write_text(pathlib.Path(plan).read_text().replace("seed: 3", "seed: 4"))
    run("run", str(other), "-o", whole, code=2)
    other.write_text(pathlib.Path(plan).read_text().replace("doses:", "dosis:"))
    bad = subprocess.run([sonder, "validate", str(other)], capture_output=True, text=True)
    assert bad.returncode == 2 and "did you mean 'doses'" in bad.stderr, bad.stderr
print("a study of the default model: whole, killed and resumed, reported, exported, refused")
