/// What the machine does to read, or to write: it waits, or has an active request.
enum RequestState: Sendable {
    case waiting(until: Double)
    case active(ActiveRequest)

    var active: ActiveRequest? { if case .active(let active) = self { active } else { nil } }

    /// When the next request begins, or the active one has failed.
    var deadline: Double {
        switch self {
        case .waiting(let until): until
        case .active(let active): active.deadline
        }
    }

    /// Changes the active request. It is taken out meanwhile: bytes with a second reference would be copied with each piece that arrives.
    mutating func update(_ body: (inout ActiveRequest) -> Void) {
        guard case .active(var active) = self else { return }
        self = .waiting(until: .infinity)
        body(&active)
        self = .active(active)
    }

    /// Adds what has arrived to the answer.
    mutating func receive(_ event: TransportEvent, at now: Double) {
        update { active in
            active.hear(at: now)
            switch event {
            case .head(let status, let headers):
                active.answer.status = status
                active.answer.headers = headers
            case .bytes(let bytes): active.answer.body += bytes
            case .end: break
            }
        }
    }
}

/// An active request and the response received so far.
struct ActiveRequest: Sendable {
    enum Content: Sendable {
        case document
        case changes
        case events
        case batch(SentBatch)
    }

    let id: Int
    let content: Content
    let timeoutSeconds: Double
    let startedAt: Double
    /// The time of the start or of the newest bytes.
    var heardAt: Double
    var deadline: Double
    /// What has arrived so far.
    var answer = Answer()

    // For events:
    var parser = EventStreamParser()
    /// Whether any byte was received.
    var hasBytes = false
    /// The version of the list when the stream began; nil before `hello`.
    var firstVersion: Int?
    /// Whether the stream has brought a change.
    var isNew = false

    /// Whether events arrive, and not another answer.
    var isStream: Bool { if case .events = content { answer.isEventStream } else { false } }

    init(id: Int, _ content: Content, timeoutSeconds: Double, at now: Double) {
        self.id = id
        self.content = content
        self.timeoutSeconds = timeoutSeconds
        startedAt = now
        heardAt = now
        deadline = now + timeoutSeconds
    }

    /// Something arrived: the time limit begins again.
    mutating func hear(at now: Double) {
        heardAt = now
        deadline = now + timeoutSeconds
    }
}

/// The operations of a batch.
struct SentBatch: Sendable {
    var ids: [String] = []
    /// The number of operations of each step.
    var steps: [Int] = []
}
