"""Checks a bill of materials against the schema of CycloneDX, and that each reference in it exists."""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = Path(sys.argv[1]).read_text(encoding="utf-8")
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
if fault is not None:
    raise SystemExit(f"{sys.argv[1]}: {fault}")
bill = json.loads(text)
known = {component["bom-ref"] for component in bill["components"]} | {"reorderd"}
used = {reference for entry in bill["dependencies"] for reference in [entry["ref"], *entry["dependsOn"]]}
if missing := used - known:
    raise SystemExit(f"{sys.argv[1]}: no component has the reference {sorted(missing)}")
print(f"{sys.argv[1]}: {len(bill['components'])} components, valid")
