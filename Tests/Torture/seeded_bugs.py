"""Tests the tests: each bug of `seeded-bugs`, built into a copy of the tree, must fail them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from report import Setting, attempt
from suite import TESTS

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-seeded-bugs" / "tree"
PATCHES = Path(__file__).with_name("seeded-bugs")
NAMES = sorted(path.stem for path in PATCHES.glob("*.patch"))


def all_caught(setting: Setting, names: list[str]) -> bool:
    """Whether each of these bugs fails the tests that its patch names, and the tree without bugs fails none of them."""
    expected = {name: _catchers(name) for name in names}
    used = [name for name in TESTS if any(name in tests for tests in expected.values())]
    _copy()
    good = _judge("no bug", used, replace(setting, program=_build()), must_fail=False)
    for name, tests in expected.items():
        _copy()
        _apply(PATCHES / f"{name}.patch")
        good &= _judge(name, tests, replace(setting, program=_build()), must_fail=True)
    _copy()
    return good


def _catchers(name: str) -> list[str]:
    patch = (PATCHES / f"{name}.patch").read_text()
    named = re.search(r"^Caught by: (.*)$", patch, re.MULTILINE)
    tests = [test.strip() for test in named[1].split(",")] if named else []
    if not tests or any(test not in TESTS for test in tests):
        raise ValueError(f"{name}: its line `Caught by:` must name tests")
    return tests


def _judge(bug: str, tests: list[str], setting: Setting, must_fail: bool) -> bool:
    good = True
    for name in tests:
        started = time.monotonic()
        result = attempt(name, TESTS[name], setting)
        seconds = time.monotonic() - started
        failed = bool(result.violations)
        good &= failed == must_fail
        verdict = ("caught" if must_fail else "FAILED") if failed else "held"
        figures = f"{seconds:.0f} s, {len(result.violations)} violations"
        print(f"-- {bug}: {verdict} by {name}: {figures}", flush=True)
        if must_fail and not failed:
            print(f"     NOT CAUGHT: {result.figures}")
        for violation in result.violations[:2]:
            print(f"     {violation[:400]}")
    return good


def _copy() -> None:
    """Copies the tree next to its earlier build. Keeps the files' times, so that only changed files are built again."""
    COPY.mkdir(parents=True, exist_ok=True)
    for name in ("Sources", "Tests", "Examples"):
        for stale in _files(COPY / name) - _files(ROOT / name):
            (COPY / name / stale).unlink()
        shutil.copytree(ROOT / name, COPY / name, symlinks=False, dirs_exist_ok=True)
    for file in ("Package.swift", "Package.resolved"):
        if (ROOT / file).exists():
            shutil.copy2(ROOT / file, COPY / file)


def _files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def _apply(patch: Path) -> None:
    # The copy is inside a repository that ignores it, so git must not search the parent folders.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(ROOT)}
    applied = subprocess.run(
        ["git", "apply", "-C1", str(patch)], cwd=COPY, env=environment, check=False
    )
    if applied.returncode != 0:
        raise SystemExit(f"{patch.name} does not apply to the sources any more: update it")


def _build() -> Path:
    # A debug build compiles the least after a change, and checks the engine's invariants.
    swift = ["swift", "build", "--package-path", str(COPY), "--product", "reorderd"]
    built = subprocess.run(swift, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise SystemExit(f"the build failed:\n{built.stdout[-3000:]}{built.stderr[-3000:]}")
    shown = subprocess.run([*swift, "--show-bin-path"], capture_output=True, text=True, check=True)
    return Path(shown.stdout.strip()) / "reorderd"
