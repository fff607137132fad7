import Dispatch
import Foundation
import ReorderStore
import Synchronization

/// Hears what other servers tell, over a connection and on a thread of its own.
final class NewsListener: Sendable {
    private let server: PostgresServer
    private let tell: @Sendable (StoreNews) -> Void
    private let state = Mutex(State())
    private let stopped = DispatchSemaphore(value: 0)

    private struct State {
        var isStopping = false
        /// The connection's, while it is waited for.
        var socket: Int32?
    }

    init(_ server: PostgresServer, tell: @escaping @Sendable (StoreNews) -> Void) {
        self.server = server
        self.tell = tell
        let thread = Thread { self.run() }
        thread.name = "listener"
        thread.start()
    }

    func stop() {
        state.withLock { state in
            state.isStopping = true
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        stopped.wait()
    }

    private var isStopping: Bool { state.withLock(\.isStopping) }

    private func run() {
        while !isStopping {
            // Where it is cut it begins anew; the looks in between find what it missed.
            try? listen()
            _ = server.pause(seconds: Self.pauseSeconds)
        }
        stopped.signal()
    }

    private func listen() throws(PostgresError) {
        let connection = try server.connectToListen()
        try connection.listen(to: StoreNotice.channel)
        // What was committed before is known to nobody here.
        tell(.unsure)
        state.withLock { $0.socket = connection.socket }
        // It is closed after that, not before.
        defer { withExtendedLifetime(connection) { state.withLock { $0.socket = nil } } }
        while !isStopping {
            for payload in try connection.notifications(waitingSeconds: Self.waitSeconds) {
                for news in StoreNotice.news(payload) { tell(news) }
            }
        }
    }

    /// How soon a connection is tried again.
    private static let pauseSeconds = 0.25
    private static let waitSeconds = 60.0
}
