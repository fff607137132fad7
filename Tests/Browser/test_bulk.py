"""Sorting, reversing, and deleting completed tasks, in the menu of a list."""

from page_server import eventually


def undo(window):
    window.note.get_by_role("button", name="Undo").click()


def a_list_is_ordered_in_bulk_and_undone(server, open_window):
    server.make("plan", "c\nb x\n  b2\n  b1 x\na\n# Home\nz x\ny")
    window = open_window("plan")
    window.shows("c", "b", "  b2", "  b1", "a", "# Home", "z", "y")
    window.command("Sort by title")
    window.shows("a", "b", "  b1", "  b2", "c", "# Home", "y", "z")
    undo(window)
    window.shows("c", "b", "  b2", "  b1", "a", "# Home", "z", "y")
    window.command("Completed last")
    window.shows("c", "a", "b", "  b2", "  b1", "# Home", "y", "z")
    window.command("Reverse the order")
    window.shows("b", "  b1", "  b2", "a", "c", "# Home", "z", "y")
    window.command("Delete completed tasks")
    window.shows("b", "  b2", "a", "c", "# Home", "y")
    undo(window)
    window.shows("b", "  b1", "  b2", "a", "c", "# Home", "z", "y")
    window.command("Sort by title")
    window.shows("a", "b", "  b1", "  b2", "c", "# Home", "y", "z")
    window.command("Sort by title")
    eventually(lambda: "already" in window.note.inner_text(), window.note.inner_text)
    # Tasks without a date are last.
    for task, day in (("c", "2026-12-01"), ("b", "2026-12-24")):
        server.send("PATCH", f"/tasks/plan-{task}", {"data": {"due": day}})
    window.command("Sort by due date")
    window.shows("c", "b", "  b1", "  b2", "a", "# Home", "y", "z")


def a_section_moves_to_another_list(server, open_window):
    server.make("home", "x\n# Later\ny")
    server.make("plan", "a\n# Work\nb\n  b1\nc\n# Free\nd")
    window = open_window("plan")
    window.section("Work").click(button="right")
    window.page.get_by_role("menuitem", name="Move…").click()
    window.page.get_by_role("option", name="home").click()
    window.shows("a", "# Free", "d")
    eventually(lambda: "Moved" in window.note.inner_text(), window.note.inner_text)
    assert server.outline("home").splitlines() == ["x", "# Later", "y", "# Work", "b", "  b1", "c"], server.outline("home")
    undo(window)
    window.shows("a", "# Work", "b", "  b1", "c", "# Free", "d")
