extension SyncMachine {
    /// The time at which `advance` must be called if no event occurs before; nil means never.
    package var nextDeadline: Double? {
        guard !isStopped else { return nil }
        var deadlines: [Double] = []
        switch reading {
        case .waiting(let until): deadlines.append(until)
        case .document(let active), .changes(let active), .events(let active, _):
            deadlines.append(active.deadline)
        }
        switch writing {
        case .waiting(let until):
            if hasBatchToSend || isSettled && lock != nil { deadlines.append(until) }
        case .batch(let active, _): deadlines.append(active.deadline)
        }
        return deadlines.min()
    }

    /// Does everything that is due.
    package mutating func advance(to now: Double) {
        guard !isStopped else { return }
        switch reading {
        case .waiting(let until): if now >= until { read(at: now) }
        case .document(let active), .changes(let active), .events(let active, _):
            if now >= active.deadline {
                cancel(active)
                readingEnded(isComplete: false, at: now)
            }
        }
        switch writing {
        case .waiting(let until):
            if now >= until {
                if hasBatchToSend { sendBatch(at: now) } else if isSettled { lock = nil }
            }
        case .batch(let active, _):
            if now >= active.deadline {
                cancel(active)
                writingFailed(Answer(), at: now)
            }
        }
    }

    /// A request is replaced if nothing of it arrives for this time before or after `retryNow`.
    static let lifeSeconds = 2.0

    /// Retries immediately, and replaces requests that show no life, for example because the device has another network.
    mutating func retryNow(at now: Double) {
        guard !isStopped, !isLocal else { return }
        pollsUntil = 0
        let isSilent = { (active: ActiveRequest) in active.heardAt + Self.lifeSeconds <= now }
        if activeReading.map(isSilent) ?? true {
            restartReading(at: now)
        } else {
            updateReading { $0.deadline = min($0.deadline, $0.heardAt + Self.lifeSeconds) }
        }
        if case .batch(let active, _) = writing, !isSilent(active) {
            updateWriting { $0.deadline = min($0.deadline, $0.heardAt + Self.lifeSeconds) }
        } else {
            if case .batch(let active, _) = writing { cancel(active) }
            writing = .waiting(until: now)
        }
        advance(to: now)
    }

    /// Like `retryNow`, and asks the server for what it has now, also if a stream is open.
    mutating func refresh(at now: Double) {
        guard !isStopped, !isLocal else { return }
        switch reading {
        case .events, .changes: restartReading(at: now)
        case .waiting, .document: break
        }
        retryNow(at: now)
    }

    /// Handles an event of a request. Events of ended requests are ignored.
    package mutating func receive(_ event: TransportEvent, of request: Int, at now: Double) {
        guard !isStopped else { return }
        if request == readingRequest {
            receiveReading(event, at: now)
        } else if request == writingRequest {
            receiveWriting(event, at: now)
        }
        advance(to: now)
    }
}

extension Answer {
    /// Why the request failed.
    var connectionProblem: ConnectionProblem {
        guard status > 0 else { return .noResponse }
        let problem = problem
        return .response(
            status: status, code: problem?.code ?? "", detail: problem?.detail ?? "")
    }
}

// MARK: The active requests

extension SyncMachine {
    var activeReading: ActiveRequest? {
        switch reading {
        case .waiting: nil
        case .document(let active), .changes(let active), .events(let active, _): active
        }
    }

    var readingRequest: Int? { activeReading?.id }

    /// Whether the list has the version that the server had when this device began to follow it.
    var isCurrent: Bool {
        guard let local else { return false }
        return switch reading {
        case .events(let active, _): active.firstVersion.map { $0 <= local.version } ?? false
        case .changes: connection == .online
        case .waiting, .document: isLocal
        }
    }

    var writingRequest: Int? {
        if case .batch(let active, _) = writing { return active.id }
        return nil
    }
}
