/// The answers to batches.
extension SyncMachine {
    mutating func receiveWriting(_ event: TransportEvent, at now: Double) {
        guard case .end(let isComplete) = event else { return writing.receive(event, at: now) }
        guard let active = writing.active, case .batch(let batch) = active.content else { return }
        receive(isComplete ? active.answer : Answer(), to: batch, at: now)
    }

    /// The batch is sent again after a pause.
    mutating func writingFailed(_ answer: Answer, at now: Double) {
        problem = answer.connectionProblem
        writingFailures += 1
        let pause = writingBackoff.failed(retryAfter: answer.retryAfter, &random)
        writing = .waiting(until: now + pause)
    }

    private mutating func receive(_ answer: Answer, to batch: SentBatch, at now: Double) {
        let action = answer.action(for: .steps(batch.steps.count)) { answer in
            try BatchResponse(json: answer.body, count: batch.ids.count)
        }
        switch action {
        case .done(let response):
            guard isOfBase(answer) else {
                // The server was restored before or after it sent this response. The same batch has
                // the same results in the document's epoch, or it is applied there.
                fetchDocument(at: now)
                return writingFailed(answer, at: now)
            }
            sendNext(atMost: .max, at: now)
            settle(batch.ids, response)
            expectVersion(response.version, at: now)
        case .split(let count): sendNext(atMost: count, at: now)
        case .refuse(let problem):
            sendNext(atMost: .max, at: now)
            refuse(waiting(batch.ids.prefix(batch.steps.first ?? 0)).map { ($0, problem) })
        case .gone:
            writingFailed(answer, at: now)
            lock = nil
            loseList(at: now)
        case .readAgain:
            writingFailed(answer, at: now)
            lock = nil
            fetchDocument(at: now)
        case .signIn:
            writingFailed(answer, at: now)
            lock = problem
            // Only with another token can the client learn that the list exists.
            if connection == .gone { setConnection(.unauthorized) }
        case .wait: writingFailed(answer, at: now)
        }
    }

    /// The server has accepted the request: the next batch follows at once.
    private mutating func sendNext(atMost steps: Int, at now: Double) {
        (problem, lock) = (nil, nil)
        maximumSteps = steps
        writingBackoff.succeeded()
        writing = .waiting(until: now)
    }

    private mutating func fetchDocument(at now: Double) {
        needsDocument = true
        restartReading(at: now)
    }

    /// Whether the entity tag of a response has the epoch of the base. Without a tag, it is assumed.
    /// A proxy that compresses responses may append to the tag.
    private func isOfBase(_ answer: Answer) -> Bool {
        guard let tag = answer.headers["etag"], let local else { return true }
        let parts = tag.split { $0 == "-" || $0 == "\"" }.drop { $0 == "W/" }
        let epoch = parts.dropFirst().first.map(String.init)
        return epoch == local.epoch || local.epoch == nil && epoch?.count != Self.epochLength
    }

    /// The number of digits of an epoch.
    private static let epochLength = 12

    /// Reconnects the stream if it does not deliver the version of the response in time. Ends the pause after a read that brought nothing.
    private mutating func expectVersion(_ version: Int, at now: Double) {
        guard let local, local.version < version else { return }
        switch reading.active?.content {
        case .events:
            reading.update { $0.deadline = min($0.deadline, now + Self.catchUpSeconds) }
        case nil: if readingBackoff.failures == 0 { reading = .waiting(until: now) }
        case .document, .changes, .batch: break
        }
    }

    // MARK: Results

    /// The operations of a batch that still wait: the stream can bring their changes before the answer.
    private func waiting(_ ids: some Sequence<String>) -> [PendingOperation] {
        let ids = Set(ids)
        return local?.waiting.filter { ids.contains($0.id) } ?? []
    }

    private mutating func settle(_ ids: [String], _ response: BatchResponse) {
        let problems = Dictionary(
            zip(ids, response.problems), uniquingKeysWith: { first, _ in first })
        let sent = waiting(ids)
        refuse(
            sent.compactMap { operation in
                problems[operation.id].flatMap(\.self).map { (operation, $0) }
            })
        let answered = sent.map(\.id).filter { problems[$0].flatMap(\.self) == nil }
        guard !answered.isEmpty else { return }
        let versions = Dictionary(
            answered.map { ($0, response.version) }, uniquingKeysWith: { first, _ in first })
        change { $0.updatePending { $0.answer(versions) } }
        appendRecords(answered.map { .answered($0, version: response.version) })
    }

    /// Removes operations that the server has refused.
    private mutating func refuse(_ refused: [(operation: PendingOperation, problem: ServerProblem)])
    {
        guard !refused.isEmpty else { return }
        // Refusals are stored first: if the app ends in between, the operations are sent again and
        // get the same response.
        refuse(refused.map { Refused($0.operation, $0.problem) })
        let ids = refused.map(\.operation.id)
        change { $0.updatePending { $0.remove(Set(ids)) } }
        appendRecords(ids.map { .removed($0) })
    }
}
