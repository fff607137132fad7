import CPostgres
import Foundation
import Synchronization

/// Shuts a socket down if it is still used after a deadline, or when a flag is set.
final class SocketTimeLimit: Sendable {
    /// A duplicate, because libpq may close its descriptor, whose number may then be reused.
    private let descriptor: Int32
    private let isOver: EventFlag
    private let hasEnded = DispatchSemaphore(value: 0)
    private let exceeded = Atomic<Bool>(false)

    init(
        of socket: Int32, until deadline: DispatchTime, orUntil flags: [EventFlag]
    ) throws(PostgresError) {
        isOver = try EventFlag()
        descriptor = dup(socket)
        guard descriptor >= 0 else {
            throw .disconnected(reason: "dup: \(String(cString: strerror(errno)))")
        }
        let thread = Thread { self.wait(until: deadline, orUntil: flags) }
        thread.name = "send limit"
        thread.start()
    }

    deinit { close(descriptor) }

    /// Whether the socket was shut down.
    var isExceeded: Bool { exceeded.load(ordering: .acquiring) }

    /// Ends the limit. Call it once.
    func end() {
        isOver.set()
        hasEnded.wait()
    }

    private func wait(until deadline: DispatchTime, orUntil flags: [EventFlag]) {
        var descriptors = ([isOver] + flags).map { pollfd($0.descriptor) }
        _ = try? pollfd.wait(for: &descriptors, until: deadline)
        if !isOver.isSet {
            exceeded.store(true, ordering: .releasing)
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        hasEnded.signal()
    }
}
