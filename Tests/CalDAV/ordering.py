"""People reorder lists with different clients and the web page; the order is what the last one to drag saw."""

import random
import tempfile
import time

import worlds
from waiting import wait_until
from world import Fault, World

SHOWN = 60


def run(program, seed, is_long):
    seed = random.randrange(1 << 32) if seed is None else seed
    drags, lists = (10_000, 25) if is_long else (300, 4)
    print(f"seed {seed}: {drags} drags in {lists} lists", flush=True)
    with worlds.running(program) as site:
        play(site, seed, drags, lists)


def play(site, seed, drags, lists):
    chance = random.Random(seed)
    begun = time.monotonic()
    made = []
    for number in range(lists):
        collection, page = site.make(f"judge-{number}")
        made.append(World(page, collection, random.Random(chance.getrandbits(64)), f"list {number}"))
    world = made[0]
    try:
        for world in made:
            while world.counts["drags"] < drags // lists:
                world.step()
            world.finish()
            print(f"{world.name}: {world.counts['drags']} drags", flush=True)
        busy = time.monotonic() - begun
        # All lists are quiet by now. So the wait for the server is one wait.
        for world in made:
            wait_until(lambda: not world.ties(), lambda: f"the keys ascend: {world.ties()}")  # noqa: B023
            world.judge_end()
    except Exception as fault:
        with tempfile.NamedTemporaryFile("w", prefix="reorderd-steps-", suffix=".txt", delete=False) as file:
            file.write("\n".join(world.steps))
        shown = "\n".join(world.steps[-SHOWN:])
        raise Fault(f"seed {seed}, {world.name}: {fault}\nThe last of {len(world.steps)} steps (all: {file.name}):\n{shown}") from fault
    counts = {name: sum(world.counts[name] for world in made) for name in world.counts}
    readings = sum(world.ledger.readings for world in made)
    page_drags = counts.pop("changed by page drags") / max(1, counts["page drags"])
    print(", ".join(f"{count} {name}" for name, count in counts.items()) + f", {readings} readings, {busy:.0f} s busy")
    resets = sum(device.resets for world in made for device in world.devices)
    print(f"a drag on the page changes {page_drags:.2f} resources; {resets} tokens of synchronization were refused")
