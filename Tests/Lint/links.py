"""Checks the links between the documents: each file exists, and so does each heading that a link names.

Links to other sites are not followed. Prints each link that leads nowhere; exits with 1 if there is one.
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
OTHER_SITE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|/)", re.IGNORECASE)


def blanked(match):
    """As many lines, without what stood there."""
    return re.sub(r"[^\n]", " ", match.group())


def anchors(text):
    """What a link may name after its #, as GitHub makes it of the headings."""
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    counts = {}
    for heading in HEADING.findall(FENCE.sub(blanked, text)):
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = counts.get(name, 0)
        counts[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def faults(file):
    text = file.read_text()
    shown = CODE.sub(blanked, FENCE.sub(blanked, text))
    for match in LINK.finditer(shown):
        target = match.group(1) or match.group(2)
        # DocC's own links are symbols, which its compiler checks.
        if OTHER_SITE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        other = (file.parent / path).resolve() if path else file
        where = f"{file.relative_to(ROOT)}:{shown.count(chr(10), 0, match.start()) + 1}"
        if not other.exists():
            yield f"{where}: {target}: there is no such file"
        elif anchor and other.suffix == ".md" and anchor not in anchors(other.read_text()):
            yield f"{where}: {target}: there is no such heading"


def main():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    files = [ROOT / name for name in listed if name and (ROOT / name).exists()]
    found = [fault for file in files for fault in faults(file)]
    print("\n".join(found) if found else f"{len(files)} documents: every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
