/// Obtains a token when a request starts, and adds it to the request.
struct TokenTransport: Transport {
    let transport: any Transport
    let token: @Sendable () async -> String?

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let running = CancellableStart()
        Task {
            var request = request
            if let token = await token() {
                request.headers.append(("Authorization", "Bearer \(token)"))
            }
            running.begin { [request] in transport.start(request, handler) }
        }
        return { running.cancel() }
    }

    /// A request that can be cancelled before it starts.
    private final class CancellableStart: Sendable {
        private enum State {
            case waiting
            case begun(cancel: @Sendable () -> Void)
            case cancelled
        }

        private let state = Lock(State.waiting)

        func begin(_ start: () -> @Sendable () -> Void) {
            state.withLock { state in
                if case .waiting = state { state = .begun(cancel: start()) }
            }
        }

        func cancel() {
            let before = state.withLock { state in
                defer { state = .cancelled }
                return state
            }
            if case .begun(let cancel) = before { cancel() }
        }
    }
}
