"""Scenarios that somebody has thought of. The name of each says what a client must do."""

from collections.abc import Callable

from model import NO_LIST, answer, problem_answer
from scenario import (
    FORBIDDEN,
    LOGIN_PAGE,
    UNAUTHORIZED,
    Scenario,
    complete,
    create,
    delete,
    document,
    drop,
    html,
    move,
    rename,
)

CHOSEN: list[Callable[[], Scenario]] = []


def chosen(scenario: Callable[[], Scenario]) -> Callable[[], Scenario]:
    CHOSEN.append(scenario)
    return scenario


def opened(name: str, outline: str = "a b c d", **settings) -> Scenario:
    return Scenario(name, outline, **settings).open()


# Own steps


@chosen
def answer_first() -> Scenario:
    s = opened("the answer arrives before the change: the step stays shown")
    s.do(move("a", after="c", before="d", section=None, position=2))
    s.hear()
    s.changes()
    return s


@chosen
def change_first() -> Scenario:
    s = opened("the change arrives before the answer: the step is not shown twice")
    s.do(move("a", after="b", before="c", section=None, position=1), create("x", after="a"))
    s.do(complete("b"))
    given = s.receive()
    s.change()
    s.hear(given)
    s.hear()
    s.changes()
    return s


@chosen
def change_of_one_step() -> Scenario:
    s = opened("the change of one step arrives: the other steps of the batch stay")
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
    return s


@chosen
def answer_lost() -> Scenario:
    s = opened("the answer is lost, but the change arrives: the step is not sent again")
    s.do(rename("a", "A1"))
    s.receive()
    s.change()
    s.hear(None)
    s.do(rename("b", "B1"))
    s.pause()
    s.hear()
    s.changes()
    return s


@chosen
def both_lost() -> Scenario:
    s = opened("the answer is lost: the same step is sent again with the next ones, and is applied once")
    s.do(create("x", after="b", before="c", section=None, position=2))
    s.receive()
    s.hear(None)
    s.do(move("x", after="d", section=None, position=4))
    s.pause()
    s.hear()
    s.changes()
    return s


@chosen
def nothing_changes() -> Scenario:
    s = opened("a step that changes nothing has an answer, but no change")
    s.do(complete("a"))
    s.server.do(complete("a"))
    s.hear()
    s.changes()
    return s


@chosen
def made_meanwhile() -> Scenario:
    s = opened("what is done while a batch is on the way is in the next batch")
    s.do(rename("a", "A1"))
    s.do(rename("a", "A2"))
    s.do(rename("a", "A3"))
    s.hear()
    s.hear()
    s.changes()
    return s


@chosen
def not_mine() -> Scenario:
    s = opened("a change without the opId is somebody else's, whatever its client")
    s.do(rename("a", "A1"))
    s.server.do(rename("b", "B1"), client="phone-1")
    s.server.do(rename("c", "C1"), client="phone-1", opId="another")
    s.changes()
    s.hear()
    s.changes()
    return s


# Refusals


@chosen
def refused_step() -> Scenario:
    s = opened("a step is refused: it is not shown any more, the others stay, and the person sees why")
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
    return s


@chosen
def step_is_atomic() -> Scenario:
    s = opened("a step of which one operation is refused is refused as a whole")
    s.do(delete("a"), delete("b"), rename("c", "C1"))
    s.server.do(delete("b"))
    s.change()
    s.hear()
    return s


@chosen
def possible_again() -> Scenario:
    s = opened("a step that can't be applied now is not shown, but is sent: perhaps it is possible again", "p(q) r", maxDepth=2)
    s.do(move("r", parent="p", after="q", position=1))
    s.hear(None)
    s.server.do(delete("p"))
    s.changes()
    s.server.do(create("p"))
    s.changes()
    s.pause()
    s.hear()
    s.changes()
    return s


@chosen
def refused_creation() -> Scenario:
    s = opened("the creation of a task is refused: so are the steps that need the task", "a b", maxDepth=1)
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
    return s


@chosen
def refused_again() -> Scenario:
    s = opened("the answer with a refusal is lost: the step stays refused, though it is possible now")
    s.do(rename("a", "A1"))
    s.server.do(delete("a"))
    s.receive()
    s.hear(None)
    s.server.do(create("a", before="b"))
    s.changes()
    s.pause()
    s.hear()
    return s


# Answers of something on the way


@chosen
def foreign_answers() -> Scenario:
    s = opened("something on the way answers: everything is kept")
    s.do(rename("a", "A1"))
    for status in (400, 401, 403, 404, 405, 407, 409, 410, 422, 502):
        s.hear(html(status))
        if status == 404:
            s.do(complete("b"))
        s.pause()
    s.hear(LOGIN_PAGE)
    s.pause()
    s.hear({"status": 302, "headers": {"Location": "https://portal.example/"}, "body": ""})
    s.pause()
    s.hear(answer(200, {"login": True}))
    s.pause()
    s.hear(answer(404, {"message": "no route"}))
    s.pause()
    s.hear()
    s.changes()
    return s


@chosen
def foreign_reads() -> Scenario:
    s = Scenario("something on the way answers in place of the document")
    for given in (LOGIN_PAGE, html(404), html(410), answer(200, {}), None):
        s.read(given)
        s.pause()
    s.read()
    return s


@chosen
def other_refusals() -> Scenario:
    s = opened("answers of the server that are not about the steps: everything is kept")
    s.do(rename("a", "A1"))
    for status, code in ((404, "not_found"), (409, "request_in_progress"), (415, "unsupported_media_type"), (421, "misdirected_request")):
        s.hear(problem_answer(status, code))
        s.pause()
    s.hear(problem_answer(503, "outcome_unknown"))
    s.pause()
    s.hear()
    return s


@chosen
def too_large() -> Scenario:
    s = opened("a batch is too large for a proxy: it is halved, and a single step waits")
    s.do(rename("a", "A1"))
    s.hear(None)
    for task in ("b", "c", "d"):
        s.do(complete(task))
    s.pause()
    s.hear(html(413))
    s.hear(html(413))
    s.hear(html(413))
    s.pause()
    s.hear()
    s.hear()
    s.changes()
    return s


@chosen
def too_large_for_the_server() -> Scenario:
    s = opened("a batch is too large for the server: it is halved, and a single step is refused")
    s.do(rename("a", "A1"))
    s.hear(None)
    s.do(complete("b"))
    s.pause()
    s.hear(problem_answer(413, "body_too_large"))
    s.hear(problem_answer(413, "body_too_large"))
    s.hear()
    s.changes()
    return s


@chosen
def invalid_step() -> Scenario:
    s = opened("a step of the batch is invalid: those before it are sent first, and it alone is refused")
    s.do(rename("a", "A1"))
    s.hear(None)
    s.do(complete("b"))
    s.do(rename("c", "C1"), rename("d", "D1"))
    s.do(complete("d"))
    s.pause()
    s.hear(problem_answer(422, "invalid_body", pointer="/steps/2/1/set/title"))
    s.hear()
    s.hear(problem_answer(422, "invalid_body", pointer="/steps/0/1/set/title"))
    s.hear()
    s.changes()
    return s


# Tokens


@chosen
def other_token() -> Scenario:
    s = opened("the token is not accepted: everything is kept, and sent with another token")
    s.do(rename("a", "A1"))
    s.hear(UNAUTHORIZED)
    s.do(rename("b", "B1"))
    s.sign_in()
    s.hear()
    s.changes()
    return s


@chosen
def may_not_change() -> Scenario:
    s = opened("the token may not change the list: everything is kept until the person discards it")
    s.do(rename("a", "A1"))
    s.hear(FORBIDDEN)
    s.pause()
    s.hear(FORBIDDEN)
    s.server.do(rename("b", "B1"))
    s.changes()
    s.discard()
    return s


@chosen
def may_not_read() -> Scenario:
    s = Scenario("the token may not read the list")
    s.read(UNAUTHORIZED)
    s.pause()
    s.read(FORBIDDEN)
    s.sign_in()
    s.read()
    return s


# A list that is gone


@chosen
def back_from_the_bin() -> Scenario:
    s = opened("the list is deleted: what waits is kept, and sent when the list is back from the bin")
    s.do(rename("a", "A1"))
    s.hear(None)
    s.do(create("x", after="b", before="c", section=None, position=2))
    s.server.exists = False
    s.event("deleted")
    s.pause()
    s.read()
    s.pause()
    s.server.exists = True
    s.read()
    s.hear()
    s.changes()
    return s


@chosen
def gone_and_discarded() -> Scenario:
    s = opened("a batch finds no list: what waits is kept until the person discards it")
    s.do(rename("a", "A1"))
    s.do(complete("b"))
    s.server.exists = False
    s.hear(NO_LIST)
    s.pause()
    s.read()
    s.discard()
    s.server.exists = True
    s.pause()
    s.read()
    return s


@chosen
def proxy_without_the_server() -> Scenario:
    s = opened("a proxy has no server behind it: the list is not gone")
    s.do(rename("a", "A1"))
    s.hear(html(404))
    s.event("refetch")
    s.read(html(404))
    s.pause()
    s.read()
    s.hear()
    return s


# Documents


@chosen
def missing_version() -> Scenario:
    s = opened("a version is missing: the document is fetched, and what waits is shown on it")
    s.do(move("d", before="a", section=None, position=0))
    s.hear(None)
    s.server.do(delete("b"))
    s.server.do(rename("c", "C1"))
    s.event("change", s.server.changes[3])
    s.read()
    s.pause()
    s.hear()
    s.changes()
    s.event("change", s.server.changes[2])
    return s


@chosen
def replaced() -> Scenario:
    s = opened("the list is replaced: the document is fetched")
    s.do(complete("c"))
    s.hear(None)
    s.server.replace(document("e c #s f"))
    s.change()
    s.read()
    s.pause()
    s.hear()
    return s


@chosen
def unfit_change() -> Scenario:
    s = opened("a change does not fit: the document is fetched")
    s.server.do(rename("b", "B1"))
    s.event("change", {**s.server.changes[2], "ops": [{"op": "delete", "task": "unknown"}]})
    s.read()
    s.server.do(rename("b", "B2"))
    s.event("change", {**s.server.changes[3], "ops": [{"op": "of-a-later-version", "task": "b"}]})
    s.read()
    return s


@chosen
def document_with_the_batch() -> Scenario:
    s = opened("the document has the version of the answer: the step is in it")
    s.do(rename("a", "A1"))
    s.hear()
    s.event("refetch")
    s.read()
    s.do(rename("a", "A2"))
    return s


@chosen
def restored_store() -> Scenario:
    s = opened("the store is restored: a step whose version base never reached is sent again")
    s.do(rename("a", "A1"))
    s.hear()
    s.server.go_back(1, "bbbbbbbbbbbb")
    s.event("refetch")
    s.read()
    s.hear()
    s.changes()
    return s


@chosen
def answer_of_another_store() -> Scenario:
    s = opened("the answer to a batch is of another store: the document is fetched, and the steps are sent again")
    s.server.do(rename("b", "B1"))
    s.changes()
    s.do(rename("a", "A1"))
    s.server.go_back(1, "bbbbbbbbbbbb")
    s.hear()
    s.read()
    s.pause()
    s.hear()
    return s


# Restarts


@chosen
def restarts() -> Scenario:
    s = opened("the program is ended at any moment: nothing is lost, nothing is done twice")
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
    return s


@chosen
def restart_without_network() -> Scenario:
    s = opened("the program is ended without a network: the order is that in which things were done")
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
    return s


# Destinations


@chosen
def anchor_deleted() -> Scenario:
    s = opened("the neighbor above is deleted: the row goes before the neighbor below")
    s.do(move("d", after="b", before="c", section=None, position=2))
    s.server.do(delete("b"))
    s.change()
    s.hear()
    s.changes()
    return s


@chosen
def neighbors_parted() -> Scenario:
    s = opened("the neighbor above moves to another section: the row stays where it was dropped", "a b c d #s e")
    s.do(drop(s.client.shown, "a", None, None, 2))
    s.server.do(move("c", after="e"))
    s.change()
    s.hear()
    s.changes()
    return s


@chosen
def parent_gone() -> Scenario:
    s = opened("a parent is deleted with the task that somebody has put there", "a(b) c")
    s.do(move("c", parent="a", after="b", position=1))
    s.server.do(delete("a"))
    s.change()
    s.hear()
    return s
