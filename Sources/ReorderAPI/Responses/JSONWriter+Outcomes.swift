import ReorderEngine
import ReorderJSON
import ReorderService

/// The members of a result that a response has.
struct ResultMembers {
    /// false: null instead of `task` and `tasks`.
    var withTasks: Bool
    /// true: only versions and new ids, because the list's changes have the rest.
    var isMinimal: Bool
}

extension JSONWriter {
    /// Writes the members of a command's result, other than `list`, `version` and `changed`.
    ///
    /// - Parameter ops: the ops of a batch, one for each result.
    mutating func commandResult(
        _ result: CommandResult, ops: BatchOps = BatchOps(), _ members: ResultMembers
    ) {
        if members.isMinimal { return minimalResult(result, ops: ops, members) }
        let withTasks = members.withTasks
        switch result {
        case .done, .replayed: break
        case .doneInBulk(let count):
            name("count")
            int(count)
        case .moved(let outcome, let isBlock):
            move(
                outcome.placedBy, outcome.tasks, isBlock: isBlock, outcome.collapsed,
                withTasks: withTasks)
        case .transferred(let outcome, let isBlock, let target):
            move(
                outcome.placedBy, outcome.tasks, isBlock: isBlock, outcome.collapsed,
                withTasks: withTasks)
            self.target(target)
        case .created(let task), .updated(let task), .element(let task, _):
            self.task(withTasks ? task : nil)
        case .collapsed(let task, let rows, let shown):
            self.task(withTasks ? task : nil)
            name("rows")
            rowsChange(rows, withTasks ? shown : nil)
        case .section(let section, _):
            guard let section else { return }
            name("section")
            self.section(section)
        case .sectionTransferred(let section, let target):
            if let section {
                name("section")
                self.section(section)
            }
            self.target(target)
        case .restored(let newIDs): self.newIDs(newIDs)
        case .undone(let version, let tasks, let deleted, let newIDs):
            name("undone")
            int(version)
            name("tasks")
            if let tasks, withTasks { self.tasks(tasks) } else { null() }
            name("deleted")
            beginArray()
            for task in deleted { string(task) }
            endArray()
            self.newIDs(newIDs)
        case .batch(let results): self.results(results, of: ops, members)
        }
    }

    /// Writes the ids that the server may have chosen, the version of another list, and the results of a batch.
    private mutating func minimalResult(
        _ result: CommandResult, ops: BatchOps, _ members: ResultMembers
    ) {
        switch result {
        case .created(let task), .element(let task, isNew: true): id(task?.id)
        case .section(let section, isNew: true): id(section?.id)
        case .transferred(_, _, let target), .sectionTransferred(_, let target):
            self.target(target)
        case .batch(let results): self.results(results, of: ops, members)
        case .undone(_, _, _, let newIDs), .restored(let newIDs): self.newIDs(newIDs)
        case .done, .doneInBulk, .moved, .updated, .collapsed, .section, .element, .replayed: break
        }
    }

    private mutating func newIDs(_ ids: [TaskID: TaskID]) {
        guard !ids.isEmpty else { return }
        name("newIds")
        beginObject()
        for (former, new) in ids.sorted(by: { $0.key < $1.key }) {
            name(escaping: former)
            string(new)
        }
        endObject()
    }

    private mutating func id(_ id: String?) {
        guard let id else { return }
        name("id")
        string(id)
    }

    private mutating func target(_ target: ListVersion) {
        name("to")
        beginObject()
        name("list")
        string(target.list)
        name("version")
        int(target.version)
        endObject()
    }

    private mutating func results(
        _ results: [Result<CommandResult, ServiceError>], of ops: BatchOps,
        _ members: ResultMembers
    ) {
        name("results")
        beginArray()
        for (index, result) in results.enumerated() {
            batchResult(result, at: index, of: ops, members)
        }
        endArray()
    }

    private mutating func task(_ task: ListTask?) {
        name("task")
        if let task { self.task(task) } else { null() }
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
    /// - Parameter withPointer: whether a problem has a pointer into the body of the batch.
    mutating func batchResult(
        _ result: Result<CommandResult, ServiceError>, at index: Int, of ops: BatchOps,
        withPointer: Bool = true, _ members: ResultMembers
    ) {
        if case .success(.replayed(let bytes, _)) = result {
            return raw(bytes.dropLast() + Array(#","replayed":true}"#.utf8))
        }
        let op = ops[index]
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
            commandResult(result, members)
        case .failure(let error):
            var problem = Problem(error, in: ops)
            if !withPointer { problem.pointer = nil }
            if !members.withTasks { problem.named = .one(nil) }
            int(problem.code.status)
            name("problem")
            self.problem(problem)
        }
        endObject()
    }

    private mutating func move(
        _ placedBy: PlacedBy, _ tasks: [MovedTask], isBlock: Bool, _ collapsed: [TaskID],
        withTasks: Bool
    ) {
        name("placedBy")
        string(placedBy.rawValue)
        if isBlock {
            name("tasks")
            if withTasks { self.tasks(tasks.lazy.map(\.task)) } else { null() }
            name("from")
            beginArray()
            for moved in tasks { placement(moved.from) }
            endArray()
        } else {
            moved(tasks[0], withTasks: withTasks)
        }
        name("collapsed")
        beginArray()
        for task in collapsed { string(task) }
        endArray()
    }

    // Inlined, it would copy each text of the task by itself, which takes longer.
    @inline(never)
    private mutating func moved(_ moved: MovedTask, withTasks: Bool) {
        name("task")
        if withTasks { task(moved.task) } else { null() }
        name("from")
        placement(moved.from)
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
        case .created, .section(_, isNew: true): true
        default: false
        }
    }
}
