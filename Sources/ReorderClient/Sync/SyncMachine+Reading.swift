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
        guard let local, !needsDocument else {
            let request = ClientRequest(method: "GET", target: path, headers: identity)
            reading = .document(start(request, at: now))
            return
        }
        if now < pollsUntil {
            let target =
                "\(path)/changes?since=\(local.syncPoint.token)&limit=\(Self.maximumChanges)"
            let request = ClientRequest(
                method: "GET", target: "\(target)&wait=\(Self.pollSeconds)", headers: identity,
                timeoutSeconds: Double(Self.pollSeconds) + 30)
            reading = .changes(start(request, at: now))
        } else {
            let request = ClientRequest(
                method: "GET", target: "\(path)/events",
                headers: identity + [
                    ("Accept", "text/event-stream"), ("Last-Event-ID", local.syncPoint.token),
                ],
                timeoutSeconds: Self.silenceSeconds)
            reading = .events(start(request, at: now), EventStreamParser())
        }
    }

    var identity: [(name: String, value: String)] { [("Client-Id", client)] }

    mutating func receiveReading(_ event: TransportEvent, at now: Double) {
        switch event {
        case .head(let status, let headers):
            updateReading { active in
                active.hear(at: now)
                active.status = status
                active.headers = headers
            }
            if case .events(let active, _) = reading, isStream(active) { setConnection(.online) }
        case .bytes(let bytes): receiveReading(bytes, at: now)
        case .end(let isComplete): readingEnded(isComplete: isComplete, at: now)
        }
    }

    private mutating func receiveReading(_ bytes: [UInt8], at now: Double) {
        guard case .events(let active, _) = reading, isStream(active) else {
            updateReading { active in
                active.hear(at: now)
                active.body += bytes
            }
            return
        }
        guard case .events(var active, var parser) = takeReading() else { return }
        active.hear(at: now)
        active.hasBytes = true
        silentStreams = 0
        readingBackoff.succeeded()
        heardAt = now
        let events = try? parser.read(bytes)
        reading = .events(active, parser)
        guard let events else {
            restartReading(at: now)
            return readAgain(after: active, isNew: false, at: now)
        }
        receive(events, at: now)
    }

    private func isStream(_ active: ActiveRequest) -> Bool {
        active.status == 200
            && active.headers["content-type"]?.hasPrefix("text/event-stream") == true
    }

    /// Takes the state out while it changes: bytes that the machine also has would be copied with each piece that arrives.
    private mutating func takeReading() -> Reading {
        var taken = Reading.waiting(until: .infinity)
        swap(&taken, &reading)
        return taken
    }

    mutating func updateReading(_ body: (inout ActiveRequest) -> Void) {
        switch takeReading() {
        case .waiting(let until): reading = .waiting(until: until)
        case .document(var active):
            body(&active)
            reading = .document(active)
        case .changes(var active):
            body(&active)
            reading = .changes(active)
        case .events(var active, let parser):
            body(&active)
            reading = .events(active, parser)
        }
    }

    private mutating func receive(_ events: [ServerEvent], at now: Double) {
        var changes: [ChangeDocument] = []
        for event in events {
            switch event.type {
            case "change":
                guard let change = try? ChangeDocument(json: Array(event.data.utf8)) else {
                    needsDocument = true
                    break
                }
                changes.append(change)
            case "refetch", "deleted": needsDocument = true
            case "hello":
                forgetDrags()
                author = (try? HelloEvent(json: Array(event.data.utf8)))?.author
            case "drag": receiveDrag(Array(event.data.utf8))
            default: break
            }
        }
        let version = local?.version
        take(changes)
        if needsDocument, let active = activeReading {
            restartReading(at: now)
            readAgain(after: active, isNew: false, at: now)
        } else if local?.version != version {
            idleReads.succeeded()
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

    mutating func restartReading(at now: Double) {
        if let active = activeReading { cancel(active) }
        forgetDrags()
        reading = .waiting(until: now)
    }

    /// Whether a change or a drag is of this client: others can send its `Client-Id`, but do not have its author.
    func isOwn(_ client: String?, by author: String?) -> Bool {
        client == self.client && (self.author == nil || author == self.author)
    }

    /// Applies the next changes below the pending operations.
    mutating func take(_ changes: [ChangeDocument]) {
        guard !changes.isEmpty else { return }
        let client = client
        // Also in the file, a change of somebody else does not have this client's id.
        var changes = changes
        for index in changes.indices
        where !isOwn(changes[index].client, by: changes[index].author) {
            changes[index].client = nil
        }
        var reception = LocalList.ReceivedChanges()
        change { local in
            reception = local.receive(changes, client: client)
            return reception.touched
        }
        for change in reception.taken { appendRecord(.change(change.json())) }
        if reception.needsDocument { needsDocument = true }
        finishBatch()
    }

    // MARK: Ends of requests

    mutating func readingEnded(isComplete: Bool, at now: Double) {
        let ended = reading
        switch ended {
        case .waiting: break
        case .document(let active):
            guard isComplete, active.status == 200 else {
                return readingFailed(active, isComplete, at: now)
            }
            receiveDocument(active, at: now)
        case .changes(let active):
            guard isComplete, active.status == 200,
                let page = try? ChangesResponse(json: active.body)
            else { return readingFailed(active, isComplete, at: now) }
            readingBackoff.succeeded()
            setConnection(.online)
            heardAt = now
            let version = local?.version
            take(page.changes)
            if page.hasUnknownChange { needsDocument = true }
            let isNew = local?.version != version && !needsDocument
            readAgain(after: active, isNew: isNew, at: now)
        case .events(let active, let parser):
            forgetDrags()
            guard isStream(active) else {
                // A proxy on the way does not support streams.
                if isComplete, active.status == 200 || active.status == 406 { pollInstead(now) }
                return readingFailed(active, isComplete, at: now)
            }
            if !active.hasBytes, active.deadline <= now { silentStreams += 1 }
            if silentStreams >= 2 { pollInstead(now) }
            let asked = Double(parser.retryMilliseconds ?? 0) / 1_000
            let pause = max(
                readingBackoff.failed(&random), min(asked, Backoff.longestSeconds))
            reading = .waiting(until: now + pause)
            if readingBackoff.failures > 1 {
                problem = .noResponse
                setConnection(.offline)
            }
        }
    }

    private mutating func pollInstead(_ now: Double) {
        pollsUntil = now + Self.pollingSeconds
        silentStreams = 0
    }

    private mutating func receiveDocument(_ active: ActiveRequest, at now: Double) {
        guard let (list, syncPoint) = try? Self.document(active.body) else {
            return readingFailed(active, true, at: now)
        }
        readingBackoff.succeeded()
        setConnection(.online)
        heardAt = now
        needsDocument = false
        reading = .waiting(until: now)
        if local?.syncPoint != syncPoint { idleReads.succeeded() }
        if local == nil {
            begin(with: LocalList(base: list, at: syncPoint))
        } else {
            change { $0.replaceBase(list, at: syncPoint) }
        }
        appendRecord(.document(active.body))
        finishBatch()
    }

    private mutating func readingFailed(_ active: ActiveRequest, _ isComplete: Bool, at now: Double)
    {
        if isComplete, active.status == 410 {
            needsDocument = true
            return readAgain(after: active, isNew: false, at: now)
        }
        var pause = readingBackoff.failed(retryAfter: active.retryAfter, &random)
        problem = active.problem(isComplete: isComplete)
        switch active.status {
        case 404 where isComplete:
            setConnection(.gone)
            needsDocument = true
            pause = max(pause, Self.goneSeconds)
        case 401 where isComplete, 403 where isComplete: setConnection(.unauthorized)
        default: setConnection(.offline)
        }
        reading = .waiting(until: now + pause)
    }
}

/// The first event of a stream.
private struct HelloEvent {
    var author: String?

    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json))
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard case "author" = name else { continue }
            author = try reader.readStringOrNull()
        }
    }
}

/// The body of the response to `GET …/changes`.
struct ChangesResponse {
    private(set) var changes: [ChangeDocument] = []
    /// Whether a change after these has a form that this version does not know.
    private(set) var hasUnknownChange = false

    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard case "changes" = name else { continue }
            try reader.beginArray()
            while reader.nextElement() {
                let json = Array(reader.readRaw().utf8)
                guard !hasUnknownChange, let change = try? ChangeDocument(json: json) else {
                    hasUnknownChange = true
                    continue
                }
                changes.append(change)
            }
        }
    }
}
