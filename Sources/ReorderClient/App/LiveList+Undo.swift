import Foundation
import ReorderEngine

/// Undo and redo of the steps that were made through this object. A step can be undone if others have not changed what it changed;
/// otherwise nothing changes, and ``notice`` has the reason. Hiding subtasks is not a step.
extension LiveList {
    /// Undoes the last step: a move, an edit, a creation or a deletion. With an undo manager, use its `undo()` instead.
    ///
    /// - Returns: whether it is undone. The undo of a move to another list is made by the server, after this call.
    @discardableResult
    public func undo() -> Bool { reverse(nil, .undo) }

    /// Makes the last undone step again, if no new step followed.
    ///
    /// - Returns: whether it is made again.
    @discardableResult
    public func redo() -> Bool { reverse(nil, .redo) }

    func push(_ step: UndoStep) {
        undoStack.push(step)
        registerUndo?(step, .undo)
        forgetRefusedSteps()
        noteUndo()
    }

    func forgetRefusedSteps() { undoStack.forget(Set(refusals.map(\.id))) }

    func noteUndo() {
        set(\.canUndo, undoStack.has(.undo))
        set(\.canRedo, undoStack.has(.redo))
    }

    /// - Parameter id: the step to undo or redo; nil: the last one.
    @discardableResult
    func reverse(_ id: UUID?, _ direction: UndoStack.Direction) -> Bool {
        guard draft == nil, undoStack.has(direction) else { return false }
        guard let synced else { return unavailable() }
        defer { noteUndo() }
        while let step = undoStack.take(id, for: direction) {
            switch step.reversal {
            case .transfer(let transfer):
                Task { await self.reverse(transfer, step, direction) }
                return true
            case .plan(let plan, _):
                do {
                    let reversed = try synced.undo(plan)
                    refresh()
                    // It has changed nothing, or was undone by others: the one before is meant.
                    guard let reversed else { continue }
                    add(UndoStep(step.kind, reversed), for: direction.opposite)
                    return true
                } catch {
                    refuseUndo(error)
                    // It can be tried again.
                    if case .client = error { undoStack.add(step, for: direction) }
                    return false
                }
            }
        }
        return false
    }

    /// Adds the step that takes an undo or redo back.
    private func add(_ step: UndoStep, for direction: UndoStack.Direction) {
        undoStack.add(step, for: direction)
        registerUndo?(step, direction)
    }

    private func refuseUndo(_ error: UndoFailure) {
        switch error {
        case .conflict(.refused(let task, let refusal)): report(.refused(refusal), [task])
        case .conflict(let conflict): reportUndoConflict(conflict.task)
        case .client(let error): report(error)
        }
    }

    private func reverse(
        _ transfer: ListTransfer, _ step: UndoStep, _ direction: UndoStack.Direction
    ) async {
        do {
            let back = try await client.transfer(transfer)
            add(UndoStep(back), for: direction.opposite)
        } catch {
            report(error, transfer.tasks)
            // It can be tried again.
            if error == .unreachable { undoStack.add(step, for: direction) }
        }
        noteUndo()
    }
}
