"""A session of requests to most endpoints, with the client that was generated from openapi.json."""

import sys

import reorderd_client as reorderd
from reorderd_client.exceptions import ApiException, ConflictException, NotFoundException

configuration = reorderd.Configuration(host=sys.argv[1])
with reorderd.ApiClient(configuration) as connection:
    lists = reorderd.ListsApi(connection)
    tasks = reorderd.TasksApi(connection)
    sections = reorderd.SectionsApi(connection)
    elements = reorderd.ElementsApi(connection)
    server = reorderd.ServerApi(connection)

    def move(**members):
        return tasks.move_tasks("groceries", reorderd.MoveRequest(reorderd.TaskMove(**members))).actual_instance

    assert server.get_health().status == "ok"

    # A list with a section and subtasks.
    made = lists.put_list_with_http_info(
        "groceries",
        reorderd.ListDraft(
            title="Groceries",
            collapse_sub_elements=True,
            sections=[reorderd.SectionDraft(id="market", title="Market")],
            tasks=[
                reorderd.TaskDraft(id="milk", title="Milk"),
                reorderd.TaskDraft(id="fruit", title="Fruit", section="market"),
                reorderd.TaskDraft(id="apples", title="Apples", section="market", parent="fruit"),
                reorderd.TaskDraft(id="pears", title="Pears", section="market", parent="fruit"),
                reorderd.TaskDraft(id="bread", title="Bread", section="market"),
            ],
        ),
    )
    assert made.status_code == 201
    first = made.headers["ETag"]
    assert first.startswith('"1-')
    assert made.data.version == 1

    # Moves: after another task, with fallbacks, by rows, several at once, as a dry run.
    moved = move(task="fruit", after="bread")
    assert (moved.task.position, moved.collapsed, moved.var_from.position) == (1, ["fruit"], 0)
    moved = move(task="milk", after="gone", before="fruit", position=0)
    assert moved.placed_by == reorderd.PlacedBy.BEFORE
    row_move = reorderd.MoveRequest(reorderd.RowMove(from_row=0, to_row=1))
    assert tasks.move_tasks("groceries", row_move).actual_instance.task.id == "bread"
    block = reorderd.MoveRequest(reorderd.BlockMove(tasks=["bread", "milk"], section="market", position=0))
    assert [task.id for task in tasks.move_tasks("groceries", block).actual_instance.tasks] == ["bread", "milk"]
    dry = reorderd.MoveRequest(reorderd.TaskMove(task="pears", position=0))
    assert tasks.move_tasks("groceries", dry, dry_run=True).actual_instance.version == 5
    assert lists.get_list("groceries").version == 5

    # Show the subtasks, and hide them again.
    shown = tasks.collapse_task("fruit", collapse_request=reorderd.CollapseRequest(collapsed=False)).actual_instance
    assert [task.id for task in shown.rows.actual_instance.inserted.tasks] == ["apples", "pears"]
    hidden = tasks.collapse_task("fruit").actual_instance
    assert hidden.rows.actual_instance.removed.count == 2
    assert tasks.collapse_task("fruit").actual_instance.changed is False

    # An impossible move: the refusal is a problem, and has the task's placement.
    try:
        move(task="fruit", parent="apples")
        raise AssertionError("a task went into its own subtree")
    except ConflictException as refusal:
        problem = refusal.data
        assert isinstance(problem, reorderd.Problem), problem
        assert problem.code == reorderd.ProblemCode.CYCLE
        assert problem.task.id == "fruit"
        assert problem.task.position == tasks.get_task("fruit").position

    # Small responses.
    bread = reorderd.MoveRequest(reorderd.TaskMove(task="bread", position=0))
    small = tasks.move_tasks("groceries", bread, prefer="return=minimal").actual_instance
    assert type(small).__name__ == "MinimalAnswer" and small.version > 1

    # Several operations as one change.
    answer = tasks.batch(
        "groceries",
        reorderd.BatchRequest(
            ops=[
                reorderd.BatchOp(reorderd.CreateOp(op="create", id="plums", title="Plums", parent="fruit")),
                reorderd.BatchOp(
                    reorderd.MoveOp(reorderd.TaskMoveOp(op="move", task="plums", before="apples"))
                ),
                reorderd.BatchOp(
                    reorderd.UpdateOp(op="update", task="milk", set=reorderd.TaskPatch(done=True))
                ),
                reorderd.BatchOp(reorderd.CollapseOp(op="collapse", task="plums")),
                reorderd.BatchOp(reorderd.DeleteOp(op="delete", task="pears")),
            ]
        ),
    )
    results = [result.actual_instance for result in answer.actual_instance.results]
    assert [result.status for result in results] == [201, 200, 200, 200, 200]
    assert [type(result).__name__ for result in results] == [
        "CreateResult", "TaskMoveResult", "UpdateResult", "CollapseResult", "DeleteResult",
    ]

    # Rename a task, create a section, store a table view's element.
    patched = tasks.patch_task("bread", reorderd.TaskPatch(title="Rye bread", data={"shop": "corner"}))
    assert patched.actual_instance.task.data == {"shop": "corner"}
    created = sections.create_section("groceries", reorderd.NewSection(id="home", title="Home"))
    assert created.actual_instance.section.tasks == 0
    element = elements.store_element(
        reorderd.TaskElementDraft(id="bread", position=reorderd.ElementPosition(1))
    ).actual_instance
    assert (element.position, element.subtask, element.hidesubtasks) == (1, "0", 0)

    # Read the list only if it changed, and write only at a known version.
    seen = lists.get_list_with_http_info("groceries")
    tag = seen.headers["ETag"]
    try:
        lists.get_list("groceries", if_none_match=tag)
        raise AssertionError("the list has changed")
    except ApiException as unchanged:
        assert unchanged.status == 304
    try:
        tasks.delete_task("milk", if_match=first)
        raise AssertionError("the task was deleted unseen")
    except ApiException as mismatch:
        assert mismatch.status == 412
        assert mismatch.data.code == reorderd.ProblemCode.VERSION_MISMATCH
        assert mismatch.data.version == seen.data.version
    assert tasks.delete_task("milk", if_match=tag).changed
    try:
        tasks.get_task("milk")
        raise AssertionError("the task is still there")
    except NotFoundException as gone:
        assert gone.data.code == reorderd.ProblemCode.TASK_NOT_FOUND

print("the generated client went through the session")
