"""Measures the installed wheel next to the native engine: `cargo xtask bench --only wheel`."""

import json
import pathlib
import statistics
import subprocess
import time

import textveil

ROOT = pathlib.Path(__file__).parents[1]
TEXTS = ROOT / "engine/benches/texts"
NATIVE = ROOT / "target/release/examples/detect"
ROUNDS = 15


def main() -> None:
    start = time.perf_counter()
    finder = textveil.Finder()
    print(f"start: {(time.perf_counter() - start) * 1e3:.0f} ms")
    # an API call takes at most 50,000 characters, and the native example has that limit
    texts = {name: (TEXTS / f"{name}.txt").read_text(encoding="utf-8") for name in ("prose", "dense")}
    texts = {name: text * (45_000 // len(text)) for name, text in texts.items()}
    native = subprocess.Popen([NATIVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert native.stdin and native.stdout
    print(f"{'text':<8}{'findings':>10}{'wheel MB/s':>12}{'native MB/s':>13}{'µs a finding':>14}{'more than native':>18}{'of native':>11}")
    for name, text in texts.items():
        ours, theirs = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            found = finder.detect(text)
            ours.append(time.perf_counter() - start)
            native.stdin.write(json.dumps({"text": text}) + "\n")
            native.stdin.flush()
            answer = json.loads(native.stdout.readline())
            assert len(answer["entities"]) == len(found)
            theirs.append(answer["seconds"])
        wheel, reference = statistics.median(ours), statistics.median(theirs)
        size = len(text.encode()) / 1e6
        each = [seconds / len(found) * 1e6 if len(found) > 100 else float("nan") for seconds in (wheel, wheel - reference)]
        print(f"{name:<8}{len(found):>10}{size / wheel:>12.1f}{size / reference:>13.1f}{each[0]:>14.1f}{each[1]:>18.1f}{reference / wheel:>11.2f}")
    start = time.perf_counter()
    for _ in range(1000):
        finder.detect("nothing here")
    print(f"a call with a short text: {time.perf_counter() - start:.3f} ms")


if __name__ == "__main__":
    main()
