import CMicroHTTPD

/// Exchanges whose handlers have not responded yet, or whose body is being read. Their connections are suspended.
extension EventLoop {
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
