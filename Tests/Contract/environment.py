"""The Python environment of the tests. It is built once, and again when a requirements.txt of the tests changes.

As a program, this file builds the environment and prints its folder of programs.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build-python"
REQUIREMENTS = sorted(ROOT.glob("Tests/*/requirements.txt"))


def make():
    """Builds the environment if needed. Returns its folder of programs."""
    programs = FOLDER / "bin"
    done = FOLDER / "requirements.txt"
    wanted = "".join(file.read_text() for file in REQUIREMENTS) + sys.version
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(FOLDER, ignore_errors=True)
        print("building .build-python", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for file in REQUIREMENTS:
            install += ["--requirement", file]
        subprocess.run(install, check=True, stdout=sys.stderr)
        done.write_text(wanted)
    return programs


def use():
    """Builds the environment if needed, and makes its packages importable in this process."""
    make()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = str(FOLDER / "lib" / version / "site-packages")
    if folder not in sys.path:
        sys.path.append(folder)


if __name__ == "__main__":
    print(make())
