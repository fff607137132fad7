import CPostgres
import Foundation
import Synchronization

/// A flag that threads can wait for, alone or together with a socket.
final class EventFlag: Sendable {
    /// Readable while the flag is set.
    let descriptor: Int32
    private let flag = Atomic<Bool>(false)

    init() throws(PostgresError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw .disconnected(reason: "eventfd: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Sets the flag; setting it again has no effect.
    func set() {
        flag.store(true, ordering: .releasing)
        eventfd_write(descriptor, 1)
    }

    /// Clears the flag.
    func clear() {
        flag.store(false, ordering: .releasing)
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }

    /// Waits until this flag or the other one is set, or the time is over; a signal may end the
    /// wait early.
    ///
    /// - Returns: whether this flag is set.
    @discardableResult
    func wait(seconds: Double? = nil, or other: EventFlag? = nil) -> Bool {
        if isSet { return true }
        var descriptors = [pollfd(descriptor), pollfd(other?.descriptor ?? -1)]
        poll(&descriptors, 2, seconds.map { Int32($0 * 1_000) } ?? -1)
        return isSet
    }
}

extension pollfd {
    /// - Parameter descriptor: -1 to ignore the entry.
    init(_ descriptor: Int32, _ events: Int32 = POLLIN) {
        self.init(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }

    /// Waits until an event of one of the descriptors occurs.
    ///
    /// - Returns: false if none occurred before the deadline.
    static func wait(
        for descriptors: inout [pollfd], until deadline: DispatchTime
    ) throws(PostgresError) -> Bool {
        while true {
            // Polls once after the deadline too, because this process itself may have been
            // suspended.
            let now = DispatchTime.now()
            let left =
                now < deadline
                ? (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1 : 0
            let count = nfds_t(descriptors.count)
            let ready = poll(&descriptors, count, Int32(truncatingIfNeeded: left))
            if ready > 0 { return true }
            if ready == 0, left == 0 { return false }
            guard ready == 0 || errno == EINTR else {
                throw .disconnected(reason: "poll: \(String(cString: strerror(errno)))")
            }
        }
    }
}
