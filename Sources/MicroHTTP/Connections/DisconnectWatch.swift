import CMicroHTTPD
import Glibc

/// Detects clients that close their connection while their request waits, and ends the wait. libmicrohttpd does not
/// watch the sockets of suspended connections.
///
/// If a client disappears without closing its connection, the system's probes end the connection (`ListeningSocket`).
///
/// Used by the loop's thread only.
final class DisconnectWatch {
    /// Readable when clients have closed their connections.
    let descriptor: Int32
    private var timeouts: [Int32: ExchangeTimeout] = [:]

    /// Returns nil if the process has no more descriptors.
    init?() {
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Fires the timeout when the client closes its end of the socket, or if it has closed it already.
    func add(_ timeout: ExchangeTimeout, on socket: Int32) {
        guard micro_epoll_watch_end(descriptor, socket) == 0 else { return }
        timeout.watchedSocket = socket
        timeouts[socket] = timeout
    }

    /// Stops watching, before the socket is closed.
    func remove(_ timeout: ExchangeTimeout) {
        guard timeout.watchedSocket >= 0 else { return }
        timeouts[timeout.watchedSocket] = nil
        _ = micro_epoll_forget(descriptor, timeout.watchedSocket)
        timeout.watchedSocket = -1
    }

    /// Fires the timeouts of the clients that have disconnected. Never waits.
    func handleEvents(now: Int) {
        guard !timeouts.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) { events in
            var count: Int
            repeat {
                count = Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0))
                for index in 0..<max(0, count) {
                    var event = events[index]
                    guard let timeout = timeouts[micro_epoll_descriptor(&event)] else { continue }
                    remove(timeout)
                    timeout.deadlinePassed(at: now)
                }
            } while count == events.count
        }
    }

    private static let eventsAtOnce = 128
}
