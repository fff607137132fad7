import CMicroHTTPD
import Glibc
import Synchronization

/// What other threads have for an event loop, and how they wake it.
final class LoopInbox: Sendable {
    struct Contents {
        var accepted: [AcceptedConnection] = []
        var work: [any LoopWork] = []
        /// Set when the loop must stop.
        var graceSeconds: Double?

        fileprivate var isEmpty: Bool {
            accepted.isEmpty && work.isEmpty && graceSeconds == nil
        }

        /// Keeps the memory.
        mutating func removeAll() {
            var empty = Contents()
            swap(&empty.accepted, &accepted)
            swap(&empty.work, &work)
            empty.accepted.removeAll(keepingCapacity: true)
            empty.work.removeAll(keepingCapacity: true)
            self = empty
        }
    }

    private struct State {
        var contents = Contents()
        /// Set while the thread waits, or is about to wait. Only then must it be woken.
        var isWaiting = false
        /// Whether the loop has ended. Then nothing is put in, because work refers to the loop.
        var isClosed = false
    }

    /// Readable when the loop was woken.
    let descriptor: Int32
    private let state = Mutex(State())

    /// Returns nil if the process has no more descriptors.
    init?() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: From any thread

    /// Serves a connection from now on.
    func put(_ connection: AcceptedConnection) { put { $0.accepted.append(connection) } }

    /// Does the work on the loop's thread.
    func put(_ work: any LoopWork) { put { $0.work.append(work) } }

    /// Stops the loop.
    func putStop(graceSeconds: Double) { put { $0.graceSeconds = graceSeconds } }

    private func put(_ put: (inout Contents) -> Void) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            put(&state.contents)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { eventfd_write(descriptor, 1) }
    }

    // MARK: On the loop's thread

    /// Moves the contents into `batch`, which is empty. Its memory is used again.
    func take(into batch: inout Contents) {
        state.withLock { state in
            swap(&batch, &state.contents)
            state.isWaiting = false
        }
    }

    /// Called before the loop waits for the descriptor. Returns false if it must not wait, because the inbox is not
    /// empty.
    func beginWaiting() -> Bool {
        state.withLock { state in
            guard state.contents.isEmpty else { return false }
            state.isWaiting = true
            return true
        }
    }

    /// Called when the descriptor is readable.
    func endWaiting() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }

    /// Drops what is in the inbox, and all that comes later.
    func end() {
        state.withLock { state in
            state.contents = Contents()
            state.isClosed = true
        }
    }
}

/// Something that other threads ask a loop to do.
protocol LoopWork: AnyObject, Sendable {
    /// Called on the loop's thread.
    func proceedOnLoop()
}

/// An accepted connection that is passed to an event loop.
struct AcceptedConnection: Sendable {
    let socket: Int32
    let peer: sockaddr_storage
    let peerLength: socklen_t
    /// Counts the connection for its client; nil if connections per client are not limited.
    let share: ClientConnectionLimit.Share?
    /// Its place among the connections of its loop.
    let slot: ConnectionSlot

    func withPeer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, peerLength) }
        }
    }
}
