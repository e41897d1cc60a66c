#!/usr/bin/env python3
"""Mutation tests: makes small mistakes in sources, one at a time, and sees whether tests notice.

A mutant is a copy of one file with one operator, constant or condition changed, or one statement left
out. It is compiled without optimisation, linked with the objects of the release build into a library
of its own, and the tests of its folder run with that library, those named after the file first. Sources and
the build stay as they are.

usage: tests/mutation.py [--sample N] [--jobs N] [FILE ...]    (`./dev mutate` builds what it needs)
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
REQUIRED = 0.85

# The tests of a folder: programs with filters, the quickest first.
TESTS = {
    "models": [("test_models", "-*SlowTest*"), ("test_dsl", "-*SlowTest*"), ("test_commands", "*Reference*")],
    "losses": [("test_losses", "-*SlowTest*"), ("test_commands", "*Reference*")],
    "metrics": [("test_metrics", "-*SlowTest*")],
    "training": [("test_training", "*heckpoint*"), ("test_apps", "*UltrRunResume*")],
}
DEFAULT = ["models/*.h", "losses/*.h", "losses/*.cpp", "metrics/*.cpp", "training/checkpoint.cpp",
           "training/run_checkpoints.cpp"]

OPERATORS = {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += ",
             " *= ": " /= ", " /= ": " *= ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
             " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && "}
WORDS = {"true": "false", "false": "true", "break": "continue", "continue": "break", "min": "max", "max": "min",
         "Domain::global": "Domain::rank", "Domain::rank": "Domain::global", "Domain::rank_pair": "Domain::rank",
         "Domain::document": "Domain::rank", "Domain::document_rank": "Domain::document",
         "ClickEffect::lowers": "ClickEffect::raises"}


def code_of(text):
    """Returns the text with comments, strings and directives blanked, so that places stay the same."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#[^\n]*', blank, text,
                  flags=re.S | re.M)


def closing(code, at):
    """Returns the place of the parenthesis that closes the one at a place."""
    depth = 0
    for place in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return at


def changes_of(code):
    """Yields (begin, end, replacement) of each mutation."""
    for old, new in OPERATORS.items():
        for match in re.finditer(re.escape(old), code):
            yield match.start(), match.end(), new
    for match in re.finditer(r"(?<![\w.])(\d+)(\.\d+)?(?![\w.'])", code):
        yield match.start(), match.end(), str(int(match[1]) + 1) + (match[2] or "")
    for match in re.finditer(r"\b(?:" + "|".join(WORDS) + r")\b", code):
        yield match.start(), match.end(), WORDS[match.group()]
    called = sorted(set(re.findall(r"\b\w+_(?=\(s)", code)))  # parameters of a story
    for match in re.finditer(r"\b\w+_(?=\(s)", code):
        for other in called:
            if other != match.group():
                yield match.start(), match.end(), other
    for match in re.finditer(r"\bif (?:constexpr )?\(", code):
        begin, end = match.end() - 1, closing(code, match.end() - 1) + 1
        if ";" not in code[begin:end]:
            yield begin, end, f"(!{code[begin:end]})"
    for match in re.finditer(r"(?<=[\s(])!(?=[\w(])", code):
        yield match.start(), match.end(), ""
    # Statements on a line of their own: calls and assignments. What only saves time is left alone.
    for match in re.finditer(r"^ +(?!return|throw|using|const|auto|static|else|case)[\w.:>\[\]-]+(?:\(.*\)| [-+*/]?= .*);$",
                             code, flags=re.M):
        if ".reserve(" not in match.group():
            yield match.start(), match.end(), " ;"


class Mutant:
    def __init__(self, file, text, change):
        begin, end, replacement = change
        self.file = file
        self.text = text[:begin] + replacement + text[end:]
        self.line = text.count("\n", 0, begin) + 1
        self.change = f"'{text[begin:end].strip()}' -> '{replacement.strip()}'"

    def __str__(self):
        return f"{self.file}:{self.line}: {self.change}"

    def order(self):
        """A number that has nothing to do with the place, for samples."""
        return hashlib.sha256(str(self).encode()).hexdigest()


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class Library:
    """How the library is compiled and linked."""

    def __init__(self, folder):
        self.folder = Path(folder)
        commands = run(["ninja", "-C", str(BUILD), "-t", "commands", "libultr.so"]).stdout
        self.link = next(line for line in commands.splitlines() if " -shared " in line)
        self.groups = {}  # sources of each group, by its object
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            group = f"{Path(entry['file']).relative_to(BUILD)}.o" if "/Unity/" in entry["file"] else ""
            if group and f" {group} " in self.link:
                self.groups[group] = re.findall(r'#include "(.*)"', Path(entry["file"]).read_text())
                command = shlex.split(entry["command"])
        drop = {"-c", "-Winvalid-pch", "-Werror"}
        self.compiler = [word for word in command[:command.index("-o")] if word not in drop]
        header = self.compiler.index("-include")
        precompiled = self.compiler[header + 1]
        del self.compiler[header:header + 2]
        self.compiler += ["-O0", "-w"]
        own = self.folder / "precompiled.hxx"
        own.write_text(Path(precompiled).read_text())  # to include it would take the build's, which is optimised
        self.check(run(self.compiler + ["-x", "c++-header", str(own), "-o", str(own) + ".gch"]))
        self.header = ["-include", str(own)]
        self.objects = {}  # of the sources of groups in which something changes, by source

    @staticmethod
    def check(done):
        if done.returncode != 0:
            sys.exit("cannot build:\n" + done.stdout)

    def compile(self, sources, to, overlay=None):
        unit = Path(f"{to}.cxx")
        unit.write_text("".join(f'#include "{source}"\n' for source in sources))
        first = ["-I", str(overlay)] if overlay else []
        compiler, rest = self.compiler[:1] + first + self.compiler[1:], ["-c", str(unit), "-o", str(to)]
        done = run(compiler + self.header + rest)
        # After a precompiled header, GCC 12 takes -O0 for an optimisation, which its AVX-512 header cannot compile.
        return done if done.returncode == 0 else run(compiler + rest)

    def users_of(self, file):
        """Returns the sources that must be compiled for a file, by group."""
        users, seen = {str(ROOT / file)}, set()
        while file.endswith(".h") and users != seen:  # headers of the folder that include it, and so on
            seen = set(users)
            names = {str(Path(user).relative_to(ROOT)) for user in seen}
            folder = Path(file).parent
            for header in (ROOT / folder).glob("*.h"):
                if any(f'#include "{name}"' in header.read_text() for name in names):
                    users.add(str(header))
        names = {str(Path(user).relative_to(ROOT)) for user in users}
        found = {}
        for group, sources in self.groups.items():
            chosen = [source for source in sources if source in users or
                      (file.endswith(".h") and any(f'#include "{name}"' in Path(source).read_text() for name in names))]
            if chosen:
                found[group] = chosen
        return found

    def prepare(self, file):
        """Compiles, one by one, the sources of the groups that a file is part of."""
        for group in self.users_of(file):
            for source in self.groups[group]:
                if source not in self.objects:
                    to = self.folder / f"source_{len(self.objects)}.o"
                    self.check(self.compile([source], to))
                    self.objects[source] = to

    def build(self, file, text, folder):
        """Builds the library with another text of a file. Returns false if it does not compile."""
        overlay = folder / "overlay"
        (overlay / file).parent.mkdir(parents=True)
        (overlay / file).write_text(text)
        link = self.link
        for number, (group, users) in enumerate(self.users_of(file).items()):
            to = folder / f"{number}.o"
            mutated = [str(overlay / file) if user == str(ROOT / file) else user for user in users]
            if self.compile(mutated, to, overlay).returncode != 0:
                return False
            others = [str(self.objects[source]) for source in self.groups[group] if source not in users]
            link = link.replace(f" {group} ", f" {' '.join(others)} {to} ")
        link = link.replace(" -o libultr.so", f" -Wl,-Bsymbolic -o {folder}/libultr.so")
        link = re.sub(r"libultr\.so\.([\d.]+)\.\d+ ", r"libultr.so.\1 ", link.split(" && ")[1])
        if shutil.which("ld.lld"):  # several times as fast
            link += " -fuse-ld=lld"
        self.check(run(["bash", "-c", link], cwd=BUILD))
        return True


def tests_of(file):
    """Returns pairs of a program and a filter of its tests: those named after the file, then all of its folder."""
    folder, stem = file.split("/")[0], Path(file).stem
    chosen = TESTS[folder]
    suites = set()
    for tests in (ROOT / "tests" / folder).rglob(f"{stem}_test.cpp"):
        suites |= set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", tests.read_text(), flags=re.M))
    own = ":".join(f"*{suite}.*" for suite in sorted(suites) if not suite.endswith("SlowTest"))
    return ([(chosen[0][0], own)] if own else []) + chosen


def tests_pass(file, folder, limits):
    """Runs the tests of a file's folder with the library in a folder, until one fails."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TMPDIR=str(folder))
    for program, chosen in tests_of(file):
        command = [str(BUILD / "tests" / program), f"--gtest_filter={chosen}", "--gtest_fail_fast", "--gtest_brief=1"]
        begun = time.monotonic()
        try:
            if run(command, cwd=folder, env=environment, timeout=limits.get(program)).returncode != 0:
                return False
        except subprocess.TimeoutExpired:
            return False
        limits[program] = max(limits.get(program, 0), 60 + 10 * (time.monotonic() - begun))
    return True


def outcome_of(library, mutant, limits):
    with tempfile.TemporaryDirectory(dir=library.folder) as folder:
        if not library.build(mutant.file, mutant.text, Path(folder)):
            return "does not compile"
        return "survived" if tests_pass(mutant.file, folder, limits) else "killed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="try N mutants per file; 0: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    given = parser.parse_args()
    files = given.files or sorted(str(path.relative_to(ROOT)) for pattern in DEFAULT for path in ROOT.glob(pattern))
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # checkpoints wait for no disk
    with tempfile.TemporaryDirectory(prefix="ultr_mutants_", dir=memory) as folder:
        library = Library(folder)
        outcomes, limits, printing = {}, {}, threading.Lock()
        mutants = []  # one of each file, then another of each, so that a campaign that is stopped has tried all files
        for file in files:
            text = (ROOT / file).read_text()
            of_file = sorted((Mutant(file, text, change) for change in changes_of(code_of(text))), key=Mutant.order)
            mutants += enumerate(of_file[:given.sample] if given.sample else of_file)
        mutants = [mutant for _, mutant in sorted(mutants, key=lambda numbered: numbered[0])]
        folders = {Path(mutant.file).parent: mutant.file for mutant in mutants}
        for file in sorted({mutant.file for mutant in mutants}):
            library.prepare(file)
        for file in folders.values():
            if outcome_of(library, Mutant(file, (ROOT / file).read_text(), (0, 0, "")), limits) != "survived":
                sys.exit(f"{file}: its tests fail without a mutation")

        def attempt(mutant):
            outcome = outcome_of(library, mutant, limits)
            with printing:
                outcomes[mutant] = outcome
                if outcome != "does not compile":
                    print(f"{outcome:8}  {mutant}", flush=True)

        try:
            with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
                try:
                    list(pool.map(attempt, mutants))
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
        except KeyboardInterrupt:
            print(f"\nstopped after {len(outcomes)} of {len(mutants)} mutants")
    return summary_of(outcomes)


def summary_of(outcomes):
    """Prints a table of files and the mutants that survived. Returns the program's exit code."""
    count = lambda outcome, file=None: sum(found == outcome and file in (None, mutant.file)
                                           for mutant, found in outcomes.items())
    print("\n| file | mutants | killed |\n|---|---|---|")
    for file in sorted({mutant.file for mutant in outcomes}):
        killed = count("killed", file)
        print(f"| `{file}` | {killed + count('survived', file)} | {killed} |")
    tried = count("killed") + count("survived")
    share = count("killed") / max(tried, 1)
    print(f"\n{count('killed')} of {tried} mutants killed: {100 * share:.1f} %; "
          f"{count('does not compile')} more did not compile")
    for mutant, outcome in outcomes.items():
        if outcome == "survived":
            print(f"survived  {mutant}\n            {(ROOT / mutant.file).read_text().splitlines()[mutant.line - 1].strip()}")
    return 0 if share >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
