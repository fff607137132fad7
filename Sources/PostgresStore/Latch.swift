import CPostgres
import Foundation
import Synchronization

/// Something that happens, and can be waited for together with a socket.
final class Latch: Sendable {
    /// Readable from when it happens until it is taken back.
    let descriptor: Int32
    private let happened = Atomic<Bool>(false)

    init() throws(PostgresError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw .cut(reason: "eventfd: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    var hasHappened: Bool { happened.load(ordering: .acquiring) }

    /// What it stands for happens; again it changes nothing.
    func happen() {
        happened.store(true, ordering: .releasing)
        eventfd_write(descriptor, 1)
    }

    /// It is as if it had not happened.
    func takeBack() {
        happened.store(false, ordering: .releasing)
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }

    /// Waits until it happens, or another one does, or for so long; a signal may end that early.
    ///
    /// - Returns: whether it has.
    @discardableResult
    func wait(seconds: Double? = nil, or other: Latch? = nil) -> Bool {
        if hasHappened { return true }
        var descriptors = [pollfd(descriptor), pollfd(other?.descriptor ?? -1)]
        poll(&descriptors, 2, seconds.map { Int32($0 * 1_000) } ?? -1)
        return hasHappened
    }
}

extension pollfd {
    /// - Parameter descriptor: -1 for none.
    init(_ descriptor: Int32, _ events: Int32 = POLLIN) {
        self.init(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }
}
