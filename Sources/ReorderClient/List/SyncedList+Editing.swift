import Foundation
import ReorderEngine
import ReorderJSON

/// The user's operations. When a call returns, its operation is applied. If a call throws, nothing
/// has changed. It throws ``ClientError/refused(_:)`` if the list's rules refuse the operation, or
/// `invalid`, `queueFull`, `storage`, `closed`, or `unreachable` if the list or the list of folds
/// is not loaded. A call returns whether anything changed, and costs O(log n), unless stated
/// otherwise.
extension SyncedList {
    /// Moves tasks with their subtasks; they arrive in this order. O(log n) for each task.
    ///
    /// The client adds fallbacks to the destination. A place with a position (a drop) is sent with
    /// both neighbors: if one of them is moved or deleted meanwhile, the other still identifies
    /// the place. A place without a position stays "the end".
    @discardableResult
    public func move(_ tasks: [TaskID], to destination: Destination) throws(ClientError) -> Bool {
        try perform([.move(MoveRequest(.tasks(tasks), to: destination))]) != nil
    }

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - title: at most 4 KiB of UTF-8.
    ///   - id: 1 to 64 characters of `A-Z a-z 0-9 . _ ~ -`, unique on the server; nil: a new UUID.
    ///   - data: the app's free-form data as JSON text, at most 8 KiB.
    ///   - destination: as in a move.
    /// - Returns: the task's id.
    @discardableResult
    public func create(
        _ title: String, id: TaskID? = nil, data: String? = nil,
        at destination: Destination = .end(of: nil)
    ) throws(ClientError) -> TaskID {
        let id = id ?? UUID().uuidString.lowercased()
        let content = TaskContent(id: id, title: title, data: data)
        _ = try perform([.create(content, at: destination)])
        return id
    }

    /// Changes a task's content.
    @discardableResult
    public func update(_ task: TaskID, _ changes: TaskChanges) throws(ClientError) -> Bool {
        try perform([.update(task, changes)]) != nil
    }

    /// Sets whether a task's subtasks are hidden: for everyone, or for one person if the client has
    /// folds. Then it changes the list of folds, in O(number of folds).
    @discardableResult
    public func collapse(_ task: TaskID, _ collapsed: Bool = true) throws(ClientError) -> Bool {
        guard let folds = runner.folds?.list else {
            return try perform([.collapse(task, collapsed)]) != nil
        }
        guard runner.isOpen(handle) else { throw .closed }
        guard snapshot.contains(task) else { throw .refused(.taskNotFound(task)) }
        let isChanged = try folds.fold(task, collapsed)
        runner.followFolds()
        return isChanged
    }

    /// Changes the entry of a task in this list of folds, or creates one.
    private func fold(_ task: TaskID, _ isFolded: Bool) throws(ClientError) -> Bool {
        if let entry = FoldEntries(of: snapshot).entry(of: task) {
            return try perform([.collapse(entry, isFolded)]) != nil
        }
        let id = UUID().uuidString.lowercased()
        let entry = FoldEntries.entry(id: id, of: task, isFolded: isFolded)
        return try perform([.create(entry, at: Destination())]) != nil
    }

    /// Deletes a task with its subtasks. O(1) more for each subtask.
    @discardableResult
    public func delete(_ task: TaskID) throws(ClientError) -> Bool {
        try perform([.delete(task)]) != nil
    }

    /// Applies commands as one step: all of them, or none. O(log n) for each.
    ///
    /// - Parameter commands: several must name tasks, not rows.
    /// - Returns: nil if nothing changed.
    func perform(_ commands: [Command]) throws(ClientError) -> AppliedStep? {
        let valid = try Command.validated(commands)
        return try update { machine, now throws(ClientError) in
            try machine.perform(valid, at: now)
        }
    }

    /// Undoes a step, if others have not changed what it changed.
    ///
    /// - Returns: the step that was applied for it; nil if nothing changed.
    func undo(_ reversal: StepReversal) throws(UndoFailure) -> AppliedStep? {
        guard let plan = reversal.plan else { return nil }
        guard runner.isOpen(handle) else { throw .client(.closed) }
        return try runner.update { machine, now throws(UndoFailure) in
            try machine.undo(plan, at: now)
        }
    }

    /// Removes the operations that wait to be sent, for example because the list does not exist any more. Nothing else does that.
    /// One that is on its way may still be made.
    ///
    /// - Returns: the ids of the operations.
    /// - Throws: `storage`; nothing has changed then.
    func discardWaiting() throws(ClientError) -> [String] {
        try update { machine, _ throws(ClientError) in try machine.discardWaiting() }
    }

    private func update<Value: Sendable>(
        _ body: (inout SyncMachine, _ now: Double) throws(ClientError) -> Value
    ) throws(ClientError) -> Value {
        guard runner.isOpen(handle) else { throw .closed }
        return try runner.update(body)
    }
}

/// Why a step can't be undone.
enum UndoFailure: Error {
    case conflict(UndoConflict)
    case client(ClientError)
}
