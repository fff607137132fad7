import Synchronization

/// Requests that each show a token, which is asked for as they start.
struct TokenTransport: Transport {
    let transport: any Transport
    let token: @Sendable () async -> String?

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        let running = Running()
        Task {
            var request = request
            if let token = await token() {
                request.headers.append(("Authorization", "Bearer \(token)"))
            }
            running.begin { [request] in transport.start(request, handler) }
        }
        return { running.cancel() }
    }

    /// A request that may be cancelled before it has begun.
    private final class Running: Sendable {
        private enum State {
            case waiting
            case begun(cancel: @Sendable () -> Void)
            case cancelled
        }

        private let state = Mutex(State.waiting)

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
