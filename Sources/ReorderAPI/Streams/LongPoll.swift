import ReorderService
import Synchronization

/// A request that waits for news of a channel.
package final class LongPoll: Sendable {
    private struct State {
        /// Whether there was news since the last look.
        var hasNews = false
        var wake: (@Sendable () -> Void)?
        var watch: Watch?
    }

    let seconds: Int
    private let state = Mutex(State())

    /// Begins to watch the channel, until the poll is released.
    init(seconds: Int, of channel: any Channel) {
        self.seconds = seconds
        let watch = channel.watch { [weak self] in self?.lookAgain() }
        state.withLock { $0.watch = watch }
    }

    /// There may be news. Called from any thread.
    func lookAgain() {
        let wake = state.withLock { state in
            // Otherwise the request has been woken, and has not looked yet.
            let wake = state.hasNews ? nil : state.wake
            state.hasNews = true
            return wake
        }
        wake?()
    }

    /// Calls a function when there is news from now on. Call `takeNews` afterwards.
    func onNews(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Whether there was news since the last call.
    func takeNews() -> Bool {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }
}
