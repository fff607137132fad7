"""The environment of the judges that others wrote: programs and test suites of CalDAV clients."""

import os
import re
import subprocess
import xml.etree.ElementTree as Xml
from pathlib import Path

import environment

FOLDER = environment.ROOT / ".build-caldav"
REQUIREMENTS = Path(__file__).with_name("judges.txt")
# Their tests are only in their source archives.
TESTED = ("caldav", "vdirsyncer")


def make():
    """Builds the environment if needed. Returns its folder of programs."""
    pins = dict(line.split("==") for line in REQUIREMENTS.read_text().split("\n") if "==" in line)
    return environment.make(FOLDER, (REQUIREMENTS,), [f"{name}=={pins[name]}" for name in TESTED])


def source(name):
    """The folder of a package's source."""
    return next(path for path in (FOLDER / "sources").glob(f"{name}-*") if path.is_dir())


def pytest(folder, log, names, **variables):
    """Runs tests of a package. Returns the result of each by its name: `passed`, `failed` or `skipped`, with the message."""
    report = log.with_suffix(".xml")
    command = [
        FOLDER / "bin/python", "-B", "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore",
        "-o", "asyncio_default_fixture_loop_scope=function", f"--junitxml={report}", *names,
    ]
    with log.open("w") as output:
        environment_of_tests = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
        result = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment_of_tests)
    assert result.returncode in (0, 1), log.read_text()[-5000:]
    found = {}
    for case in Xml.parse(report).iter("testcase"):
        bad = [child for child in case if child.tag in ("failure", "error")]
        is_skipped = case.find("skipped") is not None
        message = " ".join(re.sub(r"\s+", " ", child.get("message") or "")[:200] for child in bad)
        found[case.get("name")] = ("failed" if bad else "skipped" if is_skipped else "passed"), message
    return found


def compare(judge, found, expected):
    """Prints the result. Fails if a test failed that is not expected, or if an expected one passed or is missing."""
    failed = {name: message for name, (state, message) in found.items() if state == "failed"}
    faults = [f"failed: {name}: {message}" for name, message in failed.items() if name not in expected]
    faults += [f"expected to fail, but {found.get(name, ('missing',))[0]}: {name}" for name in expected if name not in failed]
    passed = sum(state == "passed" for state, _ in found.values())
    reasons = {}
    for name in failed:
        reasons.setdefault(expected.get(name, "unexpected"), []).append(name)
    print(f"{judge}: {passed} of {len(found)} passed", flush=True)
    for reason, names in sorted(reasons.items()):
        print(f"    {len(names)} failed: {reason}: {', '.join(sorted(names))}", flush=True)
    assert not faults, f"{judge}:\n" + "\n".join(faults)
