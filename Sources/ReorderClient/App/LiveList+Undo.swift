import Foundation
import ReorderEngine

/// Undo and redo of the steps that were made through this object, in the order in which they were made. A step can be undone if others
/// have not changed what it changed; otherwise nothing changes, and ``notice`` has the reason. Hiding subtasks is not a step.
extension LiveList {
    /// Undoes the last step: a move, an edit, a creation, a deletion, or what the server made, such as a sort. With an undo manager, use
    /// its `undo()` instead.
    ///
    /// - Returns: whether it is undone. What the server made is undone by the server, after this call: it needs the network.
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

    /// If another list, perhaps of somebody else, has the ids of tasks that an undo has brought back, the server refuses it. It is made
    /// again with new ids, and so are the steps after it that name these tasks.
    ///
    /// - Parameter refused: the new refusals, in order.
    /// - Returns: whether any step was made.
    func makeWithNewIDs(_ refused: [Refused]) -> Bool {
        guard let synced else { return false }
        var isMade = false
        var rest = refused[...]
        while let first = rest.first {
            let step = rest.prefix { $0.step == first.step }
            rest = rest.dropFirst(step.count)
            guard undoWithNewIDs(step, in: synced) || repeatWithNewIDs(step, in: synced) else {
                continue
            }
            let operations = Set(step.map(\.id))
            synced.acknowledge(step)
            refusals.removeAll { operations.contains($0.id) }
            isMade = true
        }
        return isMade
    }

    private func undoWithNewIDs(_ refused: ArraySlice<Refused>, in synced: SyncedList) -> Bool {
        guard refused.contains(where: \.isTakenElsewhere),
            let step = undoStack.step(of: refused), let plan = step.reversed?.plan
        else { return false }
        var ids: [TaskID: TaskID] = [:]
        for task in plan.restoredTasks { ids[task] = UUID().uuidString.lowercased() }
        let renamed = StepReversal(plan.renamingTasks(ids))
        guard !ids.isEmpty, let made = try? synced.undo(renamed) else { return false }
        undoStack.renameTasks(ids)
        undoStack.replace(UndoStep(id: step.id, step.kind, made, of: renamed))
        newIDs = newIDs.mapValues { ids[$0] ?? $0 }.merging(ids) { $1 }
        return true
    }

    private func repeatWithNewIDs(_ refused: ArraySlice<Refused>, in synced: SyncedList) -> Bool {
        let commands = refused.map(\.operation.command)
        let renamed = commands.map { $0.renamingTasks(newIDs) }
        guard renamed != commands,
            refused.contains(where: { ["task_not_found", "anchor_gone"].contains($0.code) }),
            let made = try? synced.perform(renamed)
        else { return false }
        if let step = undoStack.step(of: refused) {
            undoStack.replace(UndoStep(id: step.id, step.kind, made, of: step.reversed))
        }
        return true
    }

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
            case .later(let made):
                reverse(made, step, direction)
                return true
            case .step(let reversal, _) where undoStack.running != nil:
                reverse(Task { .step(reversal) }, step, direction)
                return true
            case .step(let reversal, _):
                do {
                    let reversed = try synced.undo(reversal)
                    refresh()
                    // It has changed nothing, or was undone by others: the one before is meant.
                    guard let reversed else { continue }
                    add(UndoStep(step.kind, reversed, of: reversal), for: direction.opposite)
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

    /// Takes a step back after those that wait for the server. The step that takes this back is there at once, because an undo manager has
    /// to get it during its undo, and so that it has its place in the order.
    private func reverse(
        _ made: Task<LaterReversal?, Never>, _ step: UndoStep, _ direction: UndoStack.Direction
    ) {
        let (id, earlier) = (UUID(), undoStack.running?.task)
        let task = Task { () -> LaterReversal? in
            _ = await earlier?.value
            let reversal = await made.value
            let back: LaterReversal?
            do throws(ClientError) {
                back = if let reversal { try await takeBack(reversal) } else { nil }
            } catch {
                back = nil
                report(error, reversal?.tasks ?? [])
                // It can be tried again.
                if error == .unreachable { add(step, for: direction) }
            }
            if back == nil { _ = undoStack.take(id, for: direction.opposite) }
            if undoStack.running?.id == id { undoStack.running = nil }
            noteUndo()
            return back
        }
        undoStack.running = (id, task)
        add(UndoStep(id: id, step.kind, .later(task)), for: direction.opposite)
    }

    /// - Returns: what takes this back; nil if nothing has changed.
    private func takeBack(_ reversal: LaterReversal) async throws(ClientError) -> LaterReversal? {
        switch reversal {
        case .transfer(let transfer): return .transfer(try await client.transfer(transfer))
        case .section(let transfer):
            // Only if it matters: earlier servers refuse the member.
            try await client.move(transfer, isUndo: transfer.to == id && newest.hasLimits)
            return .section(transfer.back)
        case .version(let point):
            guard let version = try await client.undo(point, of: id) else { return nil }
            await receive(version)
            return .version(syncPoint(version))
        case .list(let list, let isDeleted, let index):
            if isDeleted {
                try await client.restoreList(list)
            } else {
                try await client.deleteList(list)
            }
            let step = index.flatMap { try? synced?.undo($0) }
            refresh()
            return .list(list, isDeleted: !isDeleted, index: step?.reversal)
        case .step(let reversal):
            do {
                let step = try synced?.undo(reversal)
                refresh()
                return step.map { .step($0.reversal) }
            } catch {
                refuseUndo(error)
                return nil
            }
        }
    }

    /// A version of this list in its current store.
    func syncPoint(_ version: Int) -> SyncPoint {
        SyncPoint(version: version, epoch: synced?.runner.read { $0.local?.epoch })
    }

    /// Waits until the list has a version, or is not in sync.
    private func receive(_ version: Int) async {
        guard let synced else { return }
        for await status in synced.statuses
        where status.version >= version || status.connection != .online { break }
        refresh()
    }
}
