import Dispatch
import Foundation
import Synchronization

/// The table of drags, shared, with one thread for what time brings.
///
/// What is told is told under the lock, so that nobody hears of a drag's end before its course.
/// Locks: this one is taken after a list's, and before a channel's.
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

    /// Ends the thread. Drags end with the process, and nobody is told.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
        stopped.wait()
    }

    var isEmpty: Bool { state.withLock { $0.table.drags.isEmpty } }

    /// Does something to the table, and tells what is new.
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

    /// Reads the table: nothing is told meanwhile.
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
