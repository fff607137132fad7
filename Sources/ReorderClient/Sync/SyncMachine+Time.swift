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
        case .waiting(let until): if hasBatchToSend { deadlines.append(until) }
        case .batch(let active): deadlines.append(active.deadline)
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
        case .waiting(let until): if now >= until, hasBatchToSend { sendBatch(at: now) }
        case .batch(let active):
            if now >= active.deadline {
                cancel(active)
                writingFailed(at: now)
            }
        }
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

extension SyncMachine.ActiveRequest {
    /// The delay requested by the server, in seconds. A date is ignored.
    var retryAfter: Double? { headers["retry-after"].flatMap { Double($0) }.map { max(0, $0) } }
}
