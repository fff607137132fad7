"""The web site of the documents (`scripts/site`) builds without a warning, and all its links work, also below a path. The form of
the contract works."""

import subprocess
import sys

import environment
import site_form

ROOT = environment.ROOT
SITE = ROOT / ".build-site/site"


def check(base):
    return subprocess.run(
        [sys.executable, "-B", ROOT / "Tests/Lint/site.py", SITE, base], capture_output=True, text=True)


def run(program, seed, is_long):
    subprocess.run([ROOT / "scripts/site", "--url", "https://lists.example/docs"], check=True)
    # A missing page, and links that lead out of the path, are found.
    (SITE / "docs/limits/index.html").rename(SITE / "limits.html")
    missing = check("/docs")
    assert missing.returncode == 1 and "docs/limits/: the file does not exist" in missing.stdout, missing.stdout
    assert check("/other").returncode == 1
    site_form.check(program, SITE)
