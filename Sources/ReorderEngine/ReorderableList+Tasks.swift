extension ReorderableList {
    /// Adds a task without subtasks.
    ///
    /// The destination has the same meaning as in a move, with two exceptions: `own` and `topLevel`
    /// mean the top level without a section, and an empty destination means the end of that level.
    /// O(log n).
    ///
    /// - Throws: `idTaken`, `anchorGone`, `depthLimit`, `maxDepth`, `sectionFull`, `parentFull`,
    ///   `locked`; the list is not changed then.
    package mutating func create(
        _ content: TaskContent, at destination: Destination = Destination()
    ) throws(Refusal) -> CreateOutcome {
        guard !contains(content.id) else { throw .idTaken(content.id) }
        var destination = destination
        let isUndo = destination.isUndo
        destination.isUndo = false
        if destination == Destination() { destination.place = .init(.section(nil)) }
        let target = try resolve(destination, for: .none)
        // Without moved tasks, a target always has an insertion point.
        guard let gap = target.gap else { throw .anchorGone }
        guard depth(of: gap.parent) + 1 < Self.maximumLevels else { throw .depthLimit }
        if !isUndo { try checkLimits(adding: 1, levels: 1, to: gap.parent) }
        guard !displacesLocked(in: gap.parent, at: gap.position) else { throw .locked }
        insert(stamped(content), into: gap.parent, at: gap.position)
        noteChange()
        assertInvariants()
        let created = task(at: try taskNode(content.id))
        return CreateOutcome(operations: [.insert(created)], placedBy: target.placedBy)
    }

    /// The content of a task that is created now.
    func stamped(_ content: TaskContent) -> TaskContent {
        guard let changeStamp else { return content }
        var content = content
        content.stamps = TaskStamps(created: changeStamp, done: content.done)
        return content
    }

    /// Changes the given parts of a task's content; equal values change nothing. O(1).
    package mutating func update(
        _ task: TaskID, _ update: TaskUpdate
    ) throws(Refusal) -> [ListOperation] {
        let set = content(at: try taskNode(task)).changes(in: update)
        return set.isEmpty ? [] : applyChecked([.update(task: task, set: set)])
    }

    /// Sets whether a task's subtasks are hidden.
    package mutating func collapse(
        _ task: TaskID, _ collapsed: Bool = true
    ) throws(Refusal) -> CollapseOutcome {
        let node = try taskNode(task)
        guard forest.isCollapsed(node) != collapsed else {
            return CollapseOutcome(operations: [], rows: nil)
        }
        let first = forest.row(of: node).map { $0 + 1 }
        let count = forest.expandedDescendants(of: node)
        let operations = applyChecked([.collapse(task: task, collapsed: collapsed)])
        var outcome = CollapseOutcome(operations: operations, rows: nil)
        if let first, count > 0 {
            outcome.rows =
                collapsed
                ? .removed(start: first, count: count)
                : .inserted(start: first, count: count)
        }
        return outcome
    }

    /// Deletes a task with its subtree. O(log n), and O(1) for each task of the subtree.
    ///
    /// - Throws: `taskNotFound`, or `locked` if the subtree contains a locked row.
    package mutating func delete(_ task: TaskID) throws(Refusal) -> DeleteOutcome {
        let node = try taskNode(task)
        guard !holdsLocked(node) else { throw .locked }
        let deleted = forest.preorder(of: node).map { table.id(of: $0) }
        return DeleteOutcome(operations: applyChecked([.delete(task: task)]), deleted: deleted)
    }

    /// Changes the given settings; equal values change nothing. A limit can be less than what the
    /// list already has: then only what adds to the excess is refused. O(1).
    package mutating func update(_ update: SettingsUpdate) -> [ListOperation] {
        let set = settings.changes(in: update)
        return set.isEmpty ? [] : applyChecked([.list(set: set)])
    }

    /// Applies operations that were created for the current state.
    mutating func applyChecked(_ operations: [ListOperation]) -> [ListOperation] {
        for operation in operations {
            do {
                try apply(operation)
            } catch {
                preconditionFailure("an operation made for this list does not fit it: \(error)")
            }
        }
        return operations
    }
}

extension String {
    /// Whether both strings have the same bytes. `==` treats composed and decomposed accents as
    /// equal, so an update from one to the other would be lost.
    func isWritten(like other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// The result of creating a task.
package struct CreateOutcome: Sendable, Equatable {
    /// The change in normal form: one insertion.
    package var operations: [ListOperation]
    /// The part of the destination that was used.
    package var placedBy: PlacedBy
}

/// The result of deleting.
package struct DeleteOutcome: Sendable, Equatable {
    /// The change in normal form; empty if nothing changed.
    package var operations: [ListOperation]
    /// All deleted tasks, each parent before its children.
    package var deleted: [TaskID]
}

/// The result of collapsing or expanding a task.
package struct CollapseOutcome: Sendable, Equatable {
    /// The change in normal form; empty if nothing changed.
    package var operations: [ListOperation]
    /// The rows that disappeared or appeared; nil if none did.
    package var rows: RowsChange?

    /// A range of visible rows, as a table view animates it.
    package enum RowsChange: Sendable, Equatable {
        case removed(start: Int, count: Int)
        case inserted(start: Int, count: Int)
    }
}
