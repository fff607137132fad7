import CMicroHTTPD

/// Exchanges whose handlers have not responded yet. Their connections are suspended.
extension EventLoop {
    func recheck() {
        // A loop that begins to hold calls the handler once more.
        if heldCount.load(ordering: .sequentiallyConsistent) > 0 {
            deliver { $0.isRecheckDue = true }
        }
    }

    func add(suspended exchange: Exchange, isHeld: Bool) {
        exchange.suspendedIndex = suspended.count
        suspended.append(exchange)
        if isHeld { hold(exchange) }
    }

    private func hold(_ exchange: Exchange) {
        held.append(exchange)
        if !isHandlingHeld { heldCount.store(held.count, ordering: .sequentiallyConsistent) }
    }

    /// To be called before the first exchange is held. Then its handler has to be called once more: what it
    /// waits for may have come before.
    ///
    /// - Returns: whether this loop has held none until now.
    func beginsHolding() -> Bool {
        guard heldCount.load(ordering: .relaxed) == 0 else { return false }
        heldCount.store(1, ordering: .sequentiallyConsistent)
        return true
    }

    func handleAgain(_ exchange: Exchange) {
        switch exchange.handleAgain() {
        case nil: resumeNow(exchange)
        case true?: hold(exchange)
        case false?: break
        }
    }

    func handleHeld() {
        isHandlingHeld = true
        swap(&held, &rechecked)
        for exchange in rechecked where exchange.isWaiting { handleAgain(exchange) }
        rechecked.removeAll(keepingCapacity: true)
        isHandlingHeld = false
        heldCount.store(held.count, ordering: .sequentiallyConsistent)
    }

    func resumeNow(_ exchange: Exchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            last.suspendedIndex = exchange.suspendedIndex
            suspended[exchange.suspendedIndex] = last
        }
        MHD_resume_connection(exchange.connection)
    }
}
