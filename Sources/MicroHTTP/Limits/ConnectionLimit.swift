import CMicroHTTPD
import Glibc
import Synchronization

/// Limits the open connections of all loops together.
final class ConnectionLimit: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)
    /// Whether a connection that closes must wake `wait`.
    private let isFull = Atomic<Bool>(false)
    private let wakeDescriptor: Int32

    /// Returns nil if the process has no more descriptors.
    ///
    /// - Parameter limit: at least 1.
    init?(limit: Int) {
        self.limit = limit
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard wakeDescriptor >= 0 else { return nil }
    }

    deinit {
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    /// Counts a connection; returns false if the limit is reached. Only one thread calls this.
    func take() -> Bool {
        if taken.load(ordering: .relaxed) >= limit {
            isFull.store(true, ordering: .sequentiallyConsistent)
            // A connection may have closed before `isFull` was set.
            guard taken.load(ordering: .sequentiallyConsistent) < limit else { return false }
        }
        if isFull.load(ordering: .relaxed) { isFull.store(false, ordering: .relaxed) }
        taken.add(1, ordering: .relaxed)
        return true
    }

    func release() {
        taken.subtract(1, ordering: .sequentiallyConsistent)
        if isFull.load(ordering: .sequentiallyConsistent) { wake() }
    }

    /// Ends the current or the next `wait`.
    func wake() { eventfd_write(wakeDescriptor, 1) }

    /// Waits for `wake`. If the limit is not reached, also waits for a connection to accept.
    ///
    /// - Parameter milliseconds: the maximum time to wait; -1: no limit.
    func wait(for listener: Int32?, milliseconds: Int32) {
        let isFull = taken.load(ordering: .relaxed) >= limit
        var descriptors = [
            pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
            // Negative descriptors are skipped.
            pollfd(fd: isFull ? -1 : listener ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        guard descriptors[0].revents != 0 else { return }
        var count: eventfd_t = 0
        eventfd_read(wakeDescriptor, &count)
    }
}

/// The load of an event loop, read by the acceptor.
final class LoopLoad: Sendable {
    private let connections = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)
    /// When the loop began its turn; 0 while it waits.
    private let turnStart = Atomic<Int>(0)

    var count: Int {
        connections.load(ordering: .relaxed) + streams.load(ordering: .relaxed)
    }

    /// The duration of the loop's current turn so far.
    func busyNanoseconds(at now: Int) -> Int {
        let start = turnStart.load(ordering: .relaxed)
        return start == 0 ? 0 : now - start
    }

    func turnBegins(at nanoseconds: Int) { turnStart.store(nanoseconds, ordering: .relaxed) }
    func turnEnds() { turnStart.store(0, ordering: .relaxed) }
    func setStreams(_ count: Int) { streams.store(count, ordering: .relaxed) }

    fileprivate func add(_ count: Int) { connections.add(count, ordering: .relaxed) }
}

/// Counts one connection for its loop and for the server, until the last reference is released.
final class ConnectionSlot: Sendable {
    private let load: LoopLoad
    private let room: ConnectionLimit

    /// - Parameter room: the limit that has counted the connection.
    init(_ load: LoopLoad, in room: ConnectionLimit) {
        self.load = load
        self.room = room
        load.add(1)
    }

    deinit {
        load.add(-1)
        room.release()
    }
}
