import Foundation
import ReorderEngine
import ReorderJSON

extension SyncMachine {
    /// The maximum number of operations in a batch, which is the server's limit.
    static let maximumBatchOperations = PendingOperation.maximumStepLength
    /// The approximate maximum size of a batch in bytes, for unreliable connections.
    static let targetBatchBytes = 256 << 10
    /// The maximum number of pending operations.
    static let maximumPending = 10_000
    /// The time limit for the response to a batch.
    static let responseSeconds = 30.0
    /// The time within which the stream must deliver the version of a response.
    static let catchUpSeconds = 2.0

    // MARK: The user's operations

    /// Applies the commands of a step to the displayed list, stores them, and sends them as soon as possible: all of them, or none.
    ///
    /// - Parameters:
    ///   - id: the id of the step, which must be unique.
    ///   - sends: whether the step is sent now; false if others follow.
    /// - Returns: nil if nothing changed.
    /// - Throws: `refused`, `invalid`, `queueFull`, `storage` or `closed`; `unreachable` if the list is not loaded.
    @discardableResult
    package mutating func perform(
        _ commands: [Command], id: String = UUID().uuidString.lowercased(), at now: Double,
        sends: Bool = true
    ) throws(ClientError) -> AppliedStep? {
        guard !isStopped else { throw .closed }
        guard let before = local?.displayed, let pending = local?.pending.count else {
            throw .unreachable
        }
        guard pending + commands.count <= Self.maximumPending else { throw .queueFull }
        let applied = try applying(commands, id)
        guard !applied.pending.isEmpty else { return nil }
        try store(applied.pending.map { .operation($0.json()) })
        change { [isLocal] local in
            let touched = local.add(applied)
            if isLocal { local.confirm() }
            return touched
        }
        if sends { advance(to: now) }
        return AppliedStep(
            ids: applied.pending.map(\.id), operations: applied.operations, before: before)
    }

    /// A function of its own, because a copy of the list that is still there would make the next change copy the queue.
    private func applying(
        _ commands: [Command], _ id: String
    ) throws(ClientError) -> LocalList.Applied {
        guard let local else { throw .unreachable }
        do {
            return try local.applying(commands, id: id, withFolds: folds)
        } catch {
            throw ClientError(error)
        }
    }

    private mutating func store(_ records: [OutboxRecord]) throws(ClientError) {
        do {
            try outbox.append(records)
        } catch {
            throw .storage(of: error)
        }
    }

    /// Undoes a step, if others have not changed what it changed.
    ///
    /// - Returns: the step that was applied for it; nil if nothing changed.
    mutating func undo(_ plan: UndoPlan, at now: Double) throws(UndoFailure) -> AppliedStep? {
        guard let list = local?.displayed else { throw .client(.closed) }
        let commands: [Command]
        do {
            var undone = list
            let operations = try undone.undoOperations(of: plan, isLast: false)
            commands = Command.all(of: operations, on: list)
        } catch {
            throw .conflict(error)
        }
        do {
            return try perform(commands, at: now)
        } catch {
            throw .client(error)
        }
    }

    /// Takes over operations of an extension. Those that wait already are skipped. O(pending operations).
    ///
    /// - Throws: `closed`, also if the list is not loaded; `queueFull`; `storage`. Some operations may have been added.
    mutating func adopt(_ operations: [PendingOperation], at now: Double) throws(ClientError) {
        guard !isStopped, let pending = local?.pending else { throw .closed }
        let known = Set(pending.map(\.id))
        let fresh = operations.filter { !known.contains($0.id) }
        guard pending.count + fresh.count <= Self.maximumPending else { throw .queueFull }
        for step in PendingOperation.steps(of: fresh) {
            guard let before = local?.displayed else { throw .closed }
            try store(step.map { .operation($0.json()) })
            var made: [ListOperation] = []
            change { local in
                made = local.restore(Array(step))
                return .operations(made)
            }
            guard !made.isEmpty else { continue }
            adopted.append(AppliedStep(ids: step.map(\.id), operations: made, before: before))
            adopted.removeFirst(max(0, adopted.count - AppliedStep.maximumCount))
        }
        advance(to: now)
    }

    /// Removes the operations that wait: the person gives them up, for example because the list does not exist any more. One that is on
    /// its way may still be made.
    ///
    /// - Returns: the ids of the operations.
    /// - Throws: `storage`; nothing has changed then.
    mutating func discardWaiting() throws(ClientError) -> [String] {
        guard let ids = local?.waiting.map(\.id), !ids.isEmpty else { return [] }
        try store([.discarded])
        change { $0.updatePending { $0.discardWaiting() } }
        return ids
    }

    // MARK: Sending

    var hasBatchToSend: Bool { !isSettled && maySend }

    /// Everything waits while the list does not exist, and between attempts to read it with a token that the server does not accept.
    var maySend: Bool {
        switch connection {
        case .gone: false
        case .unauthorized: reading.active != nil
        case .connecting, .online, .offline: true
        }
    }

    /// Sends the first steps that wait.
    mutating func sendBatch(at now: Double) {
        guard let local else { return }
        var batch = SentBatch()
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("steps")
        writer.beginArray()
        for step in PendingOperation.steps(of: local.waiting) {
            guard batch.steps.count < maximumSteps,
                batch.steps.isEmpty || writer.count < Self.targetBatchBytes,
                batch.ids.count + step.count <= Self.maximumBatchOperations
            else { break }
            writer.beginArray()
            for operation in step { writer.command(operation.command, opID: operation.id) }
            writer.endArray()
            batch.ids += step.map(\.id)
            batch.steps.append(step.count)
        }
        writer.endArray()
        writer.endObject()
        let request = ClientRequest(
            method: "POST", target: "/lists/\(list)/batch",
            headers: identity + [ClientRequest.json, ClientRequest.minimal],
            body: writer.bytes,
            timeoutSeconds: Self.responseSeconds)
        writing = start(.batch(batch), request, at: now, isWrite: true)
    }
}
