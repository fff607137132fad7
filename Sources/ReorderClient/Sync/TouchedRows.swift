import ReorderEngine

/// The rows that may differ between two states of a list.
///
/// All other rows are equal in both states and have the same order among themselves. This holds
/// because an operation that hides, shows or moves a row names the row's task, or a task that is
/// its ancestor in one of the states.
package enum TouchedRows: Sendable {
    /// The rows affected by these operations, applied or undone.
    case operations([ListOperation])
    case all

    /// Beyond this number of operations, comparing all rows is as fast.
    static let maximumOperations = 4_096

    var isEmpty: Bool {
        if case .operations(let operations) = self { operations.isEmpty } else { false }
    }

    mutating func add(_ operations: some Collection<ListOperation>) {
        guard case .operations(var all) = self else { return }
        guard all.count + operations.count <= Self.maximumOperations else {
            self = .all
            return
        }
        self = .operations([])
        all.append(contentsOf: operations)
        self = .operations(all)
    }

    /// The touched rows of two states, each ascending. O(log n) for each row.
    package func rows(
        in before: ReorderableList, and after: ReorderableList
    ) -> (before: [Row], after: [Row]) {
        rows(in: before, and: after, limit: .max) ?? ([], [])
    }

    /// Like `rows(in:and:)`. O(limit · log n).
    ///
    /// - Returns: nil if there are more rows than `limit`.
    func rows(
        in before: ReorderableList, and after: ReorderableList, limit: Int
    ) -> (before: [Row], after: [Row])? {
        let locked = max(before.settings.elementsOffset, after.settings.elementsOffset)
        var old = FoundRows(list: before, locked: locked, limit: limit)
        var new = FoundRows(list: after, locked: locked, limit: limit)
        var isComplete: Bool { old.rows.count <= limit && new.rows.count <= limit }
        switch self {
        case .all:
            old.addRows(from: 0) { _ in true }
            new.addRows(from: 0) { _ in true }
        case .operations(let operations):
            for operation in operations where isComplete {
                old.add(operation)
                new.add(operation)
            }
            guard isComplete else { return nil }
            // A task touched in one state is touched in the other, for example a deleted task's
            // parent.
            for task in old.rows.keys { new.add(task) }
            for task in new.rows.keys { old.add(task) }
        }
        return isComplete ? (old.sorted, new.sorted) : nil
    }

    /// A visible row and its task.
    package struct Row: Sendable {
        package let row: Int
        package let task: ListTask
    }
}

private struct FoundRows {
    let list: ReorderableList
    /// The number of top-level tasks that `elementsOffset` locks in one of the states.
    let locked: Int
    /// The search may end after so many rows.
    let limit: Int
    private(set) var rows: [TaskID: TouchedRows.Row] = [:]
    private var subtrees: Set<TaskID> = []
    private var sections: Set<SectionID> = []

    init(list: ReorderableList, locked: Int, limit: Int) {
        self.list = list
        self.locked = locked
        self.limit = limit
    }

    var sorted: [TouchedRows.Row] { rows.values.sorted { $0.row < $1.row } }

    mutating func add(_ operation: ListOperation) {
        switch operation {
        case .insert(let task): addSubtree(of: task.id)
        case .update(let task, _): add(task)
        case .move(let task, _, _, _), .collapse(let task, _), .delete(let task):
            addSubtree(of: task)
        case .sectionInsert(let section, _, _, _, _), .sectionMove(let section, _),
            .sectionDelete(let section):
            addSection(section)
        case .sectionUpdate: break
        case .list: addLocked()
        case .replace: addRows(from: 0) { _ in true }
        }
    }

    mutating func add(_ task: TaskID) {
        guard rows[task] == nil, let task = list.task(task), let row = task.placement.row else {
            return
        }
        rows[task.id] = TouchedRows.Row(row: row, task: task)
    }

    /// Adds the task, its visible subtasks, and its parent, whose displayed number of subtasks
    /// changes.
    private mutating func addSubtree(of id: TaskID) {
        guard subtrees.insert(id).inserted, let task = list.task(id) else { return }
        if let parent = task.placement.parent { add(parent) }
        guard let row = task.placement.row else { return }
        rows[id] = TouchedRows.Row(row: row, task: task)
        guard task.subtasks > 0, !task.content.collapsed else { return }
        addRows(from: row + 1) { $0.depth > task.depth }
    }

    private mutating func addSection(_ section: SectionID) {
        guard sections.insert(section).inserted,
            let row = list.task(section: section, parent: nil, position: 0)?.placement.row
        else { return }
        addRows(from: row) { $0.placement.section == section }
    }

    /// Adds the rows that `elementsOffset` locks in one of the states.
    private mutating func addLocked() {
        var left = locked
        addRows(from: 0) { task in
            if task.depth == 0 { left -= 1 }
            return left >= 0
        }
    }

    mutating func addRows(from start: Int, while belongs: (ListTask) -> Bool) {
        var start = start
        var count = 8
        while true {
            let tasks = list.tasks(fromRow: start, limit: count)
            for (index, task) in tasks.enumerated() {
                guard belongs(task) else { return }
                rows[task.id] = TouchedRows.Row(row: start + index, task: task)
            }
            guard tasks.count == count, rows.count <= limit else { return }
            start += count
            count = min(count * 4, 4_096)
        }
    }
}

extension TouchedRows {
    mutating func add(_ other: TouchedRows) {
        switch other {
        case .operations(let operations): add(operations)
        case .all: self = .all
        }
    }
}
