import ReorderEngine
import ReorderJSON

extension JSONWriter {
    mutating func member(task: ListTask?) {
        guard let task else { return }
        name("task")
        self.task(task)
    }

    /// What a move's answer tells beside `list`, `version` and `changed`.
    mutating func moveOutcome(
        _ outcome: MoveOutcome, of subject: MoveRequest.Subject, tasks: [ListTask]
    ) {
        name("placedBy")
        string(outcome.placedBy.rawValue)
        if case .tasks = subject {
            name("tasks")
            self.tasks(tasks)
            name("from")
            beginArray()
            for placement in outcome.from { self.placement(placement) }
            endArray()
        } else {
            member(task: tasks.first)
            name("from")
            if let from = outcome.from.first { placement(from) } else { null() }
        }
        name("collapsed")
        beginArray()
        for task in outcome.collapsed { string(task) }
        endArray()
    }

    private mutating func placement(_ placement: Placement) {
        beginObject()
        name("section")
        stringOrNull(placement.section)
        name("parent")
        stringOrNull(placement.parent)
        name("position")
        int(placement.position)
        name("row")
        intOrNull(placement.row)
        endObject()
    }

    /// The visible rows that a collapse took away or an expansion brought; null where none.
    mutating func rowsChange(_ rows: CollapseOutcome.RowsChange?) {
        switch rows {
        case nil: null()
        case .removed(let start, let count):
            rowsChange("removed", start: start, count: count, tasks: nil)
        case .inserted(let start, let tasks):
            rowsChange("inserted", start: start, count: tasks.count, tasks: tasks)
        }
    }

    private mutating func rowsChange(
        _ kind: StaticString, start: Int, count: Int, tasks: [ListTask]?
    ) {
        beginObject()
        name(kind)
        beginObject()
        name("start")
        int(start)
        name("count")
        int(count)
        if let tasks {
            name("tasks")
            self.tasks(tasks)
        }
        endObject()
        endObject()
    }
}
