#!/usr/bin/env python3
"""Do all arrows point down, and are the house rules kept? Reads the rooms from CMakeLists.txt and every include of
src/, apps/ and bench/. With --self-test it plants one fault of each kind and must find it."""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOM = re.compile(r"^sonder_room\((\w+)(?:\s+USES\s+([\w\s]+))?\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)

# Third-party headers and the only places that may name them (path prefixes below the root).
FENCED = {
    r"^llama": ("src/model/detail/", "src/latent/detail/"),
    r"^(ggml|gguf)": ("src/model/detail/", "src/latent/detail/"),
    r"^(chat|common|log)\.h$": ("src/model/detail/",),
    r"^sqlite3\.h$": ("src/store/",),
    r"^yaml-cpp/": ("src/store/",),
    r"^unicode/": ("src/text/",),
    r"^zip\.h$": ("src/model/",),
    r"^curl/": ("src/model/detail/",),
    r"^CLI/": ("apps/cli/",),
}

# Banned patterns: (pattern, where it is allowed, reason).
BANNED = [
    (r"\bcatch\s*\(", r"^(apps/|bench/)|_test\.cc$", "only doors catch; where a library throws its own kind, say `// border` and translate; a C callback says `// parks`"),
    (r"\bstd::(cout|cerr|printf|puts)\b|\bf?printf\s*\(", r"^(apps/|bench/|tools/)|_test\.cc$", "the library never prints"),
    (r"\bstd::rand\b|\bsrand\s*\(|std::random_device", r"^$", "every random choice comes from a named seed"),
    (r"\bstd::lgamma\b|[^:\w]lgamma\s*\(", r"^$", "lgamma writes a global; use Boost.Math"),
    (r"\bnew\s+\w", r"^$", "no naked new; a private constructor says `// owned`"),
    (r"\bstd::(system|abort|exit)\b|\bsystem\s*\(", r"^apps/", "the library never aborts and runs no shell"),
    (r"TODO\(now\)", r"^$", "TODO(now) blocks merging"),
    (r"using namespace (?!std::literals|std::chrono_literals|std::string_literals)", r"_test\.cc$|^(apps|bench)/", "name things by their room"),
]


def rooms_of(root):
    text = (root / "CMakeLists.txt").read_text()
    rooms = {}
    for name, uses in ROOM.findall(text):
        used = uses.split()
        for other in used:
            if other not in rooms:
                raise SystemExit(f"CMakeLists.txt: room '{name}' uses '{other}', which is not on an earlier line")
        rooms[name] = set(used) | {name}
    return rooms


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return text


def check(root):
    rooms = rooms_of(root)
    problems = []
    files = [p for top in ("src", "apps", "bench") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cc")]
    keys = set(re.findall(r"@\w+\{([^,]+),", (root / "docs/references.bib").read_text())) if (root / "docs/references.bib").exists() else set()
    for path in files:
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        room = name.split("/")[1] if name.startswith("src/") else None
        if room is not None and room not in rooms:
            problems.append(f"{name}: '{room}' is no room; name it in CMakeLists.txt")
            continue
        for kind, header in INCLUDE.findall(text):
            target = header.split("/")[0]
            if kind == '"' and target in rooms and room is not None:
                if target not in rooms[room]:
                    problems.append(f"{name}: room '{room}' may not use '{target}' ({header})")
                elif "/detail/" in header and target != room:
                    problems.append(f"{name}: {header} is private to room '{target}'")
            if kind == '"' and header.startswith("apps/"):
                problems.append(f"{name}: nothing may include a door ({header})")
            for pattern, places in FENCED.items():
                if re.search(pattern, header) and not name.startswith(places) and not name.endswith("_test.cc"):
                    problems.append(f"{name}: <{header}> belongs in {' or '.join(places)}")
        if path.suffix == ".h" and "#pragma once" not in text:
            problems.append(f"{name}: a header opens with #pragma once")
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            code, _, remark = line.partition("//")
            for pattern, allowed, reason in BANNED:
                target = line if "TODO" in pattern else re.sub(r'"(\\.|[^"\\])*"', '""', code)
                if re.search(pattern, target) and not (allowed != "^$" and re.search(allowed, name)):
                    if (re.search("parks|border", remark) and "catch" in pattern) or ("owned" in remark and "new" in pattern):
                        continue
                    problems.append(f"{name}:{number}: {reason}")
            for key in re.findall(r"Source: \[(\w+)\]", line):
                if keys and key not in keys:
                    problems.append(f"{name}:{number}: [{key}] is not in docs/references.bib")
    return problems


def self_test():
    plants = {
        "src/base/up.h": ('#pragma once\n#include "study/findings.h"\n', "may not use 'study'"),
        "src/stats/side.cc": ('#include "text/words.h"\n', "may not use 'text'"),
        "src/study/leak.cc": ("#include <llama.h>\n", "belongs in"),
        "src/store/peek.cc": ("void f() { try {} catch (...) {} }\n", "only doors catch"),
        "src/text/loud.cc": ('#include <cstdio>\nvoid f() { printf("x"); }\n', "never prints"),
        "src/text/bare.h": ("int x;\n", "#pragma once"),
        "src/attic/x.h": ("#pragma once\n", "is no room"),
        "src/latent/private.cc": ('#include "model/detail/tap.h"\n', "private to room"),
    }
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "CMakeLists.txt").write_text((ROOT / "CMakeLists.txt").read_text())
        for top in ("apps", "bench"):
            (root / top).mkdir()
        for name, (text, _) in plants.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = check(root)
        for name, (_, expected) in plants.items():
            if not any(p.startswith(name) and expected in p for p in found):
                raise SystemExit(f"self-test: a planted fault in {name} was not found ({expected})")
    print(f"self-test: {len(plants)} planted faults, all found")


if __name__ == "__main__":
    if "--self-test" in sys.argv:
        self_test()
    else:
        found = check(ROOT)
        print("\n".join(found) if found else "all arrows point down")
        sys.exit(1 if found else 0)
