"""Chosen scenarios: own steps, restarts, destinations, refusals. The name of each says what a client must do."""

from scenario import Scenario, complete, create, delete, drop, html, move, rename, scenario

# Own steps


@scenario("the answer arrives before the change: the step stays shown")
def answer_first(s: Scenario) -> None:
    s.do(move("a", after="c", before="d", section=None, position=2))
    s.hear()
    s.changes()


@scenario("the change arrives before the answer: the step is not shown twice")
def change_first(s: Scenario) -> None:
    s.do(move("a", after="b", before="c", section=None, position=1), create("x", after="a"))
    s.do(complete("b"))
    given = s.receive()
    s.change()
    s.hear(given)
    s.hear()
    s.changes()


@scenario("the change of one step arrives: the other steps of the batch stay")
def change_of_one_step(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(None)
    s.do(rename("b", "B1"))
    s.do(rename("c", "C1"))
    s.pause()
    s.server.do(rename("c", "C0"))
    given = s.receive()
    s.change()
    s.change()
    s.hear(given)
    s.change()
    s.change()


@scenario("the answer is lost, but the change arrives: the step is not sent again")
def answer_lost(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.receive()
    s.change()
    s.hear(None)
    s.do(rename("b", "B1"))
    s.pause()
    s.hear()
    s.changes()


@scenario("the answer is lost: the same step is sent again with the next ones, and is applied once")
def both_lost(s: Scenario) -> None:
    s.do(create("x", after="b", before="c", section=None, position=2))
    s.receive()
    s.hear(None)
    s.do(move("x", after="d", section=None, position=4))
    s.pause()
    s.hear()
    s.changes()


@scenario("a step that changes nothing has an answer, but no change")
def nothing_changes(s: Scenario) -> None:
    s.do(complete("a"))
    s.server.do(complete("a"))
    s.hear()
    s.changes()


@scenario("what is done while a batch is on the way is in the next batch")
def made_meanwhile(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.do(rename("a", "A2"))
    s.do(rename("a", "A3"))
    s.hear()
    s.hear()
    s.changes()


@scenario("a change without the opId is somebody else's, whatever its client")
def not_mine(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.server.do(rename("b", "B1"), client="phone-1")
    s.server.do(rename("c", "C1"), client="phone-1", opId="another")
    s.changes()
    s.hear()
    s.changes()


# Refusals


@scenario("a step is refused: it is not shown any more, the others stay, and the person sees why")
def refused_step(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(html(503))
    s.do(rename("b", "B1"))
    s.do(complete("c"))
    s.server.do(delete("b"))
    s.pause()
    s.hear()
    s.restart()
    s.changes()
    s.see("s2")
    s.restart()


@scenario("a step of which one operation is refused is refused as a whole")
def step_is_atomic(s: Scenario) -> None:
    s.do(delete("a"), delete("b"), rename("c", "C1"))
    s.server.do(delete("b"))
    s.change()
    s.hear()


@scenario("a step that can't be applied now is not shown, but is sent: perhaps it is possible again", "p(q) r", maxDepth=2)
def possible_again(s: Scenario) -> None:
    s.do(move("r", parent="p", after="q", position=1))
    s.hear(None)
    s.server.do(delete("p"))
    s.changes()
    s.server.do(create("p"))
    s.changes()
    s.pause()
    s.hear()
    s.changes()


@scenario("the creation of a task is refused: so are the steps that need the task", "a b", maxDepth=1)
def refused_creation(s: Scenario) -> None:
    s.server.do({"op": "list", "set": {"maxDepth": 2}})
    s.changes()
    s.do(create("x", parent="a"))
    s.hear(None)
    s.do(rename("x", "X1"))
    s.do(complete("b"))
    s.server.do({"op": "list", "set": {"maxDepth": 1}})
    s.pause()
    s.hear()
    s.changes()


@scenario("the answer with a refusal is lost: the step stays refused, though it is possible now")
def refused_again(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.server.do(delete("a"))
    s.receive()
    s.hear(None)
    s.server.do(create("a", before="b"))
    s.changes()
    s.pause()
    s.hear()


# Restarts


@scenario("the program is ended at any moment: nothing is lost, nothing is done twice")
def restarts(s: Scenario) -> None:
    s.do(create("x", after="d", section=None, position=4))
    s.restart()
    s.receive()
    s.restart()
    s.do(rename("x", "X1"))
    s.hear()
    s.restart()
    s.hear()
    s.restart()
    s.changes()


@scenario("the program is ended without a network: the order is that in which things were done")
def restart_without_network(s: Scenario) -> None:
    s.do(create("x", after="a", before="b", section=None, position=1))
    s.hear(None)
    s.do(rename("x", "X1"))
    s.restart()
    s.hear(None)
    s.do(rename("x", "X2"), complete("x"))
    s.do(move("x", after="d", section=None, position=4))
    s.restart()
    s.do(delete("a"))
    s.hear()
    s.changes()
    s.hear()
    s.changes()


# Destinations


@scenario("the neighbor above is deleted: the row goes before the neighbor below")
def anchor_deleted(s: Scenario) -> None:
    s.do(move("d", after="b", before="c", section=None, position=2))
    s.server.do(delete("b"))
    s.change()
    s.hear()
    s.changes()


@scenario("the neighbor above moves to another section: the row stays where it was dropped", "a b c d #s e")
def neighbors_parted(s: Scenario) -> None:
    s.do(drop(s.client.shown, "a", None, None, 2))
    s.server.do(move("c", after="e"))
    s.change()
    s.hear()
    s.changes()


@scenario("a parent is deleted with the task that somebody has put there", "a(b) c")
def parent_gone(s: Scenario) -> None:
    s.do(move("c", parent="a", after="b", position=1))
    s.server.do(delete("a"))
    s.change()
    s.hear()
