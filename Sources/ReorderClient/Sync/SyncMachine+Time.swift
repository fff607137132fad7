extension SyncMachine {
    /// The time at which `advance` must be called if no event occurs before; nil means never.
    package var nextDeadline: Double? {
        guard !isStopped else { return nil }
        let isWritingDue =
            writing.active != nil || hasBatchToSend || isSettled && lock != nil
        return isWritingDue ? min(reading.deadline, writing.deadline) : reading.deadline
    }

    /// Does everything that is due.
    package mutating func advance(to now: Double) {
        guard !isStopped else { return }
        if now >= reading.deadline {
            if let active = reading.active {
                cancel(active)
                readingEnded(isComplete: false, at: now)
            } else {
                read(at: now)
            }
        }
        if now >= writing.deadline {
            if let active = writing.active {
                cancel(active)
                writingFailed(Answer(), at: now)
            } else if hasBatchToSend {
                sendBatch(at: now)
            } else if isSettled {
                lock = nil
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
        let shorten = { (active: inout ActiveRequest) in
            active.deadline = min(active.deadline, active.heardAt + Self.lifeSeconds)
        }
        if reading.active.map(isSilent) ?? true {
            restartReading(at: now)
        } else {
            reading.update(shorten)
        }
        if let active = writing.active, !isSilent(active) {
            writing.update(shorten)
        } else {
            if let active = writing.active { cancel(active) }
            writing = .waiting(until: now)
        }
        advance(to: now)
    }

    /// Like `retryNow`, and asks the server for what it has now, also if a stream is open.
    mutating func refresh(at now: Double) {
        guard !isStopped, !isLocal else { return }
        switch reading.active?.content {
        case .events, .changes: restartReading(at: now)
        case .document, .batch, nil: break
        }
        retryNow(at: now)
    }

    /// Handles an event of a request. Events of ended requests are ignored.
    package mutating func receive(_ event: TransportEvent, of request: Int, at now: Double) {
        guard !isStopped else { return }
        if request == reading.active?.id {
            receiveReading(event, at: now)
        } else if request == writing.active?.id {
            receiveWriting(event, at: now)
        }
        advance(to: now)
    }

    /// Whether the list has the version that the server had when this device began to follow it.
    var isCurrent: Bool {
        guard let local else { return false }
        guard let active = reading.active else { return isLocal }
        return switch active.content {
        case .events: active.firstVersion.map { $0 <= local.version } ?? false
        case .changes: connection == .online
        case .document, .batch: false
        }
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
