#!/usr/bin/env python3
"""A whole study whose judge sits behind an endpoint that misbehaves at first. run_test.py SONDER TINY_WRITER

What the endpoint said and the key that it was asked with appear in no file and no message; answers are cached by cell."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sonder, writer = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
MARKER, KEY = "k9-private-words", "sk-planted-key-7731"  # the first is in what the server sends
PLAN = """sonder: 1
name: asked far away
seed: 5
model: {folder}/tiny.gguf
n_test: 29
facets: [affective]
detect: {{layers: [1, 2], methods: [dom], permutations: 99, random_directions: 50}}
steer: {{layer: 1, doses: [1], negative: [-1], placebos: {{isotropic: 1, variance: 0, shuffled: 0, formality: 0}}, ablate: false, random_ablations: 0}}
generate: {{n_tokens: 8, batch: 8}}
instruments:
  - {{name: judge, model: a-judge, endpoint: "{url}", key_env: PLANTED_KEY, samples: 1, timeout: 5, when: always}}
  - {{name: length}}
gates: {{kl_prompts: 4}}
"""

server = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("misbehave.py"))], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
port = int(server.stdout.readline())
with tempfile.TemporaryDirectory() as folder:
    steps = "status:500,html,half,ok:I%20cannot%20rate%20this.,ok:9,ok:Either%202%20or%204,error200,ok:3,echo"
    url = f"http://127.0.0.1:{port}/study/{steps}/v1"
    subprocess.run([writer, folder + "/tiny.gguf"], check=True)
    plan, out = folder + "/plan.yaml", folder + "/run.sonder"
    pathlib.Path(plan).write_text(PLAN.format(folder=folder, url=url))
    asked = {**os.environ, "PLANTED_KEY": KEY}

    def run(*args, env=asked, code=0):
        done = subprocess.run([sonder, *args], capture_output=True, text=True, env=env, timeout=300)
        assert done.returncode == code, f"{args}: exit {done.returncode}\n{done.stderr}"
        return done.stdout + done.stderr

    def log():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/study/log") as answer:
            return json.load(answer)["requests"]

    unset = {k: v for k, v in os.environ.items() if k != "PLANTED_KEY"}
    assert "the environment variable 'PLANTED_KEY'" in run("run", plan, "-o", out, env=unset, code=2)
    said = run("run", plan, "-o", out)
    requests = log()
    assert requests and all(r["authorization"] == "Bearer " + KEY for r in requests)
    findings = json.loads(run("report", out, "--json"))
    judge = next(row for row in findings["instruments"] if row["name"] == "judge")
    missing = findings["counts"]["scores missing"]
    page = run("report", out)
    for name, text in (("the terminal", said), ("the page", page), ("the findings", json.dumps(findings)),
                       ("the run file", pathlib.Path(out).read_bytes().decode("latin-1"))):
        assert MARKER not in text and KEY not in text, f"{name} holds what the endpoint said, or its key"
    assert judge["missing_share"] > 0, "answers without a score are missing, not 0"

    # The same again asks nothing; a fork asks nothing that was answered.
    run("run", plan, "-o", out)
    assert len(log()) == len(requests)
    run("run", plan, "-o", folder + "/fork.sonder", "--fork", out)
    assert len(log()) == len(requests), "every answer was cached by its cell"
    print(f"{len(requests)} requests, {missing} scores missing in the arms, share {judge['missing_share']:.3f} of the bank's texts; nothing leaked, nothing asked twice")
server.stdin.close()
server.wait(10)
