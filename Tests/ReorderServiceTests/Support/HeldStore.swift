import Dispatch
import ReorderStore
import StoreTesting
import Synchronization
import Waiting

/// Counts reads, and holds or fails them on request.
final class HeldStore: ForwardingStore {
    let memory = MemoryListStore()
    let readCount = Atomic<Int>(0)
    let fails = Atomic<Bool>(false)
    /// The position of a change that is no longer stored.
    let pruned = Atomic<Int>(0)
    /// The reads until the one that waits for `pass`.
    private let readsUntilHeld = Atomic<Int>(0)
    private let arrived = DispatchSemaphore(value: 0)
    private let passed = DispatchSemaphore(value: 0)

    /// Makes the next read, or a later one, wait for `pass`, with what it has found.
    func hold(read number: Int = 1) {
        readsUntilHeld.store(number, ordering: .sequentiallyConsistent)
    }

    /// Waits until that read waits.
    func nextRead() throws { try arrived.waitForSignal() }

    func pass() { passed.signal() }

    func destination() throws(StoreError) -> any ListStore { memory }

    func journal(
        after position: Int, limit: Int
    ) throws(StoreError) -> [JournalEntry]? {
        let found = try memory.journal(after: position, limit: limit)
        try finishRead()
        let pruned = pruned.load(ordering: .sequentiallyConsistent)
        guard position + 1 != pruned else { return nil }
        return found?.prefix { $0.position != pruned }.map { $0 }
    }

    func lastPosition() throws(StoreError) -> Int {
        let found = try memory.lastPosition()
        try finishRead()
        return found
    }

    private func finishRead() throws(StoreError) {
        readCount.add(1, ordering: .relaxed)
        if readsUntilHeld.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
            arrived.signal()
            passed.wait()
        }
        if fails.load(ordering: .sequentiallyConsistent) { throw .unavailable(reason: "test") }
    }

    /// Appends the next versions of a list.
    func fill(_ versions: ClosedRange<Int>, of list: String = "l", bytes: Int) throws {
        try memory.append(
            versions.map {
                ListCommit(
                    list: list, version: $0, at: 0, change: Array(repeating: 32, count: bytes),
                    snapshot: $0 == 1 ? [] : nil,
                    stateAfter: .exists(title: "", count: 0, open: 0)
                )
            })
    }
}
