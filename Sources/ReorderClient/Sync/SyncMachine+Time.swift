extension SyncMachine {
    /// When something is to be done even if nothing happens until then; `nil` is never.
    var nextDeadline: Double? {
        guard !isStopped else { return nil }
        var deadlines: [Double] = []
        switch reading {
        case .waiting(let until): deadlines.append(until)
        case .document(let exchange), .changes(let exchange), .events(let exchange, _):
            deadlines.append(exchange.deadline)
        }
        switch writing {
        case .waiting(let until): if hasBatchToSend { deadlines.append(until) }
        case .batch(let exchange): deadlines.append(exchange.deadline)
        }
        return deadlines.min()
    }

    /// Does what is due.
    mutating func advance(to now: Double) {
        guard !isStopped else { return }
        switch reading {
        case .waiting(let until): if now >= until { read(at: now) }
        case .document(let exchange), .changes(let exchange), .events(let exchange, _):
            if now >= exchange.deadline {
                cancel(exchange)
                readingEnded(isComplete: false, at: now)
            }
        }
        switch writing {
        case .waiting(let until): if now >= until, hasBatchToSend { sendBatch(at: now) }
        case .batch(let exchange):
            if now >= exchange.deadline {
                cancel(exchange)
                writingFailed(at: now)
            }
        }
    }

    /// Takes what comes of a request; what comes of one that is not under way any more is dropped.
    mutating func receive(_ event: TransportEvent, of request: Int, at now: Double) {
        guard !isStopped else { return }
        if request == readingRequest {
            receiveReading(event, at: now)
        } else if request == writingRequest {
            receiveWriting(event, at: now)
        }
        advance(to: now)
    }
}

extension SyncMachine.Exchange {
    /// What the server asked for, in seconds. A date instead of a number is not looked at.
    var retryAfter: Double? { headers["retry-after"].flatMap { Double($0) }.map { max(0, $0) } }
}
