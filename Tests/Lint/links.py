"""Checks the links between the documents: each file and each heading that a link names must exist, and so must each file of
the project that a document names as code (`docs/limits.md`). Also checks that each symbolic link has a target.

Links to other sites are not followed. Prints each broken link, and exits with 1 if it finds one.

With a folder as the argument, checks the links between the documents in this folder instead, for example those of a package.
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)>\s]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
# A path, or the name of a file of a kind that only this project's files have in the documents.
NAME = re.compile(r"[\w+.-]+(?:/[\w+.-]+)*/?")
OWN_KIND = re.compile(r"\.(?:md|swift|py|ya?ml)$")
OTHER_SITE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|/)", re.IGNORECASE)


def blanked(match):
    """The same number of lines, with all text replaced by spaces."""
    return re.sub(r"[^\n]", " ", match.group())


def anchors(text):
    """The anchors of a document's headings, as GitHub builds them."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    counts = {}
    for heading in HEADING.findall(FENCE.sub(blanked, text)):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = counts.get(name, 0)
        counts[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def missing_names(file, text, listed):
    """The files that the document names as code and that do not exist: by their path, or a part of it at the end."""
    folders = {name.split("/")[0] for name in listed if "/" in name}
    for match in CODE.finditer(FENCE.sub(blanked, text)):
        name = match.group()[1:-1]
        is_own = OWN_KIND.search(name) or ("/" in name and name.split("/")[0] in folders)
        if not (NAME.fullmatch(name) and is_own) or (ROOT / name).exists() or (file.parent / name).exists():
            continue
        if not any(f"/{other}".endswith(f"/{name}") for other in listed):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{file.relative_to(ROOT)}:{line}: {name}: the file does not exist"


def links(file):
    """The links of a document to files: the line, the target as written, the file, and the anchor or an empty text."""
    shown = CODE.sub(blanked, FENCE.sub(blanked, file.read_text()))
    for match in LINK.finditer(shown):
        target = match.group(1) or match.group(2)
        # DocC's own links are symbols, which the DocC compiler checks.
        if OTHER_SITE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        other = (file.parent / path).resolve() if path else file
        yield shown.count("\n", 0, match.start()) + 1, target, other, anchor


def faults(file, root):
    for line, target, other, anchor in links(file):
        where = f"{file.relative_to(root)}:{line}"
        if not other.exists():
            yield f"{where}: {target}: the file does not exist"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other.read_text()):
            yield f"{where}: {target}: the heading does not exist"


def main():
    if len(sys.argv) > 1:
        root = Path(sys.argv[1]).resolve()
        documents = sorted(root.rglob("*.md"))
        return report(documents, [fault for file in documents for fault in faults(file, root)])
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    files = [ROOT / name for name in listed if name.endswith(".md") and (ROOT / name).exists()]
    found = [fault for file in files for fault in missing_names(file, file.read_text(), listed)]
    found += [fault for file in files for fault in faults(file, ROOT)]
    symbolic = [name for name in listed if name and (ROOT / name).is_symlink()]
    found += [f"{name}: the target of this symbolic link does not exist" for name in symbolic if not (ROOT / name).exists()]
    return report(files, found)


def report(documents, found):
    print("\n".join(found) if found else f"{len(documents)} documents: all links are valid")
    return 1 if found or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
