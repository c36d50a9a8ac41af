#!/usr/bin/env python3
"""The page in a real browser: page_test.py SAMPLE_PROGRAM. Opens a calm, a hostile, a large and an empty sample in headless
Chromium and looks at what the browser made of them. Ends with 77 (skipped) where there is no Chromium."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr", "--v=0",
         "--virtual-time-budget=20000", "--window-size=1280,1600"]
failures = []


def check(kept, promise):
    print(("ok    " if kept else "FAIL  ") + promise)
    if not kept:
        failures.append(promise)


def browse(path, profile):
    """The document as it stands after its scripts, what the console said, and the seconds it took."""
    begin = time.monotonic()
    done = subprocess.run([BROWSER, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", "file://" + path],
                          capture_output=True, text=True, timeout=120)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console, time.monotonic() - begin


def body(dom):
    """Without what is inside script elements."""
    return re.sub(r"(<script\b[^>]*>).*?(</script>)", r"\1\2", dom, flags=re.S)


def main():
    if not BROWSER:
        print("skipped: no Chromium here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("calm", "hostile", "large", "empty"):
            path = os.path.join(folder, kind + ".html")
            subprocess.run([sys.argv[1], path, kind], check=True)
            dom, console, seconds = browse(path, os.path.join(folder, "profile"))
            seen = body(dom)
            check('data-ready="yes"' in seen, f"{kind}: the page built itself to its end ({seconds:.1f} s with the browser's start)")
            check(not console, f"{kind}: the console is silent {console[:2]}")
            check("NaN" not in seen and "undefined" not in seen, f"{kind}: no NaN and no undefined")
            if kind == "empty":
                continue
            check(seen.count("<figure") >= 6, f"{kind}: {seen.count('<figure')} figures")
            empty = len(re.findall(r'<div class="plot"[^>]*></div>', seen))
            check(empty == 0, f"{kind}: every figure is drawn ({empty} are empty)")
            check(seen.count('<article class="reply"') > 5, f"{kind}: replies are shown")
            check(seen.count('<article class="reply"') < 100, f"{kind}: of one scenario only")
            check("<img" not in seen and "<title>broken" not in seen, f"{kind}: no text became an element")
            if kind == "large":
                check(os.path.getsize(path) < 20_000_000, f"large: {os.path.getsize(path) / 1e6:.1f} MB for 100,000 replies")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
