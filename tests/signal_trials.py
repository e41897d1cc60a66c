#!/usr/bin/env python3
"""Stops the training of rankers by SIGTERM and SIGINT, in turn, at random times, and resumes it, until so many
signals have hit it (`./dev signals`). Each time the program must say how to resume and exit with the signal's
code. A run that is resumed to its end must have the same bits as one that was never stopped."""
import argparse
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def start(program, arguments):
    """Starts a run. Returns it when the first epoch has ended."""
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # which shells ignore in the background
    run = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           preexec_fn=heed)
    said = []
    for line in run.stdout:
        said.append(line)
        if line.split("/")[0].strip().isdigit():
            break
    return run, said


def finish(run, said):
    """Returns the exit code, minus the number of a signal that killed it, and what it has said."""
    said += run.stdout.readlines()
    return run.wait(), "".join(said)


def without_times(table):
    return [line.rsplit(",", 2)[0] for line in table.read_text().splitlines()]


def same_results(folder, other):
    """Compares all parameters and, but for its times, the table of metrics."""
    names = sorted(path.name for path in (other / "model").iterdir())
    _, different, missing = filecmp.cmpfiles(folder / "model", other / "model", names, shallow=False)
    return (not different and not missing and
            without_times(folder / "metrics.csv") == without_times(other / "metrics.csv"))


def stop_and_resume(program, options, whole, seconds, wanted, counts):
    """Stops a run `wanted` times at most, resumes it each time, and compares it with the whole one."""
    folder = whole.parent / "stopped"
    shutil.rmtree(folder, ignore_errors=True)
    arguments = [*options, f"output={folder}"]
    sent = 0
    while True:
        run, said = start(program, arguments)
        number = SIGNALS[counts["signals"] % len(SIGNALS)]
        if sent < wanted:
            time.sleep(random.uniform(0, seconds / 4))
            run.send_signal(number)
        code, text = finish(run, said)
        if code == 0:
            counts["compared"] += 1
            counts["different"] += not same_results(folder, whole)
            return
        sent += 1
        counts["signals"] += 1
        if code != 128 + number or "; to resume: " not in text:
            counts["aborted"] += 1
            print(f"{' '.join(arguments)}: exit code {code} after {signal.Signals(number).name}:\n{text}")
            return
        arguments = ["--resume", str(folder)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="default: all of configs/ltr that need no other run")
    parser.add_argument("--signals", type=int, default=200, metavar="N", help="in all (default 200)")
    parser.add_argument("--program", default=str(ROOT / "build/release/ultr-run"))
    given = parser.parse_args()
    configs = given.configs or sorted(str(path) for path in (ROOT / "configs/ltr").glob("*.yaml")
                                      if "  teacher: " not in path.read_text())
    random.seed(1)
    counts = {"signals": 0, "aborted": 0, "compared": 0, "different": 0}
    print("| configuration | signals | aborted | resumed runs | different |\n|---|---|---|---|---|")
    for number, config in enumerate(configs, 1):
        before = dict(counts)
        wanted = given.signals * number // len(configs)
        options = [config, "train.epochs=50", "train.early_stopping=0", "report.enabled=false", f"threads={1 + number % 2}"]
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "whole"
            run, said = start(given.program, [*options, f"output={whole}"])
            begun = time.monotonic()
            code, text = finish(run, said)
            if code != 0:
                sys.exit(f"{config}: exit code {code} without a signal:\n{text}")
            seconds = time.monotonic() - begun
            while counts["signals"] < wanted:
                stop_and_resume(given.program, options, whole, seconds, wanted - counts["signals"], counts)
        row = [str(counts[name] - before[name]) for name in counts]
        print(f"| `{os.path.relpath(config, ROOT)}` | {' | '.join(row)} |", flush=True)
    print(f"\n{counts['signals']} signals: {counts['aborted']} aborted; {counts['compared']} runs resumed to "
          f"their ends, {counts['different']} different")
    return 1 if counts["aborted"] or counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
