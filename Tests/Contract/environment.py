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


def make(folder=FOLDER, requirements=REQUIREMENTS, sources=()):
    """Builds the environment if needed. Returns its folder of programs.

    `sources` are packages whose source archives are unpacked in the environment's folder `sources`, because only these have their tests.
    """
    programs = folder / "bin"
    done = folder / "requirements.txt"
    wanted = "".join(file.read_text() for file in requirements) + " ".join(sources) + sys.version
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"building {folder.name}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        files = [part for file in requirements for part in ("--requirement", file)]
        subprocess.run([*pip, "install", *files], check=True, stdout=sys.stderr)
        if sources:
            download = ["download", "--no-deps", "--no-binary", ":all:", "--dest", folder / "sources", *sources]
            subprocess.run([*pip, *download], check=True, stdout=sys.stderr)
        for archive in sorted((folder / "sources").glob("*.tar.gz")):
            shutil.unpack_archive(archive, folder / "sources", filter="data")
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
