import ReorderEngine
import ReorderJSON

extension SyncMachine {
    /// What the server sends at least so often: a heartbeat.
    static let heartbeatSeconds = 15.0
    /// Without a byte for two heartbeats, a stream is taken for dead.
    static let silenceSeconds = 2 * heartbeatSeconds
    /// How long a long poll is held.
    static let pollSeconds = 25
    /// Where no stream gets through, the next one is tried after so long.
    static let pollingSeconds = 300.0
    /// A deleted list may come again: it is asked for so often.
    static let goneSeconds = 60.0
    /// How many changes are asked for at once.
    static let changesAtOnce = 1_000

    private var path: String { "/lists/\(list)" }

    /// Starts the request that brings what is missing.
    mutating func read(at now: Double) {
        guard let model, !needsDocument else {
            let request = ClientRequest(method: "GET", target: path, headers: identity)
            reading = .document(start(request, at: now))
            return
        }
        if now < pollsUntil {
            let target = "\(path)/changes?since=\(model.place.token)&limit=\(Self.changesAtOnce)"
            let request = ClientRequest(
                method: "GET", target: "\(target)&wait=\(Self.pollSeconds)", headers: identity,
                timeoutSeconds: Double(Self.pollSeconds) + 30)
            reading = .changes(start(request, at: now))
        } else {
            let request = ClientRequest(
                method: "GET", target: "\(path)/events",
                headers: identity + [
                    ("Accept", "text/event-stream"), ("Last-Event-ID", model.place.token),
                ],
                timeoutSeconds: Self.silenceSeconds)
            reading = .events(start(request, at: now), EventStreamParser())
        }
    }

    var identity: [(name: String, value: String)] { [("Client-Id", client)] }

    mutating func receiveReading(_ event: TransportEvent, at now: Double) {
        switch event {
        case .head(let status, let headers):
            updateReading { exchange in
                exchange.status = status
                exchange.headers = headers
            }
            if case .events(var exchange, let parser) = reading, isStream(exchange) {
                exchange.deadline = now + Self.silenceSeconds
                reading = .events(exchange, parser)
                setConnection(.online)
            }
        case .bytes(let bytes):
            guard case .events(var exchange, var parser) = reading, isStream(exchange) else {
                updateReading { $0.body += bytes }
                return
            }
            exchange.deadline = now + Self.silenceSeconds
            exchange.hasBytes = true
            silentStreams = 0
            readingBackOff.succeeded()
            do {
                let events = try parser.read(bytes)
                reading = .events(exchange, parser)
                receive(events, at: now)
            } catch {
                restartReading(at: now)
            }
        case .end(let isComplete): readingEnded(isComplete: isComplete, at: now)
        }
    }

    private func isStream(_ exchange: Exchange) -> Bool {
        exchange.status == 200
            && exchange.headers["content-type"]?.hasPrefix("text/event-stream") == true
    }

    private mutating func updateReading(_ body: (inout Exchange) -> Void) {
        switch reading {
        case .waiting: break
        case .document(var exchange):
            body(&exchange)
            reading = .document(exchange)
        case .changes(var exchange):
            body(&exchange)
            reading = .changes(exchange)
        case .events(var exchange, let parser):
            body(&exchange)
            reading = .events(exchange, parser)
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
            default: break
            }
        }
        take(changes)
        if needsDocument { restartReading(at: now) }
    }

    mutating func restartReading(at now: Double) {
        if case .events(let exchange, _) = reading { cancel(exchange) }
        reading = .waiting(until: now)
    }

    /// Puts the next changes under the pending operations.
    mutating func take(_ changes: [ChangeDocument]) {
        guard !changes.isEmpty else { return }
        let client = client
        var reception = ListModel.Reception()
        change { model in
            reception = model.receive(changes, client: client)
            return reception.touched
        }
        for change in reception.taken { note(.change(change.json())) }
        if reception.needsDocument { needsDocument = true }
        finishBatch()
    }

    // MARK: Ends

    mutating func readingEnded(isComplete: Bool, at now: Double) {
        let ended = reading
        switch ended {
        case .waiting: break
        case .document(let exchange):
            guard isComplete, exchange.status == 200 else {
                return readingFailed(exchange, isComplete, at: now)
            }
            receiveDocument(exchange, at: now)
        case .changes(let exchange):
            guard isComplete, exchange.status == 200,
                let changes = try? ChangesPage(json: exchange.body).changes
            else { return readingFailed(exchange, isComplete, at: now) }
            readingBackOff.succeeded()
            setConnection(.online)
            reading = .waiting(until: now)
            take(changes)
        case .events(let exchange, let parser):
            guard isStream(exchange) else {
                // Someone between here and the server doesn't let streams through.
                if isComplete, exchange.status == 200 || exchange.status == 406 { pollInstead(now) }
                return readingFailed(exchange, isComplete, at: now)
            }
            if !exchange.hasBytes, exchange.deadline <= now { silentStreams += 1 }
            if silentStreams >= 2 { pollInstead(now) }
            let asked = Double(parser.retryMilliseconds ?? 0) / 1_000
            let pause = max(
                readingBackOff.failed(&random), min(asked, BackOff.longestSeconds))
            reading = .waiting(until: now + pause)
            if readingBackOff.failures > 1 { setConnection(.offline) }
        }
    }

    private mutating func pollInstead(_ now: Double) {
        pollsUntil = now + Self.pollingSeconds
        silentStreams = 0
    }

    private mutating func receiveDocument(_ exchange: Exchange, at now: Double) {
        guard let (list, place) = try? Self.document(exchange.body) else {
            return readingFailed(exchange, true, at: now)
        }
        readingBackOff.succeeded()
        setConnection(.online)
        needsDocument = false
        reading = .waiting(until: now)
        if model == nil {
            begin(with: ListModel(base: list, at: place))
        } else {
            change { $0.replaceBase(list, at: place) }
        }
        note(.document(exchange.body))
        finishBatch()
    }

    private mutating func readingFailed(_ exchange: Exchange, _ isComplete: Bool, at now: Double) {
        if isComplete, exchange.status == 410 {
            needsDocument = true
            reading = .waiting(until: now)
            return
        }
        var pause = readingBackOff.failed(retryAfter: exchange.retryAfter, &random)
        switch exchange.status {
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

/// The body of `GET …/changes`.
struct ChangesPage {
    private(set) var changes: [ChangeDocument] = []

    init(json: [UInt8]) throws {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard case "changes" = name else { continue }
            try reader.beginArray()
            while reader.nextElement() {
                changes.append(try ChangeDocument(json: Array(reader.readRaw().utf8)))
            }
        }
    }
}
