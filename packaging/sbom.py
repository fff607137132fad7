"""Writes a software bill of materials (CycloneDX 1.5 in JSON) of the Swift packages that the program is built from, and
of the Debian packages whose libraries it loads. It also has the parts of the Swift toolchain that are linked into the program.

Usage: swift package show-dependencies --format json | python3 packaging/sbom.py VERSION PROGRAM SWIFT_VERSION > reorderd.cdx.json
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

# Packages that only tests use.
TESTS_ONLY = {"yams"}


def swift_packages(root: dict) -> tuple[dict[str, dict], dict[str, list[str]]]:
    """Components by their references, and the dependencies of each."""
    components: dict[str, dict] = {}
    edges: dict[str, list[str]] = {}

    def visit(package: dict) -> str:
        where = re.sub(r"\.git$", "", package["url"].split("://")[-1])
        reference = f"pkg:swift/{where}@{package['version']}"
        if reference not in components:
            components[reference] = {
                "type": "library",
                "bom-ref": reference,
                "name": package["identity"],
                "version": package["version"],
                "purl": reference,
                "externalReferences": [{"type": "vcs", "url": package["url"]}],
            }
            edges[reference] = sorted({visit(other) for other in package["dependencies"]})
        return reference

    direct = [visit(package) for package in root["dependencies"] if package["identity"] not in TESTS_ONLY]
    edges["reorderd"] = sorted(direct)
    return components, edges


def swift_runtime(version: str) -> dict[str, dict]:
    """Swift's runtime and standard library, and Foundation with its parts, which --static-swift-stdlib links."""
    components = {}
    for name in (
        "swift", "swift-corelibs-foundation", "swift-corelibs-libdispatch", "swift-foundation", "swift-foundation-icu",
    ):
        reference = f"pkg:github/swiftlang/{name}@swift-{version}-RELEASE"
        components[reference] = {
            "type": "library",
            "bom-ref": reference,
            "name": name,
            "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "purl": reference,
        }
    return components


def debian_packages(program: str) -> dict[str, dict]:
    """The packages of the libraries in the program's NEEDED entries, including the C library."""
    headers = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED\s+(\S+)", headers))
    loaded = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    components = {}
    for name, path in re.findall(r"(\S+) => (\S+)", loaded):
        if name not in needed:
            continue
        real = str(Path(path).resolve())
        # Debian's library packages own a file under /usr/lib, or under /lib before the merge of the two.
        for candidate in (real, real.removeprefix("/usr"), f"/usr{real}"):
            found = subprocess.run(["dpkg-query", "-S", candidate], check=False, capture_output=True, text=True)
            if found.returncode == 0:
                break
        else:
            raise SystemExit(f"no Debian package owns {real}")
        package = found.stdout.split(": ")[0].split(",")[0]
        form = "${Package}\t${Version}\t${Architecture}"
        fields = subprocess.run(
            ["dpkg-query", "-W", "-f", form, package], check=True, capture_output=True, text=True
        ).stdout.split("\t")
        reference = f"pkg:deb/debian/{fields[0].replace('+', '%2B')}@{fields[1].replace('+', '%2B').replace(':', '%3A')}"
        reference += f"?arch={fields[2]}&distro=bookworm"
        components[reference] = {
            "type": "library",
            "bom-ref": reference,
            "name": fields[0],
            "version": fields[1],
            "purl": reference,
        }
    return components


def bill(version: str, program: str, swift: str, root: dict) -> dict:
    components, edges = swift_packages(root)
    system = debian_packages(program) | swift_runtime(swift)
    edges["reorderd"] = sorted([*edges["reorderd"], *system])
    components |= system
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "reorderd",
                "name": "reorderd",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
                "hashes": [
                    {"alg": "SHA-256", "content": hashlib.sha256(Path(program).read_bytes()).hexdigest()}
                ],
            }
        },
        "components": [components[reference] for reference in sorted(components)],
        "dependencies": [{"ref": reference, "dependsOn": edges[reference]} for reference in sorted(edges)],
    }


if __name__ == "__main__":
    json.dump(bill(sys.argv[1], sys.argv[2], sys.argv[3], json.load(sys.stdin)), sys.stdout, indent=2)
    print()
