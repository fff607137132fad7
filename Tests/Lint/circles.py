"""Finds circles in the Swift code: files of a module, and folders of a module, that need one another.

File A needs file B if A names a type that only B declares. A folder needs another if one of its files does. Prints each circle
that is larger than the limit, and exits with 1 if there is one.
"""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
FILES = 6
FOLDERS = 3
NOT_CODE = re.compile(r'//.*|/\*[\s\S]*?\*/|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"')
DECLARATION = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)")
NAME = re.compile(r"\b[A-Z]\w+")


def reachable(graph, start):
    found, waiting = set(), [start]
    while waiting:
        for node in graph[waiting.pop()] - found:
            found.add(node)
            waiting.append(node)
    return found


def circles(graph):
    """The largest sets of nodes that all lead to one another."""
    reached = {node: reachable(graph, node) for node in graph}
    return {frozenset(other for other in reached[node] if node in reached[other]) for node in graph if node in reached[node]}


def needs(module):
    """For each file of the module, the files that it needs."""
    texts = {file: NOT_CODE.sub(" ", file.read_text()) for file in sorted(module.rglob("*.swift"))}
    owners = defaultdict(set)
    for file, text in texts.items():
        for name in DECLARATION.findall(text):
            owners[name].add(file)
    owner = {name: min(files) for name, files in owners.items() if len(files) == 1}
    return {file: {owner[name] for name in NAME.findall(text) if name in owner} - {file} for file, text in texts.items()}


def main():
    found = False
    for module in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
        files = needs(module)
        folders = defaultdict(set)
        for file, others in files.items():
            folders[file.parent] |= {other.parent for other in others} - {file.parent}
        for graph, limit, kind in ((files, FILES, "files"), (folders, FOLDERS, "folders")):
            for circle in circles(graph):
                if len(circle) > limit:
                    found = True
                    names = " ".join(sorted(os.path.relpath(member, SOURCES) for member in circle))
                    print(f"{module.name}: {len(circle)} {kind} need one another (at most {limit}): {names}")
    sys.exit(found)


main()
