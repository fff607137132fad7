"""The Debian package: programs that load Swift's libraries are refused, and all links between its documents work. It has the
alerts, the dashboard and the bill of materials, which names Swift's libraries. scripts/package-test tests
the package of a release. The build of the container's image gets the folders of all targets."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import environment

ROOT = environment.ROOT
# Has the output of the program that is tested, which may load Swift's libraries.
SOURCE = """
#include <unistd.h>
int main(int count, char **arguments) {{ return execv("{program}", arguments); }}
"""
DEPENDENCIES = {
    "dependencies": [
        {"identity": "swift-log", "url": "https://github.com/apple/swift-log.git", "version": "1.6.0", "dependencies": []}
    ]
}


def run(program, seed, is_long):
    with tempfile.TemporaryDirectory(prefix="reorderd-package-") as name:
        folder = Path(name)
        plain, dynamic = build(Path(program).resolve(), folder)
        bill = components(plain, folder)
        refused = subprocess.run([ROOT / "scripts" / "package", dynamic, folder, bill], capture_output=True, text=True)
        assert refused.returncode == 1 and "libswiftCore.so): build it with --static-swift-stdlib" in refused.stderr, refused
        assert not list(folder.glob("*.deb"))
        content(plain, folder, bill)
    context()


def build(program, folder):
    """A program without Swift's libraries, and one with them."""
    (folder / "program.c").write_text(SOURCE.format(program=program))
    subprocess.run(["cc", "-shared", "-o", folder / "libswiftCore.so", "-x", "c", "/dev/null"], check=True)
    subprocess.run(["cc", "-o", folder / "plain", folder / "program.c"], check=True)
    subprocess.run(
        ["cc", "-o", folder / "dynamic", folder / "program.c", "-Wl,--no-as-needed", f"-Wl,-rpath,{folder}", f"-L{folder}",
         "-lswiftCore"],
        check=True)
    return folder / "plain", folder / "dynamic"


def content(program, folder, bill):
    made = subprocess.run([ROOT / "scripts" / "package", program, folder, bill], check=True, capture_output=True, text=True)
    package = made.stdout.strip()
    subprocess.run(["dpkg-deb", "-x", package, folder / "files"], check=True)
    shared = folder / "files" / "usr" / "share"
    there = shared / "doc" / "reorderd"
    assert (there / "docs" / "operations.md").exists()
    assert (there / "reorderd.cdx.json").read_text() == bill.read_text()
    for name in ("prometheus/alerts.yaml", "grafana/reorderd.json"):
        assert (shared / "reorderd" / name).read_text() == (ROOT / "packaging" / name).read_text(), name
    checked = subprocess.run(
        [sys.executable, "-B", ROOT / "Tests" / "Lint" / "links.py", there], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    print(f"{Path(package).name}: {checked.stdout.strip()}; a program that loads Swift's libraries is refused")


def components(program, folder):
    """Makes the bill of materials, and returns its file."""
    made = subprocess.run(
        [sys.executable, ROOT / "packaging" / "sbom.py", "1.2.3", program, "6.3"], check=True, capture_output=True, text=True,
        input=json.dumps(DEPENDENCIES))
    bill = json.loads(made.stdout)
    file = folder / "bill.json"
    file.write_text(made.stdout)
    names = {component["name"]: component["version"] for component in bill["components"]}
    assert {"swift": "6.3", "swift-foundation": "6.3", "swift-log": "1.6.0"}.items() <= names.items(), names
    assert "libc6" in names, names
    (used,) = [entry["dependsOn"] for entry in bill["dependencies"] if entry["ref"] == "reorderd"]
    assert len(used) == len(names), used
    print(f"the bill of materials has {len(names)} components: {', '.join(names)}")
    return file


def context():
    """swift build refuses a package if the folder of any target is missing."""
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    folders = re.findall(r'\bpath: "([^"]+)"', (ROOT / "Package.swift").read_text())
    missing = [folder for folder in folders if "!" + folder.split("/")[0] not in ignored]
    assert len(folders) > 5 and not missing, missing
    print(f"the image's build gets the folders of {len(folders)} targets")
