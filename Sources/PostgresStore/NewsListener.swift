import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Hears what other servers tell, over a connection and on a thread of its own.
final class NewsListener: Sendable {
    private let server: PostgresServer
    private let tell: @Sendable (StoreNews) -> Void
    private let isStopping = Atomic<Bool>(false)
    private let stopped = DispatchSemaphore(value: 0)

    init(_ server: PostgresServer, tell: @escaping @Sendable (StoreNews) -> Void) {
        self.server = server
        self.tell = tell
        let thread = Thread { self.run() }
        thread.name = "listener"
        thread.start()
    }

    func stop() {
        isStopping.store(true, ordering: .relaxed)
        stopped.wait()
    }

    private func run() {
        while !isStopping.load(ordering: .relaxed) {
            // Where it is cut it begins anew; the looks in between find what it missed.
            try? listen()
            _ = server.pause(seconds: Self.pauseSeconds)
        }
        stopped.signal()
    }

    private func listen() throws(PostgresError) {
        let connection = try PostgresConnection(server.settings, isPipelined: false)
        try connection.listen(to: StoreNotice.channel)
        // What was committed before is known to nobody here.
        tell(.unsure)
        while !isStopping.load(ordering: .relaxed) {
            for payload in try connection.notifications(waitingSeconds: Self.pauseSeconds) {
                for news in StoreNotice.news(payload) { tell(news) }
            }
        }
    }

    /// How long a stop may take, and how soon a connection is tried again.
    private static let pauseSeconds = 0.25
}
