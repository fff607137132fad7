"""Tests of the HTTP contract from outside: `python3 Tests/Contract PROGRAM [STEP…]`."""

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "Support"))
import activation
import caldav
import client
import client_apple
import client_package
import compatibility
import compose
import database_encryption
import documents
import encryption
import fuzzing
import kubernetes
import lint
import metrics
import package
import proxies
import recipes
import rolling
import site_links
import smuggling
import third_client
import validation

STEPS = {
    step.__name__: step
    for step in (
        validation, compatibility, smuggling, encryption, activation, proxies, rolling, compose, database_encryption, documents, recipes,
        lint, metrics, client, client_package, client_apple, third_client, caldav, kubernetes, package, site_links, fuzzing,
    )
}

parser = argparse.ArgumentParser(prog="scripts/contract")
parser.add_argument("program", help="the reorderd to test")
parser.add_argument("steps", metavar="STEP", nargs="*", help=f"one of {', '.join(STEPS)}; default: all")
parser.add_argument("--seed", type=int, help="the seed of random tests, which print it")
parser.add_argument("--long", action="store_true", help="the long form of random tests")
arguments = parser.parse_args()
for name in arguments.steps:
    if name not in STEPS:
        parser.error(f"unknown step {name}")

for name in arguments.steps or STEPS:
    start = time.monotonic()
    STEPS[name].run(arguments.program, arguments.seed, arguments.long)
    print(f"{name}: passed in {time.monotonic() - start:.0f} s", flush=True)
