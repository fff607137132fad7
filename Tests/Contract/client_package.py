"""The Swift package for apps (`scripts/client-package`) builds in an app that gets it by URL and version, and pins another version of a
package that the server also uses. The app's program runs. The privacy manifest names what the sources use."""

import os
import plistlib
import re
import subprocess
import tempfile
from pathlib import Path

import environment

ROOT = environment.ROOT
APP = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.iOS(.v17), .macOS(.v14)],
    dependencies: [
        .package(url: "file://{folder}/reorder-client", exact: "1.0.0"),
        .package(url: "{folder}/swift-collections", exact: "1.1.4"),
    ],
    targets: [
        .executableTarget(
            name: "app",
            dependencies: [
                .product(name: "ReorderClient", package: "reorder-client"),
                .product(name: "Collections", package: "swift-collections"),
            ])
    ]
)
"""
PROGRAM = """
import Collections
import Foundation
import ReorderClient

let client = ReorderClient(
    server: URL(string: "http://127.0.0.1:9") ?? URL.temporaryDirectory, storage: URL.temporaryDirectory)
// A type of the rules, and its members.
print(SettingsUpdate(moves: .siblings) == SettingsUpdate())
do {
    _ = try await client.list("no/id")
} catch {
    print("an id was refused:", error)
}
"""
# Stands for the version that the app pins: only its name and version matter to the package manager.
COLLECTIONS = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "swift-collections", products: [.library(name: "Collections", targets: ["Collections"])],
    targets: [.target(name: "Collections")])
"""

# Apple's categories of functions for which an app must give a reason, and the functions.
REASONED = {
    "FileTimestamp": r"\bf?l?stat(at)?\(|getattrlist|(creation|[mM]odification)Date\b|\w+DateKey\b",
    "SystemBootTime": r"systemUptime|mach_absolute_time",
    "DiskSpace": r"volume\w*Capacity|system(Free)?Size\b|\bf?statv?fs\(",
    "ActiveKeyboards": r"activeInputModes",
    "UserDefaults": r"UserDefaults|AppStorage",
}
AUTHOR = {f"GIT_{role}_{part}": "test@localhost" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}


def run(program, seed, is_long):
    with tempfile.TemporaryDirectory(prefix="reorderd-client-") as name:
        folder = Path(name)
        for version in ("0.9.0", "1.0.0"):
            subprocess.run(
                [ROOT / "scripts" / "client-package", "--release", version, folder / "reorder-client"], check=True,
                env=os.environ | AUTHOR)
        check_privacy(folder / "reorder-client")
        write(folder / "swift-collections", {"Package.swift": COLLECTIONS, "Sources/Collections/Collections.swift": "\n"})
        publish(folder / "swift-collections", "1.1.4")
        write(folder / "app", {"Package.swift": APP.format(folder=folder), "Sources/app/main.swift": PROGRAM})
        built = subprocess.run(["swift", "run", "--package-path", folder / "app"], capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
        assert "an id was refused" in built.stdout, built.stdout
        assert "warning:" not in built.stderr + built.stdout, built.stderr + built.stdout
        resolved = (folder / "app" / "Package.resolved").read_text()
        assert resolved.count('"identity"') == 2, resolved
        assert list((folder / "app" / ".build").glob("*/debug/*.resources/PrivacyInfo.xcprivacy"))
        print("an app with swift-collections 1.1.4 and the client builds and runs, without other packages")


def check_privacy(package):
    """The manifest names exactly the categories that the sources use."""
    manifest = plistlib.loads((package / "Sources/ReorderClient/PrivacyInfo.xcprivacy").read_bytes())
    named = {entry["NSPrivacyAccessedAPIType"] for entry in manifest["NSPrivacyAccessedAPITypes"]}
    text = "\n".join(file.read_text() for file in package.rglob("*.swift"))
    used = {f"NSPrivacyAccessedAPICategory{name}" for name, pattern in REASONED.items() if re.search(pattern, text)}
    assert named == used, (named, used)
    print(f"the privacy manifest names {', '.join(sorted(named))}")


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def publish(folder, version):
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", version], ["tag", version]):
        subprocess.run(["git", "-C", folder, *command], check=True, env=os.environ | AUTHOR)
