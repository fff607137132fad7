import Dispatch
import Synchronization

/// The shared table of drags, with a thread that ends expired drags and sends delayed events.
///
/// Events are sent under the lock, so that they arrive in order. Lock order: after a list's lock,
/// and before a channel's lock.
final class DragRegistry: Sendable {
    private let table: Mutex<DragTable>
    private let announce: @Sendable (DragTable.Notice) -> Void
    private let thread = BackgroundThread("drags")

    init(_ limits: DragLimits, announce: @escaping @Sendable (DragTable.Notice) -> Void) {
        table = Mutex(DragTable(limits))
        self.announce = announce
    }

    func start() { thread.start { self.run() } }

    /// Stops the thread. The remaining drags end with the process, without an event.
    func stop() { thread.stop() }

    var isEmpty: Bool { table.withLock { $0.drags.isEmpty } }

    /// Changes the table, and sends the resulting events.
    func change<Value: Sendable>(_ body: (inout DragTable, _ now: Int) -> Value) -> Value {
        let (value, isEarlier) = table.withLock { table in
            let before = table.nextDue
            let value = body(&table, Self.now)
            for notice in table.takeNotices() { announce(notice) }
            return (value, table.nextDue.map { $0 < before ?? .max } ?? false)
        }
        if isEarlier { thread.wake() }
        return value
    }

    /// Reads the table. No events are sent meanwhile.
    func read<Value: Sendable>(_ body: (borrowing DragTable) -> Value) -> Value {
        table.withLock { body($0) }
    }

    private func run() {
        while !thread.isStopping {
            let look = table.withLock(\.nextDue)
            thread.sleep(
                until: look.map { DispatchTime(uptimeNanoseconds: UInt64(max(0, $0))) }
                    ?? .distantFuture)
            change { table, now in
                if let look = table.nextDue, look <= now { table.advance(to: now) }
            }
        }
    }

    private static var now: Int { Int(DispatchTime.now().uptimeNanoseconds) }
}
