#!/usr/bin/env python3
"""Reads what `llvm-cov export -summary-only` writes and prints a table: the share of lines and branches of
each folder that ran (`./dev coverage`)."""
import json
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "build"):
            continue
        for folder in (path.parent.relative_to(ROOT).as_posix(), "all"):
            for place, kind in enumerate(("lines", "branches")):
                counts[folder][2 * place] += file["summary"][kind]["covered"]
                counts[folder][2 * place + 1] += file["summary"][kind]["count"]
    print("| folder | lines | branches |\n|---|---|---|")
    for folder in sorted(counts, key=lambda folder: (folder == "all", folder)):
        lines, all_lines, branches, all_branches = counts[folder]
        shares = [f"{100 * part / max(whole, 1):.1f} % of {whole}" for part, whole in
                  ((lines, all_lines), (branches, all_branches))]
        print(f"| {folder if folder == 'all' else f'`{folder}/`'} | {shares[0]} | {shares[1]} |")


if __name__ == "__main__":
    main()
