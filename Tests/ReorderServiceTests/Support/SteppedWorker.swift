import Synchronization

@testable import ReorderService

/// A worker that the test steps. It stops after it was asked a number of times whether it must.
final class SteppedWorker: Worker {
    private let looksLeft: Atomic<Int>
    let wakes = Atomic<Int>(0)
    private let body = Mutex<(@Sendable () -> NextStep)?>(nil)

    init(stoppingAfterLooks looks: Int = 0) { looksLeft = Atomic(looks) }

    var isStopping: Bool { looksLeft.subtract(1, ordering: .relaxed).oldValue <= 0 }
    func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep) {
        body.withLock { $0 = step }
    }
    func wake() { wakes.add(1, ordering: .relaxed) }
    func stop() {}
    func join(until uptime: UInt64) -> Bool { true }

    func step() { _ = body.withLock(\.self)?() }

    func runUntilEnd() {
        guard let step = body.withLock({ $0.take() }) else { return }
        while case .whenWoken = step() {}
    }
}
