import ReorderEngine
import ReorderJSON

extension SyncMachine {
    /// The maximum number of operations in a batch, which is the server's limit.
    static let maximumBatchOperations = 1_000
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
    mutating func perform(
        _ intent: Intent, id: String, at now: Double, sends: Bool = true
    ) throws -> [ListOperation] {
        guard !isStopped, let pending = local?.pending.count else { throw ClientError.closed }
        guard pending < Self.maximumPending else { throw ClientError.queueFull }
        guard let applied = try applying(intent) else { return [] }
        let operation = PendingOperation(id: id, intent: applied.intent)
        do {
            try outbox.append(.operation(Self.json(operation)))
        } catch {
            throw ClientError.storage(of: error)
        }
        change { $0.add(applied, id: id) }
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
    private func applying(_ intent: Intent) throws(ClientError) -> LocalList.AppliedIntent? {
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

    // MARK: Sending

    var hasBatchToSend: Bool {
        guard let local else { return false }
        return local.batch.map { $0.response == nil } ?? !local.pending.isEmpty
    }

    /// Sends the batch that has no response yet, or the next one: a step with several operations, or a number of other operations.
    mutating func sendBatch(at now: Double) {
        guard let local else { return }
        let isStep = sendsStep
        let most = local.batch?.count ?? (isStep ? stepLength : Self.maximumBatchOperations)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("atomic")
        writer.bool(isStep)
        writer.name("ops")
        writer.beginArray()
        var count = 0
        for operation in local.pending.prefix(most) {
            if count > 0, local.batch == nil, !isStep {
                // The next step begins another batch.
                let step = PendingOperation.stepLength(in: local.pending[count...])
                if step > 1 || writer.count >= Self.targetBatchBytes { break }
            }
            writer.operation(operation)
            count += 1
        }
        writer.endArray()
        writer.endObject()
        if local.batch == nil { begin(.init(count: count)) }
        let request = ClientRequest(
            method: "POST", target: "/lists/\(list)/batch",
            headers: identity + [("Content-Type", "application/json"), ClientRequest.minimal],
            body: writer.bytes,
            timeoutSeconds: Self.responseSeconds)
        writing = .batch(start(request, at: now, isWrite: true))
    }

    /// The number of pending operations that make the next step.
    private var stepLength: Int {
        PendingOperation.stepLength(in: local?.pending[...] ?? [])
    }

    /// Whether the batch is one step with several operations: all are applied, or none. A step that is too large for a batch is sent in
    /// parts.
    private var sendsStep: Bool {
        let length = stepLength
        let count = local?.batch?.count ?? length
        return length > 1 && length <= Self.maximumBatchOperations && count == length
    }

    private mutating func begin(_ batch: LocalList.Batch) {
        change { $0.begin(batch) }
        appendRecord(.sent(count: batch.count, isInBase: batch.isInBase))
    }

    // MARK: Responses

    mutating func receiveWriting(_ event: TransportEvent, at now: Double) {
        switch event {
        case .head(let status, let headers):
            updateWriting { active in
                active.hear(at: now)
                active.status = status
                active.headers = headers
            }
        case .bytes(let bytes):
            updateWriting { active in
                active.hear(at: now)
                active.body += bytes
            }
        case .end(let isComplete):
            guard case .batch(let active) = writing else { return }
            guard isComplete else { return writingFailed(active, isComplete: false, at: now) }
            receiveResponse(active, at: now)
        }
    }

    /// Takes the state out while it changes, as `updateReading` does.
    mutating func updateWriting(_ body: (inout ActiveRequest) -> Void) {
        var taken = Writing.waiting(until: .infinity)
        swap(&taken, &writing)
        switch taken {
        case .waiting(let until): writing = .waiting(until: until)
        case .batch(var active):
            // Only one reference to the bytes is left.
            taken = .waiting(until: .infinity)
            body(&active)
            writing = .batch(active)
        }
    }

    mutating func writingFailed(_ active: ActiveRequest, isComplete: Bool, at now: Double) {
        problem = active.problem(isComplete: isComplete)
        writingFailures += 1
        let pause = writingBackoff.failed(retryAfter: active.retryAfter, &random)
        writing = .waiting(until: now + pause)
    }

    private mutating func receiveResponse(_ active: ActiveRequest, at now: Double) {
        switch active.status {
        case 200:
            guard let response = try? BatchResponse(json: active.body) else {
                return writingFailed(active, isComplete: true, at: now)
            }
            guard isOfBase(active) else {
                // The server was restored before or after it sent this response. The same batch has
                // the same results in the document's epoch, or it is applied there.
                needsDocument = true
                restartReading(at: now)
                return writingFailed(active, isComplete: true, at: now)
            }
            problem = nil
            writingBackoff.succeeded()
            writing = .waiting(until: now)
            change { local in
                local.receive(response)
                return .operations([])
            }
            finishBatch()
            expectVersion(response.version, at: now)
        case 400..<500 where refusesStep(active):
            writingBackoff.succeeded()
            writing = .waiting(until: now)
            guard let count = local?.batch?.count else { return }
            let problem = ServerProblem(json: active.body)
            drop(
                count, refusing: Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, problem) })
            )
        case 400..<500 where ![401, 403, 408, 409, 425, 429].contains(active.status):
            writingBackoff.succeeded()
            writing = .waiting(until: now)
            refuseBatch(active, at: now)
        case 403 where ServerProblem(json: active.body).code == "forbidden":
            // The token may read the list, but not change it. (Another 403 is from a proxy on the way.)
            writingBackoff.succeeded()
            writing = .waiting(until: now)
            refuseBatch(active, at: now)
        case 401, 403:
            setConnection(.unauthorized)
            writingFailed(active, isComplete: true, at: now)
        default: writingFailed(active, isComplete: true, at: now)
        }
    }

    /// Whether a response refuses an operation of a step, and with it the step. If the response would be too large, the step is sent in
    /// parts.
    private func refusesStep(_ active: ActiveRequest) -> Bool {
        sendsStep && active.status != 413
            && ServerProblem(json: active.body).pointer.flatMap(Self.index) != nil
    }

    /// Whether the entity tag of a response has the epoch of the base. Without a tag, it is assumed.
    /// A proxy that compresses responses may append to the tag.
    private func isOfBase(_ active: ActiveRequest) -> Bool {
        guard let tag = active.headers["etag"], let local else { return true }
        let digits = tag.drop { $0 != "-" }.dropFirst().prefix(while: \.isHexDigit)
        return (digits.count == Self.epochLength ? String(digits) : nil) == local.epoch
    }

    /// The number of hexadecimal digits of an epoch.
    private static let epochLength = 12

    /// Reconnects the stream if it does not deliver the version of the response in time. Ends the pause after a read that brought nothing.
    private mutating func expectVersion(_ version: Int, at now: Double) {
        guard let local, local.version < version else { return }
        switch reading {
        case .events(var active, let parser):
            active.deadline = min(active.deadline, now + Self.catchUpSeconds)
            reading = .events(active, parser)
        case .waiting where readingBackoff.failures == 0: reading = .waiting(until: now)
        case .waiting, .document, .changes: break
        }
    }

    /// Removes the batch if it has a response and the list has reached its version.
    mutating func finishBatch() {
        guard let local, let (count, response) = local.finishedBatch else { return }
        drop(count, refusing: response.refusals)
    }

    /// Handles a response that rejects the whole batch: the batch is malformed or too large, the
    /// list was deleted, or the token does not allow changes.
    private mutating func refuseBatch(_ active: ActiveRequest, at now: Double) {
        guard let local, let count = local.batch?.count else { return }
        let problem = ServerProblem(json: active.body)
        if active.status == 404 {
            needsDocument = true
            restartReading(at: now)
        }
        if active.status == 404 || active.status == 403 {
            let all = (0..<count).map { ($0, problem) }
            return drop(count, refusing: Dictionary(uniqueKeysWithValues: all))
        }
        // Splits the batch until the faulty operation is alone. Then that operation is refused.
        let culprit = problem.pointer.flatMap(Self.index)
        if culprit == 0 || count == 1 {
            return drop(1, refusing: [0: problem])
        }
        let smaller = culprit.map { min($0, count - 1) } ?? count / 2
        begin(.init(count: smaller))
    }

    /// The index of an operation in `/ops/17/…`.
    private static func index(in pointer: String) -> Int? {
        let steps = pointer.split(separator: "/")
        return steps.count > 1 && steps[0] == "ops" ? Int(steps[1]) : nil
    }

    private mutating func drop(_ count: Int, refusing problems: [Int: ServerProblem]) {
        guard let operations = local?.pending.prefix(count) else { return }
        let refused = problems.sorted { $0.key < $1.key }.compactMap { index, problem in
            operations.indices.contains(index)
                ? UnacknowledgedRefusal(operations[index], problem) : nil
        }
        // Refusals are stored first: if the app ends in between, the operations are sent again and
        // get the same response.
        refuse(refused)
        change { $0.settle(count) }
        appendRecord(.settled(count: count))
    }
}
