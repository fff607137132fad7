"""openapi.yaml is an OpenAPI document."""

import subprocess

import environment


def run(program, seed, is_long):
    programs = environment.make()
    subprocess.run([programs / "openapi-spec-validator", environment.ROOT / "openapi.yaml"], check=True)
