import ReorderEngine
import ReorderJSON

extension SyncMachine {
    /// The interval of the server's heartbeats.
    static let heartbeatSeconds = 15.0
    /// A stream without a byte for two heartbeats is considered dead.
    static let silenceSeconds = 2 * heartbeatSeconds
    /// The waiting time of a long poll.
    static let pollSeconds = 25
    /// If streams fail, the client polls for this long before it tries a stream again.
    static let pollingSeconds = 300.0
    /// The interval at which the client checks whether a deleted list exists again.
    static let goneSeconds = 60.0
    /// The maximum number of changes in a response.
    static let maximumChanges = 1_000

    private var path: String { "/lists/\(list)" }

    /// Starts the request for the missing content.
    mutating func read(at now: Double) {
        // Pages of changes need the epoch. A copy from an earlier server can lack it.
        guard let local, !needsDocument, local.epoch != nil || now >= pollsUntil else {
            let request = ClientRequest(method: "GET", target: path, headers: identity)
            return reading = start(.document, request, at: now)
        }
        if now < pollsUntil {
            let target =
                "\(path)/changes?since=\(local.syncPoint.token)&limit=\(Self.maximumChanges)"
            let request = ClientRequest(
                method: "GET", target: "\(target)&wait=\(Self.pollSeconds)", headers: identity,
                timeoutSeconds: Double(Self.pollSeconds) + 30)
            reading = start(.changes, request, at: now)
        } else {
            let request = ClientRequest(
                method: "GET", target: "\(path)/events",
                headers: identity + [
                    ("Accept", "text/event-stream"), ("Last-Event-ID", local.syncPoint.token),
                ],
                timeoutSeconds: Self.silenceSeconds)
            reading = start(.events, request, at: now)
        }
    }

    var identity: [(name: String, value: String)] { [("Client-Id", client)] }

    mutating func receiveReading(_ event: TransportEvent, at now: Double) {
        switch event {
        case .bytes(let bytes) where reading.active?.isStream == true:
            receiveEvents(bytes, at: now)
        case .head, .bytes:
            reading.receive(event, at: now)
            if reading.active?.isStream == true { setConnection(.online) }
        case .end(let isComplete): readingEnded(isComplete: isComplete, at: now)
        }
    }

    private mutating func receiveEvents(_ bytes: [UInt8], at now: Double) {
        silentStreams = 0
        heardAt = now
        var events: [ServerEvent]?
        reading.update { active in
            active.hear(at: now)
            active.hasBytes = true
            events = try? active.parser.read(bytes)
        }
        if let events { receive(events, at: now) } else { startAgain(at: now) }
    }

    /// Ends the active request, and reads again.
    private mutating func startAgain(at now: Double) {
        guard let active = reading.active else { return }
        restartReading(at: now)
        readAgain(after: active, isNew: false, at: now)
    }

    private mutating func receive(_ events: [ServerEvent], at now: Double) {
        var changes: [ChangeDocument] = []
        var isDeleted = false
        for event in events {
            switch event.type {
            case "change":
                guard let change = try? ChangeDocument(json: Array(event.data.utf8)) else {
                    needsDocument = true
                    break
                }
                changes.append(change)
            case "refetch": needsDocument = true
            case "deleted": isDeleted = true
            case "hello":
                forgetDrags()
                let hello = try? HelloEvent(json: Array(event.data.utf8))
                author = hello?.author
                reading.update { $0.firstVersion = hello?.version ?? 0 }
            case "drag": receiveDrag(Array(event.data.utf8))
            default: break
            }
        }
        let version = local?.version
        take(changes)
        if isDeleted {
            loseList(at: now)
        } else if needsDocument {
            startAgain(at: now)
        } else if local?.version != version {
            reading.update { $0.isNew = true }
            idleReads.succeeded()
            readingBackoff.succeeded()
        }
    }

    /// Waits until the next read may begin. After a read that brought something new, or took as long as a long poll, it begins at once.
    /// Otherwise, reads begin at growing intervals, because something on the way to the server does not wait, or servers do not agree. A
    /// single such read is normal.
    private mutating func readAgain(after active: ActiveRequest, isNew: Bool, at now: Double) {
        reading = .waiting(until: now)
        let longest = Double(Self.pollSeconds)
        guard !isNew, now - active.startedAt < longest else { return idleReads.succeeded() }
        let isFirst = idleReads.failures == 0
        let interval = idleReads.failed(upTo: longest, &random)
        if !isFirst { reading = .waiting(until: max(now, active.startedAt + interval)) }
    }

    /// The list does not exist. What waits is kept; after a pause the client looks whether the list exists again.
    mutating func loseList(after pause: Double = goneSeconds, at now: Double) {
        setConnection(.gone)
        readingFailures += 1
        needsDocument = true
        // An answer that is on its way says more.
        if case .document? = reading.active?.content { return }
        restartReading(at: now + pause)
    }

    /// Ends the active request.
    ///
    /// - Parameter now: the time of the next one.
    mutating func restartReading(at now: Double) {
        if let active = reading.active { cancel(active) }
        forgetDrags()
        reading = .waiting(until: now)
    }

    /// Applies the next changes below the pending operations.
    mutating func take(_ changes: [ChangeDocument]) {
        guard !changes.isEmpty else { return }
        var reception = ListCopy.Reception()
        change { local in
            let touched: TouchedRows
            (reception, touched) = local.receive(changes)
            return touched
        }
        if reception.needsDocument { needsDocument = true }
        appendRecords(
            reception.taken.map { .change($0.json()) } + reception.made.map { .removed($0) })
    }

    // MARK: Ends of requests

    mutating func readingEnded(isComplete: Bool, at now: Double) {
        guard let active = reading.active else { return }
        let answer = isComplete ? active.answer : Answer()
        switch active.content {
        case .document:
            let action = answer.action(for: .read) { try Self.document($0.body, of: list) }
            if case .done(let document) = action {
                receiveDocument(document.list, document.syncPoint, answer.body, at: now)
            } else {
                readingFailed(active, action, answer, at: now)
            }
        case .changes:
            let action = answer.action(for: .read) { try ChangesResponse(json: $0.body) }
            if case .done(let page) = action {
                receivePage(page, active, at: now)
            } else {
                readingFailed(active, action, answer, at: now)
            }
        case .events:
            forgetDrags()
            guard !active.isStream else { return streamEnded(active, at: now) }
            // A proxy on the way does not support streams.
            if answer.status == 200 || answer.status == 406 { pollInstead(now) }
            readingFailed(
                active, answer.action(for: .stream) { _ in throw NoStream() }, answer, at: now)
        case .batch: break
        }
    }

    private struct NoStream: Error {}

    private mutating func receivePage(
        _ page: ChangesResponse, _ active: ActiveRequest, at now: Double
    ) {
        readingBackoff.succeeded()
        setConnection(.online)
        heardAt = now
        let version = local?.version
        take(page.changes)
        if page.hasUnknownChange { needsDocument = true }
        let isNew = local?.version != version && !needsDocument
        readAgain(after: active, isNew: isNew, at: now)
    }

    /// The pauses between streams grow, unless a stream has brought a change or was open for long: something on the way can end
    /// each of them.
    private mutating func streamEnded(_ active: ActiveRequest, at now: Double) {
        if !active.hasBytes, active.deadline <= now { silentStreams += 1 }
        if silentStreams >= 2 { pollInstead(now) }
        if active.isNew || active.hasBytes && now - active.startedAt >= Double(Self.pollSeconds) {
            readingBackoff.succeeded()
        }
        if !isCurrent { readingFailures += 1 }
        let asked = Double(active.parser.retryMilliseconds ?? 0) / 1_000
        let pause = max(readingBackoff.failed(&random), min(asked, Backoff.longestSeconds))
        reading = .waiting(until: now + pause)
        if readingBackoff.failures > 1 {
            problem = .noResponse
            setConnection(.offline)
        }
    }

    private mutating func pollInstead(_ now: Double) {
        pollsUntil = now + Self.pollingSeconds
        silentStreams = 0
    }

    private mutating func receiveDocument(
        _ list: ReorderableList, _ syncPoint: SyncPoint, _ json: [UInt8], at now: Double
    ) {
        readingBackoff.succeeded()
        setConnection(.online)
        heardAt = now
        needsDocument = false
        reading = .waiting(until: now)
        // Another epoch is nothing new: two stores behind one address can take turns.
        if local?.syncPoint != syncPoint, local?.epoch == syncPoint.epoch { idleReads.succeeded() }
        var records: [OutboxRecord] = []
        if local == nil {
            begin(with: LocalList(base: list, at: syncPoint))
        } else {
            change { local in
                let again = local.replaceBase(list, at: syncPoint)
                if again > 0 { records.append(.unanswered(count: again)) }
                return .all
            }
        }
        appendRecords(records + [.document(json)])
    }

    private mutating func readingFailed<Value>(
        _ active: ActiveRequest, _ action: Answer.Action<Value>, _ answer: Answer, at now: Double
    ) {
        if case .readAgain = action {
            needsDocument = true
            return readAgain(after: active, isNew: false, at: now)
        }
        let pause = readingBackoff.failed(retryAfter: answer.retryAfter, &random)
        readingFailures += 1
        problem = answer.connectionProblem
        reading = .waiting(until: now + pause)
        switch action {
        case .gone: loseList(after: max(pause, Self.goneSeconds), at: now)
        case .signIn: setConnection(.unauthorized)
        default: setConnection(.offline)
        }
        // What waits can't be sent.
        if !maySend { writingFailures += 1 }
    }
}

/// The first event of a stream.
private struct HelloEvent {
    var version: Int?
    var author: String?

    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": version = try reader.readCount()
            case "author": author = try reader.readStringOrNull()
            default: break
            }
        }
    }
}
