import Synchronization

/// The shared table of drags, with a thread that ends expired drags and sends delayed events.
///
/// Events are sent under the lock, so that they arrive in order. Lock order: this lock, a
/// channel's lock.
final class DragRegistry: Sendable {
    private let table: Mutex<DragTable>
    private let channels: ListChannels
    private let environment: ServiceEnvironment
    private let worker: any Worker

    init(
        _ limits: DragLimits, _ channels: ListChannels,
        _ environment: ServiceEnvironment
    ) {
        table = Mutex(DragTable(limits, environment))
        self.channels = channels
        self.environment = environment
        worker = environment.makeWorker("drags", 1)
    }

    func start() { worker.start(first: .whenWoken) { self.step() } }

    /// Stops the thread. The remaining drags end with the process, without an event.
    func stop() { worker.stopAndJoin() }

    var isEmpty: Bool { table.withLock { $0.drags.isEmpty } }

    /// Changes the table, and sends the resulting events.
    func change<Value: Sendable>(_ body: (inout DragTable, _ now: Int) -> Value) -> Value {
        let (value, isEarlier) = table.withLock { table in
            let before = table.nextDue
            let value = body(&table, now)
            for notice in table.takeNotices() {
                channels.existing(notice.list)?.announce(notice.data)
            }
            return (value, table.nextDue.map { $0 < before ?? .max } ?? false)
        }
        if isEarlier { worker.wake() }
        return value
    }

    /// Reads the table. No events are sent meanwhile.
    func read<Value: Sendable>(_ body: (borrowing DragTable) -> Value) -> Value {
        table.withLock { body($0) }
    }

    private func step() -> NextStep {
        guard !worker.isStopping else { return .end }
        let next = change { table, now in
            if let due = table.nextDue, due <= now { table.advance(to: now) }
            return table.nextDue
        }
        return next.map { .at(UInt64(max(0, $0))) } ?? .whenWoken
    }

    private var now: Int { Int(environment.uptime()) }
}
