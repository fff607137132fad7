"""Due dates: the view over all lists, and the words for a day in a new task's title. And the subtasks of a completed task."""

from datetime import date, timedelta

from page_server import eventually
from test_drag import expect

TODAY = date.today()


def day(number):
    return str(TODAY + timedelta(number))


def due_tasks_of_all_lists_are_grouped(server, open_window):
    server.make("one", "late\ndone x\nodd\nplain")
    server.make("two", "tomorrow\nfar")
    for task, due in [("one-late", day(-3)), ("one-done", day(-3)), ("one-odd", 7), ("two-tomorrow", day(1)), ("two-far", day(40))]:
        server.send("PATCH", f"/tasks/{task}", {"data": {"due": due}})
    window = open_window("one", viewport={"width": 1100, "height": 800})
    window.page.locator("nav [data-part=due]").click()
    items = window.page.locator("dialog.due li")
    items.first.wait_for()
    texts = [text.split("\n")[0] for text in items.all_inner_texts()]
    assert texts == ["Overdue", "late", "Tomorrow", "tomorrow", "Later", "far"], texts
    items.get_by_role("button", name="far").click()
    window.row("two-far").wait_for()
    eventually(lambda: window.page.evaluate("document.activeElement.dataset.task") == "two-far", "the task has the focus")


def words_for_a_day_are_offered_and_never_taken(server, open_window):
    server.make("words", "a")
    window = open_window("words")
    title, offer = window.page.locator("[data-part=newTitle]"), window.page.locator(".due-offer")
    last = lambda: server.send("GET", "/lists/words")["tasks"][-1]
    title.fill("milk tomorrow")
    offer.get_by_text("Due tomorrow").wait_for()
    window.says("Alt+Enter")
    title.press("Enter")
    expect(server, "words", "a\nmilk tomorrow")
    assert "data" not in last()
    assert not offer.is_visible()
    title.fill("bread tomorrow")
    offer.wait_for()
    title.press("Alt+Enter")
    eventually(lambda: title.input_value() == "bread", "the words are taken")
    assert offer.get_attribute("aria-pressed") == "true"
    # It is a part of the draft.
    window.reload()
    offer.get_by_text("Due tomorrow").wait_for()
    title.press("Enter")
    expect(server, "words", "a\nmilk tomorrow\nbread")
    assert last()["data"] == {"due": day(1)}, last()
    # A second press removes it.
    title.fill("tea today")
    offer.click()
    eventually(lambda: title.input_value() == "tea", "the words are taken")
    offer.click()
    title.press("Enter")
    expect(server, "words", "a\nmilk tomorrow\nbread\ntea")
    assert "data" not in last()


def a_completed_task_offers_its_open_subtasks(server, open_window):
    server.make("below", "a\n  b\n    c\n  d x\ne")
    window = open_window("below")
    window.row("below-e").locator(".tick").click()
    assert window.note.get_by_role("button").count() == 1
    window.row("below-a").locator(".tick").click()
    expect(server, "below", "a x\n  b\n    c\n  d x\ne x")
    window.note.get_by_role("button", name="Also its 2 subtasks").click()
    expect(server, "below", "a x\n  b x\n    c x\n  d x\ne x")
    window.note.get_by_role("button", name="Undo").click()
    expect(server, "below", "a x\n  b\n    c\n  d x\ne x")
