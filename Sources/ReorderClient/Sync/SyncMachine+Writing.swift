import ReorderEngine
import ReorderJSON

extension SyncMachine {
    /// How many operations a batch may have: what the server takes.
    static let operationsAtOnce = 1_000
    /// How many bytes of operations a batch has about, so that it gets through a bad connection.
    static let bytesAtOnce = 256 << 10
    /// How many operations may wait to be sent.
    static let mostPending = 10_000
    /// How long a batch may go without an answer.
    static let answerSeconds = 30.0
    /// How long after an answer the stream may take to tell the same.
    static let catchUpSeconds = 2.0

    // MARK: What the person does

    /// Does an intent on what is displayed, keeps it, and sends it when it can.
    ///
    /// - Parameter id: the operation's id, as unique as can be.
    /// - Returns: whether anything changed.
    mutating func perform(_ intent: Intent, id: String, at now: Double) throws -> Bool {
        guard !isStopped, let model else { throw ClientError.closed }
        guard model.pending.count < Self.mostPending else { throw ClientError.queueFull }
        let attempt: ListModel.Attempt
        do {
            guard let made = try model.attempt(intent) else { return false }
            attempt = made
        } catch {
            throw ClientError(error)
        }
        let operation = PendingOperation(id: id, intent: attempt.intent)
        do {
            let current = self
            try journal.add(.operation(Self.json(operation)), to: { current.state })
        } catch {
            throw ClientError.storage("\(error)")
        }
        change { $0.add(attempt, id: id) }
        advance(to: now)
        return true
    }

    // MARK: Sending

    var hasBatchToSend: Bool {
        guard let model else { return false }
        return model.batch.map { $0.answer == nil } ?? !model.pending.isEmpty
    }

    /// Sends the batch that is not answered yet, or makes the next one.
    mutating func sendBatch(at now: Double) {
        guard let model else { return }
        let most = model.batch?.count ?? Self.operationsAtOnce
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("atomic")
        writer.bool(false)
        writer.name("ops")
        writer.beginArray()
        var count = 0
        for operation in model.pending.prefix(most) {
            guard count == 0 || model.batch != nil || writer.count < Self.bytesAtOnce else {
                break
            }
            writer.operation(operation)
            count += 1
        }
        writer.endArray()
        writer.endObject()
        if model.batch == nil { begin(.init(count: count)) }
        let request = ClientRequest(
            method: "POST", target: "/lists/\(list)/batch",
            headers: identity + [("Content-Type", "application/json")], body: writer.bytes,
            timeoutSeconds: Self.answerSeconds)
        writing = .batch(start(request, at: now, isWrite: true))
    }

    private mutating func begin(_ batch: ListModel.Batch) {
        change { $0.begin(batch) }
        note(.sent(count: batch.count, isInBase: batch.isInBase))
    }

    // MARK: Answers

    mutating func receiveWriting(_ event: TransportEvent, at now: Double) {
        guard case .batch(var exchange) = writing else { return }
        switch event {
        case .head(let status, let headers):
            exchange.status = status
            exchange.headers = headers
            writing = .batch(exchange)
        case .bytes(let bytes):
            exchange.body += bytes
            writing = .batch(exchange)
        case .end(let isComplete):
            guard isComplete else { return writingFailed(at: now) }
            receiveAnswer(exchange, at: now)
        }
    }

    mutating func writingFailed(retryAfter: Double? = nil, at now: Double) {
        let pause = writingBackOff.failed(retryAfter: retryAfter, &random)
        writing = .waiting(until: now + pause)
    }

    private mutating func receiveAnswer(_ exchange: Exchange, at now: Double) {
        switch exchange.status {
        case 200:
            guard let answer = try? BatchAnswer(json: exchange.body) else {
                return writingFailed(at: now)
            }
            writingBackOff.succeeded()
            writing = .waiting(until: now)
            change { model in
                model.receive(answer)
                return .operations([])
            }
            finishBatch()
            expectVersion(answer.version, at: now)
        case 400..<500 where ![401, 403, 408, 409, 425, 429].contains(exchange.status):
            writingBackOff.succeeded()
            writing = .waiting(until: now)
            refuseBatch(exchange, at: now)
        case 401, 403:
            setConnection(.unauthorized)
            writingFailed(retryAfter: exchange.retryAfter, at: now)
        default: writingFailed(retryAfter: exchange.retryAfter, at: now)
        }
    }

    /// Where the stream does not tell in time what the answer told, it is asked again.
    private mutating func expectVersion(_ version: Int, at now: Double) {
        guard let model, model.version < version,
            case .events(var exchange, let parser) = reading
        else { return }
        exchange.deadline = min(exchange.deadline, now + Self.catchUpSeconds)
        reading = .events(exchange, parser)
    }

    /// Drops the batch once it was answered and the list is as far as the answer.
    mutating func finishBatch() {
        guard let model, let (count, answer) = model.finishedBatch else { return }
        drop(count, refusing: answer.refusals)
    }

    /// The server took none of the batch: it can't be read, is too large, or the list is gone.
    private mutating func refuseBatch(_ exchange: Exchange, at now: Double) {
        guard let model, let count = model.batch?.count else { return }
        let problem = ServerProblem(json: exchange.body)
        if exchange.status == 404 {
            needsDocument = true
            restartReading(at: now)
            let all = (0..<count).map { ($0, problem) }
            return drop(count, refusing: Dictionary(uniqueKeysWithValues: all))
        }
        // Sent apart, what is at fault comes to stand alone, and is refused.
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
        guard let operations = model?.pending.prefix(count) else { return }
        let refused = problems.sorted { $0.key < $1.key }.compactMap { index, problem in
            operations.indices.contains(index) ? WaitingRefusal(operations[index], problem) : nil
        }
        // First on the disk: if the app ends in between, the operations are sent and answered again.
        refuse(refused)
        change { $0.settle(count) }
        note(.settled(count: count))
    }
}
