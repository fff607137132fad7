import Dispatch
import Foundation
import ReorderStore

/// Receives other servers' notifications, with a connection and a thread of its own.
final class NotificationListener: Sendable {
    private let server: PostgresServer
    private let notify: @Sendable (StoreNotification) -> Void
    private let stopped = DispatchSemaphore(value: 0)

    init(_ server: PostgresServer, notify: @escaping @Sendable (StoreNotification) -> Void) {
        self.server = server
        self.notify = notify
        let thread = Thread { self.run() }
        thread.name = "listener"
        thread.start()
    }

    /// Waits until the thread has ended. Call this after the server is closed.
    func stop() { stopped.wait() }

    private func run() {
        // After a lost connection it connects again; polling finds the changes that it missed.
        repeat { try? listen() } while server.pause(seconds: Self.pauseSeconds)
        stopped.signal()
    }

    private func listen() throws(PostgresError) {
        let connection = try server.connect(isPipelined: false)
        try connection.listen(to: CommitNotification.channel)
        // No notifications arrive for commits before this moment, or while the connection is lost.
        // The subscriber then polls, which also detects an unreachable server if nothing else uses
        // it.
        notify(.possiblyMissed)
        defer { notify(.possiblyMissed) }
        while true {
            let payloads = try connection.notifications(waitingSeconds: Self.waitSeconds)
            for payload in payloads {
                for news in CommitNotification.news(payload) { notify(news) }
            }
            // A silent connection may be dead, so it is tested.
            if payloads.isEmpty { try connection.listen(to: CommitNotification.channel) }
        }
    }

    /// The delay before reconnecting.
    private static let pauseSeconds = 0.25
    private static let waitSeconds = 15.0
}
