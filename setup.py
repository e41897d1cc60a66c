"""Builds the package for Python with CMake: `pip install . --no-build-isolation`.

$ULTR_BUILD names a build folder to use; by default it is build/pip.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()


class CMakeBuild(build_ext):
    """Builds the extension and the library, and copies the whole package to where setuptools wants it."""

    def run(self) -> None:
        build = Path(os.environ.get("ULTR_BUILD", ROOT / "build" / "pip")).resolve()
        if not (build / "CMakeCache.txt").exists():
            subprocess.check_call(
                ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DULTR_TESTS=OFF",
                 "-DULTR_BENCHMARKS=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
            )
        subprocess.check_call(["cmake", "--build", build, "--target", "ultr_python"])
        subprocess.check_call(
            ["cmake", "--install", build, "--component", "wheel", "--prefix", Path(self.build_lib).resolve()]
        )


version = re.search(r"project\(ultr VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
assert version is not None
setup(
    version=version.group(1),
    packages=[],
    ext_modules=[Extension("ultr._core", [])],
    cmdclass={"build_ext": CMakeBuild},
)
