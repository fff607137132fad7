import ReorderEngine
import ReorderJSON
import ReorderService

extension JSONWriter {
    /// Writes the members of a command's result, other than `list`, `version` and `changed`.
    ///
    /// - Parameter ops: the ops of a batch, one for each result.
    mutating func commandResult(_ result: CommandResult, ops: [BatchBody.Op] = []) {
        switch result {
        case .done, .deleted, .settings, .replayed: break
        case .moved(let outcome, let isBlock):
            move(outcome.placedBy, outcome.tasks, isBlock: isBlock, outcome.collapsed)
        case .transferred(let outcome, let isBlock, let target):
            move(outcome.placedBy, outcome.tasks, isBlock: isBlock, outcome.collapsed)
            name("to")
            beginObject()
            name("list")
            string(target.list)
            name("version")
            int(target.version)
            endObject()
        case .created(let task, _), .updated(let task), .element(let task, _): named(.one(task))
        case .collapsed(let task, let rows, let shown):
            named(.one(task))
            name("rows")
            rowsChange(rows, shown)
        case .section(let section, _):
            guard let section else { return }
            name("section")
            self.section(section)
        case .undone(let version, let tasks, let deleted):
            name("undone")
            int(version)
            name("tasks")
            if let tasks { self.tasks(tasks) } else { null() }
            name("deleted")
            beginArray()
            for task in deleted { string(task) }
            endArray()
        case .batch(let results):
            name("results")
            beginArray()
            for (index, (result, op)) in zip(results, ops).enumerated() {
                batchResult(result, of: op, index: index)
            }
            endArray()
        }
    }

    /// `task`, or `tasks` if the request named an array.
    mutating func named(_ tasks: NamedTasks) {
        switch tasks {
        case .one(nil): break
        case .one(let task?):
            name("task")
            self.task(task)
        case .several(let tasks):
            name("tasks")
            self.tasks(tasks)
        }
    }

    /// Writes the result or problem of an op, and the status that the equivalent single request
    /// would have.
    ///
    /// - Parameter index: the op's index in its batch, for the problem's pointer; nil: no pointer.
    mutating func batchResult(
        _ result: Result<CommandResult, ServiceError>, of op: BatchBody.Op, index: Int?
    ) {
        if case .success(.replayed(let bytes, _)) = result {
            return raw(bytes.dropLast() + Array(#","replayed":true}"#.utf8))
        }
        beginObject()
        name("op")
        string(op.kind.rawValue)
        if let id = op.id {
            name("opId")
            string(id)
        }
        name("status")
        switch result {
        case .success(let result):
            int(result.hasMade ? 201 : 200)
            commandResult(result)
        case .failure(let error):
            var problem = Problem(index.map { .command(index: $0, error) } ?? error)
            if index == nil { problem.pointer = nil }
            int(problem.code.status)
            name("problem")
            self.problem(problem)
        }
        endObject()
    }

    private mutating func move(
        _ placedBy: PlacedBy, _ tasks: [MovedTask], isBlock: Bool, _ collapsed: [TaskID]
    ) {
        name("placedBy")
        string(placedBy.rawValue)
        if isBlock {
            name("tasks")
            self.tasks(tasks.lazy.map(\.task))
            name("from")
            beginArray()
            for moved in tasks { placement(moved.from) }
            endArray()
        } else {
            name("task")
            task(tasks[0].task)
            name("from")
            placement(tasks[0].from)
        }
        name("collapsed")
        beginArray()
        for task in collapsed { string(task) }
        endArray()
    }

    private mutating func placement(_ placement: Placement) {
        beginObject()
        members(of: placement)
        endObject()
    }

    /// Writes the visible rows that a collapse removed or an expansion added; null if nothing
    /// changed.
    ///
    /// - Parameter shown: the added rows; nil if they are too many to list.
    private mutating func rowsChange(_ rows: CollapseOutcome.RowsChange?, _ shown: [ListTask]?) {
        switch rows {
        case nil: null()
        case .removed(let start, let count):
            beginObject()
            name("removed")
            beginRange(start, count)
            endObject()
            endObject()
        case .inserted(let start, let count):
            beginObject()
            name("inserted")
            beginRange(start, count)
            name("tasks")
            if let shown { tasks(shown) } else { null() }
            endObject()
            endObject()
        }
    }

    private mutating func beginRange(_ start: Int, _ count: Int) {
        beginObject()
        name("start")
        int(start)
        name("count")
        int(count)
    }
}

extension CommandResult {
    /// Whether the command created something.
    fileprivate var hasMade: Bool {
        switch self {
        case .created, .section(_, .create): true
        default: false
        }
    }
}
