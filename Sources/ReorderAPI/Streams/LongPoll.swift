import ReorderService
import Synchronization

/// News for a request that waits for them.
struct LongPoll: Sendable {
    let seconds: Int
    let news = News()
    /// Notifies `news` while it exists.
    private let watch: Watch

    init(seconds: Int, of channel: any Channel) {
        self.seconds = seconds
        watch = channel.watch { [news] in news.arrive() }
    }
}

/// Whether something has changed since the last look.
final class News: Sendable {
    private struct State {
        var isThere = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// From any thread.
    func arrive() {
        let wake = state.withLock { state in
            // Otherwise the request has been woken, and has not looked yet.
            let wake = state.isThere ? nil : state.wake
            state.isThere = true
            return wake
        }
        wake?()
    }

    /// Calls a function when news arrives from now on. Call `take` afterwards.
    func onArrival(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Whether there was news since the last call.
    func take() -> Bool {
        state.withLock { state in
            defer { state.isThere = false }
            return state.isThere
        }
    }
}
