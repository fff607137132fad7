import Dispatch
import Foundation
import Synchronization

/// The shared table of drags, with a thread that ends expired drags and sends delayed events.
///
/// Events are sent under the lock, so that they arrive in order. Lock order: after a list's lock,
/// and before a channel's lock.
final class Drags: Sendable {
    private struct State {
        var table: DragTable
        var isStopping = false
    }

    private let state: Mutex<State>
    private let announce: @Sendable (DragTable.Notice) -> Void
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)

    init(_ limits: DragLimits, announce: @escaping @Sendable (DragTable.Notice) -> Void) {
        state = Mutex(State(table: DragTable(limits)))
        self.announce = announce
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "drags"
        thread.start()
    }

    /// Stops the thread. The remaining drags end with the process, without an event.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    var isEmpty: Bool { state.withLock { $0.table.drags.isEmpty } }

    /// Changes the table, and sends the resulting events.
    func change<Value: Sendable>(_ body: (inout DragTable, _ now: Int) -> Value) -> Value {
        let (value, isEarlier) = state.withLock { state in
            let before = state.table.nextLook
            let value = body(&state.table, Self.now)
            for notice in state.table.takeNotices() { announce(notice) }
            let isEarlier = state.table.nextLook.map { $0 < before ?? .max } ?? false
            return (value, isEarlier)
        }
        if isEarlier { wake.signal() }
        return value
    }

    /// Reads the table. No events are sent meanwhile.
    func read<Value: Sendable>(_ body: (borrowing DragTable) -> Value) -> Value {
        state.withLock { body($0.table) }
    }

    private func run() {
        while true {
            let (look, isStopping) = state.withLock { ($0.table.nextLook, $0.isStopping) }
            if isStopping { break }
            if let look {
                let time = DispatchTime(uptimeNanoseconds: UInt64(max(0, look)))
                _ = wake.wait(timeout: time)
            } else {
                wake.wait()
            }
            change { table, now in
                if let look = table.nextLook, look <= now { table.look(at: now) }
            }
        }
        stopped.signal()
    }

    private static var now: Int { Int(DispatchTime.now().uptimeNanoseconds) }
}
