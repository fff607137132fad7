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

    /// Applies an intent to the displayed list, stores it, and sends it as soon as possible.
    ///
    /// - Parameter id: the operation's id, which must be unique.
    /// - Returns: whether anything changed.
    package mutating func apply(_ intent: Intent, id: String, at now: Double) throws -> Bool {
        try !perform(intent, id: id, at: now).isEmpty
    }

    /// Like `apply`.
    ///
    /// - Parameter sends: whether the operation is sent now; false if others of the same step follow.
    /// - Returns: the operations of the intent in normal form; empty if nothing changed.
    package mutating func perform(
        _ intent: Intent, id: String, at now: Double, sends: Bool = true
    ) throws -> [ListOperation] {
        guard !isStopped, let pending = local?.pending.count else { throw ClientError.closed }
        guard pending < Self.maximumPending else { throw ClientError.queueFull }
        guard let applied = try applying(intent) else { return [] }
        let operations = applied.pending { _ in id }
        do {
            try outbox.append(operations.map { .operation($0.json()) })
        } catch {
            throw ClientError.storage(of: error)
        }
        change { $0.add(applied, as: operations) }
        if isLocal {
            change { local in
                local.confirm()
                return .operations([])
            }
        }
        if sends { advance(to: now) }
        return applied.operations
    }

    /// A function of its own, because a copy of the list that is still there would make the next change copy the queue.
    private func applying(_ intent: Intent) throws(ClientError) -> LocalList.AppliedIntents? {
        do throws(Intent.Failure) {
            return try local?.applying(intent, withFolds: folds)
        } catch {
            throw ClientError(error)
        }
    }

    /// Takes over operations of an extension. Those that wait already are skipped. O(pending operations).
    ///
    /// - Throws: `closed`, also if the list is not loaded; `queueFull`; `storage`. Some operations may have been added.
    mutating func adopt(_ operations: [PendingOperation], at now: Double) throws {
        guard !isStopped, let pending = local?.pending else { throw ClientError.closed }
        let known = Set(pending.map(\.id))
        let fresh = operations.filter { !known.contains($0.id) }
        guard pending.count + fresh.count <= Self.maximumPending else {
            throw ClientError.queueFull
        }
        var rest = fresh[...]
        while !rest.isEmpty {
            let step = rest.prefix(PendingOperation.stepLength(in: rest))
            try adopt(step: step)
            rest = rest.dropFirst(step.count)
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
        do {
            try outbox.append(.discarded)
        } catch {
            throw .storage(of: error)
        }
        change { $0.updatePending { $0.discardWaiting() } }
        return ids
    }

    // MARK: Sending

    var hasBatchToSend: Bool { !isSettled && maySend }

    /// Everything waits while the list does not exist, and between attempts to read it with a token that the server does not accept.
    var maySend: Bool {
        switch connection {
        case .gone: false
        case .unauthorized: activeReading != nil
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
        var rest = local.waiting[...]
        while !rest.isEmpty, batch.steps.count < maximumSteps,
            batch.steps.isEmpty || writer.count < Self.targetBatchBytes
        {
            let step = rest.prefix(PendingOperation.stepLength(in: rest))
            guard batch.ids.count + step.count <= Self.maximumBatchOperations else { break }
            writer.beginArray()
            for operation in step { writer.operation(operation) }
            writer.endArray()
            batch.ids += step.map(\.id)
            batch.steps.append(step.count)
            rest = rest[step.endIndex...]
        }
        writer.endArray()
        writer.endObject()
        let request = ClientRequest(
            method: "POST", target: "/lists/\(list)/batch",
            headers: identity + [("Content-Type", "application/json"), ClientRequest.minimal],
            body: writer.bytes,
            timeoutSeconds: Self.responseSeconds)
        writing = .batch(start(request, at: now, isWrite: true), batch)
    }
}
