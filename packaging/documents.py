"""Copies the documents for operators into a folder, with every file that they link to, so that all links work there.

Usage: python3 packaging/documents.py FOLDER
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "Tests" / "Lint"))
from links import links  # noqa: E402

FIRST = ("README.md", "SECURITY.md", "docs/operations.md", "docs/access.md")


def linked_files() -> set[Path]:
    found: set[Path] = set()
    rest = [ROOT / name for name in FIRST]
    while rest:
        file = rest.pop()
        if file in found:
            continue
        found.add(file)
        if file.suffix == ".md":
            rest += [other for _, _, other, _ in links(file)]
    return found


if __name__ == "__main__":
    for file in sorted(linked_files()):
        if file.is_dir():
            raise SystemExit(f"{file.relative_to(ROOT)}: a document links to a folder; link to a file in it")
        copy = Path(sys.argv[1], file.relative_to(ROOT))
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
