"""The Python environment of the tests: made once, and again where requirements.txt changes."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build-python"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def make():
    """The environment's folder of programs."""
    programs = FOLDER / "bin"
    done = FOLDER / "requirements.txt"
    wanted = REQUIREMENTS.read_text() + sys.version
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(FOLDER, ignore_errors=True)
        print("making .build-python", flush=True)
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--requirement", REQUIREMENTS], check=True)
        done.write_text(wanted)
    return programs
