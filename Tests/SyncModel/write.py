"""Writes Tests/Fixtures/sync.json, or checks that it is what the model says.

python3 -B Tests/SyncModel/write.py [--check]
"""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path += [str(TESTS / "ThirdClient"), str(TESTS / "SyncModel")]
FILE = TESTS / "Fixtures" / "sync.json"
RANDOM_SCENARIOS = 20
ITEMS = 16


def text() -> str:
    import chosen_answers  # noqa: F401
    import chosen_steps  # noqa: F401
    from random_scenarios import RandomScenario
    from scenario import CHOSEN

    scenarios = [scenario().json for scenario in CHOSEN]
    scenarios += [RandomScenario(seed).run(ITEMS) for seed in range(1, RANDOM_SCENARIOS + 1)]
    return "[\n" + ",\n".join(line(scenario) for scenario in scenarios) + "\n]\n"


def line(scenario: dict) -> str:
    items = ",\n".join(json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in scenario["script"])
    return f'{{"name":{json.dumps(scenario["name"])},"script":[\n{items}\n]}}'


if __name__ == "__main__":
    new = text()
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != new:
            sys.exit("sync.json is not what the model says: run python3 -B Tests/SyncModel/write.py")
    else:
        FILE.write_text(new)
        print(len(new), "bytes")
