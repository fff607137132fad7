import json
import sys

from rules import perform
from task_list import Refused, TaskList

OWN = ("id", "title", "section", "parent", "position", "collapsed", "locked", "done", "data")


def own(op):
    """An operation without what follows from the list."""
    if op["op"] != "insert":
        return op
    return {"op": "insert", "task": {n: op["task"][n] for n in OWN if n in op["task"]}}


bad = total = 0
for case in json.load(open(sys.argv[1])):
    for step in case["steps"]:
        total += 1
        base = TaskList(case["list"])
        try:
            after, ops = perform(base, step["step"])
            got = {"ops": [own(o) for o in ops]}
            if ops:
                got["after"] = after.outline
        except Refused as r:
            got = {"refused": r.code, **({"at": r.at} if len(step["step"]) > 1 else {})}
        want = {k: v for k, v in step.items() if k not in ("step", "placedBy")}
        if "ops" in want:
            want["ops"] = [own(o) for o in want["ops"]]
        if "ops" in want and "after" in want:
            for o in want["ops"]:
                base.apply(o)
            assert base.outline == want["after"], (base.outline, want["after"])
        if got != want:
            bad += 1
            if bad < 6:
                print(TaskList(case["list"]).outline, TaskList(case["list"]).settings)
                print(" step", json.dumps(step["step"]))
                print(" want", want)
                print(" got ", got)
print(bad, "of", total)
