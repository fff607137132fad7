"""Chosen scenarios: answers of all kinds, tokens, a list that is gone, documents. The name of each says what a client must do."""

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
    html,
    move,
    rename,
    scenario,
)

# Answers of something on the way


@scenario("something on the way answers: everything is kept")
def foreign_answers(s: Scenario) -> None:
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


@scenario("something on the way answers in place of the document", reads=False)
def foreign_reads(s: Scenario) -> None:
    for given in (LOGIN_PAGE, html(404), html(410), answer(200, {}), None):
        s.read(given)
        s.pause()
    s.read()


@scenario("answers of the server that are not about the steps: everything is kept")
def other_refusals(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    for status, code in ((404, "not_found"), (409, "request_in_progress"), (415, "unsupported_media_type"), (421, "misdirected_request")):
        s.hear(problem_answer(status, code))
        s.pause()
    s.hear(problem_answer(503, "outcome_unknown"))
    s.pause()
    s.hear()


@scenario("a batch is too large for a proxy: it is halved, and a single step waits")
def too_large(s: Scenario) -> None:
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


@scenario("a batch is too large for the server: it is halved, and a single step is refused")
def too_large_for_the_server(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(None)
    for task in ("b", "c", "d"):
        s.do(complete(task))
    s.pause()
    for _ in range(3):
        s.hear(problem_answer(413, "body_too_large"))
    s.hear()
    s.changes()


@scenario("a step of the batch is invalid: those before it are sent first, and it alone is refused")
def invalid_step(s: Scenario) -> None:
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


# Tokens


@scenario("the token is not accepted: everything is kept, and sent with another token")
def other_token(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(UNAUTHORIZED)
    s.do(rename("b", "B1"))
    s.sign_in()
    s.hear()
    s.changes()


@scenario("the token may not change the list: everything is kept until the person discards it")
def may_not_change(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(FORBIDDEN)
    s.pause()
    s.hear(FORBIDDEN)
    s.server.do(rename("b", "B1"))
    s.changes()
    s.discard()


@scenario("the token may not read the list", reads=False)
def may_not_read(s: Scenario) -> None:
    s.read(UNAUTHORIZED)
    s.pause()
    s.read(FORBIDDEN)
    s.sign_in()
    s.read()


# A list that is gone


@scenario("the list is deleted: what waits is kept, and sent when the list is back from the bin")
def back_from_the_bin(s: Scenario) -> None:
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


@scenario("a batch finds no list: what waits is kept until the person discards it")
def gone_and_discarded(s: Scenario) -> None:
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


@scenario("a proxy has no server behind it: the list is not gone")
def proxy_without_the_server(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear(html(404))
    s.event("refetch")
    s.read(html(404))
    s.pause()
    s.read()
    s.hear()


# Documents


@scenario("a version is missing: the document is fetched, and what waits is shown on it")
def missing_version(s: Scenario) -> None:
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


@scenario("the list is replaced: the document is fetched")
def replaced(s: Scenario) -> None:
    s.do(complete("c"))
    s.hear(None)
    s.server.replace(document("e c #s f"))
    s.change()
    s.read()
    s.pause()
    s.hear()


@scenario("a change does not fit: the document is fetched")
def unfit_change(s: Scenario) -> None:
    s.server.do(rename("b", "B1"))
    s.event("change", {**s.server.changes[2], "ops": [{"op": "delete", "task": "unknown"}]})
    s.read()
    s.server.do(rename("b", "B2"))
    s.event("change", {**s.server.changes[3], "ops": [{"op": "of-a-later-version", "task": "b"}]})
    s.read()


@scenario("the document has the version of the answer: the step is in it")
def document_with_the_batch(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear()
    s.event("refetch")
    s.read()
    s.do(rename("a", "A2"))


@scenario("the store is restored: a step whose version base never reached is sent again")
def restored_store(s: Scenario) -> None:
    s.do(rename("a", "A1"))
    s.hear()
    s.server.go_back(1, "bbbbbbbbbbbb")
    s.event("refetch")
    s.read()
    s.hear()
    s.changes()


@scenario("the answer to a batch is of another store: the document is fetched, and the steps are sent again")
def answer_of_another_store(s: Scenario) -> None:
    s.server.do(rename("b", "B1"))
    s.changes()
    s.do(rename("a", "A1"))
    s.server.go_back(1, "bbbbbbbbbbbb")
    s.hear()
    s.read()
    s.pause()
    s.hear()
