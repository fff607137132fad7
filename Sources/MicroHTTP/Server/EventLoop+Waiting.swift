import CMicroHTTPD

/// Exchanges whose handlers have not responded yet. Their connections are suspended.
extension EventLoop {
    func recheck() {
        // A loop that begins to hold calls the handler once more.
        if heldCount.load(ordering: .sequentiallyConsistent) > 0 {
            deliver { $0.isRecheckDue = true }
        }
    }

    func add(suspended exchange: ConnectionExchange, isHeld: Bool) {
        exchange.suspendedIndex = suspended.count
        suspended.append(exchange)
        if isHeld { hold(exchange) }
    }

    private func hold(_ exchange: ConnectionExchange) {
        held.append(exchange)
        if !isHandlingHeld { heldCount.store(held.count, ordering: .sequentiallyConsistent) }
    }

    /// Must be called before the first exchange is held. The caller then calls its handler once more, because the
    /// event that it waits for may have come before.
    ///
    /// - Returns: whether this loop has held none until now.
    func beginsHolding() -> Bool {
        guard heldCount.load(ordering: .relaxed) == 0 else { return false }
        heldCount.store(1, ordering: .sequentiallyConsistent)
        return true
    }

    func handleAgain(_ exchange: ConnectionExchange) {
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

    func resumeNow(_ exchange: ConnectionExchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            last.suspendedIndex = exchange.suspendedIndex
            suspended[exchange.suspendedIndex] = last
        }
        MHD_resume_connection(exchange.connection)
    }
}
