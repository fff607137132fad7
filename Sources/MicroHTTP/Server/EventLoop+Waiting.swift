import CMicroHTTPD

/// Exchanges whose handlers have not responded yet, or whose body is being read. Their connections are suspended.
extension EventLoop {
    func recheck() {
        // A loop that begins to hold responses at this moment misses no recheck: see
        // `beginsHolding`.
        if heldCount.load(ordering: .sequentiallyConsistent) > 0 {
            inbox.putRecheck()
        }
    }

    func suspend(_ exchange: ConnectionExchange) {
        exchange.suspendedIndex = suspended.count
        suspended.append(exchange)
        MHD_suspend_connection(exchange.client.connection)
    }

    /// The connection proceeds in the next call of libmicrohttpd.
    func resume(_ exchange: ConnectionExchange) {
        let last = suspended.removeLast()
        if last !== exchange {
            last.suspendedIndex = exchange.suspendedIndex
            suspended[exchange.suspendedIndex] = last
        }
        MHD_resume_connection(exchange.client.connection)
    }

    func hold(_ exchange: ConnectionExchange) {
        held.append(exchange)
        if !isHandlingHeld { heldCount.store(held.count, ordering: .sequentiallyConsistent) }
    }

    /// Prepares the loop for a held exchange. If this returns true, the caller must call the
    /// exchange's handler once more: a recheck before this call was not delivered.
    ///
    /// - Returns: whether the loop holds no exchange yet.
    func beginsHolding() -> Bool {
        guard heldCount.load(ordering: .relaxed) == 0 else { return false }
        heldCount.store(1, ordering: .sequentiallyConsistent)
        return true
    }

    func handleHeld() {
        isHandlingHeld = true
        swap(&held, &rechecked)
        for exchange in rechecked where exchange.isWaiting { exchange.handleAgain() }
        rechecked.removeAll(keepingCapacity: true)
        isHandlingHeld = false
        heldCount.store(held.count, ordering: .sequentiallyConsistent)
    }

    func begin(_ timeout: ExchangeTimeout, seconds: Double, on connection: OpaquePointer) {
        timeout.deadline = milliseconds + (isStopping ? 0 : Int(seconds * 1000))
        deadlines.insert(timeout)
        disconnects.add(timeout, on: micro_mhd_socket(connection))
    }

    func cancel(_ timeout: ExchangeTimeout) {
        deadlines.remove(timeout)
        disconnects.remove(timeout)
    }
}
