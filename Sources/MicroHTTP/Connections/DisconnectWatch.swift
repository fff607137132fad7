import CMicroHTTPD
import Glibc

/// Notices clients that close their connection while their request waits for something to happen, and has
/// the request end its wait. libmicrohttpd does not look at the sockets of suspended connections.
///
/// A client that vanishes without closing its connection is not noticed.
///
/// Used by the loop's thread only.
final class DisconnectWatch {
    /// Readable when clients have closed their connections.
    let descriptor: Int32
    private var alarms: [Int32: ExchangeTimeout] = [:]

    /// nil if descriptors ran out.
    init?() {
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Has the alarm go off when the client at the other end of the socket closes it, or has closed it.
    func add(_ alarm: ExchangeTimeout, on socket: Int32) {
        guard micro_epoll_watch_end(descriptor, socket) == 0 else { return }
        alarm.watchedSocket = socket
        alarms[socket] = alarm
    }

    /// Stops watching, before the socket is closed.
    func remove(_ alarm: ExchangeTimeout) {
        guard alarm.watchedSocket >= 0 else { return }
        alarms[alarm.watchedSocket] = nil
        _ = micro_epoll_forget(descriptor, alarm.watchedSocket)
        alarm.watchedSocket = -1
    }

    /// Sets off the alarms of the clients that have left. Never waits.
    func handleEvents(now: Int) {
        guard !alarms.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) { events in
            var count: Int
            repeat {
                count = Int(epoll_wait(descriptor, events.baseAddress, Int32(events.count), 0))
                for index in 0..<max(0, count) {
                    var event = events[index]
                    guard let alarm = alarms[micro_epoll_descriptor(&event)] else { continue }
                    remove(alarm)
                    alarm.deadlinePassed(at: now)
                }
            } while count == events.count
        }
    }

    private static let eventsAtOnce = 128
}
