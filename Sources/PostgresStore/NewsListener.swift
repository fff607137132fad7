import Dispatch
import Foundation
import ReorderStore

/// Hears what other servers tell, over a connection and on a thread of its own.
final class NewsListener: Sendable {
    private let server: PostgresServer
    private let tell: @Sendable (StoreNews) -> Void
    private let stopped = DispatchSemaphore(value: 0)

    init(_ server: PostgresServer, tell: @escaping @Sendable (StoreNews) -> Void) {
        self.server = server
        self.tell = tell
        let thread = Thread { self.run() }
        thread.name = "listener"
        thread.start()
    }

    /// Waits until it has ended, after the server was closed.
    func stop() { stopped.wait() }

    private func run() {
        // Where it is cut it begins anew; the looks in between find what it missed.
        repeat { try? listen() } while server.pause(seconds: Self.pauseSeconds)
        stopped.signal()
    }

    private func listen() throws(PostgresError) {
        let connection = try server.connect(isPipelined: false)
        try connection.listen(to: StoreNotice.channel)
        // What was committed before is known to nobody here, nor what is once it is cut. And perhaps the
        // server has gone, which somebody who looks finds out: nobody else may want anything.
        tell(.unsure)
        defer { tell(.unsure) }
        while true {
            let payloads = try connection.notifications(waitingSeconds: Self.waitSeconds)
            for payload in payloads {
                for news in StoreNotice.news(payload) { tell(news) }
            }
            // Silence proves nothing: the connection may be gone without a word.
            if payloads.isEmpty { try connection.listen(to: StoreNotice.channel) }
        }
    }

    /// How soon a connection is tried again.
    private static let pauseSeconds = 0.25
    private static let waitSeconds = 15.0
}
