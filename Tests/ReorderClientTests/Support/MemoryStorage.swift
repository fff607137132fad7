import Synchronization

@testable import ReorderClient

/// An outbox's bytes in memory, which a simulated crash can truncate.
final class MemoryStorage: OutboxStorage {
    struct Full: Error {}

    private struct State {
        var bytes: [UInt8] = []
        var synced = 0
        var appendsLeft: Int?
        var failsToSync = false
        var prepared: [UInt8] = []
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8] = []) { state = Mutex(State(bytes: bytes, synced: bytes.count)) }

    var bytes: [UInt8] { state.withLock(\.bytes) }

    /// The number of bytes that certainly survive a crash.
    var synced: Int { state.withLock(\.synced) }

    /// How often something can be appended before the disk is full; nil: always.
    var appendsLeft: Int? {
        get { state.withLock(\.appendsLeft) }
        set { state.withLock { $0.appendsLeft = newValue } }
    }

    var isFull: Bool {
        get { appendsLeft == 0 }
        set { appendsLeft = newValue ? 0 : nil }
    }

    func read() -> [UInt8] { bytes }

    func append(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            guard state.appendsLeft != 0 else { throw Full() }
            state.appendsLeft? -= 1
            state.bytes += bytes
        }
    }

    func cut(to count: Int) {
        state.withLock { state in
            state.bytes.removeLast(state.bytes.count - count)
            state.synced = min(state.synced, count)
        }
    }

    func prepare(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            guard state.appendsLeft != 0 else { throw Full() }
            state.prepared = bytes
        }
    }

    func replace(keepingFrom offset: Int) {
        state.withLock { state in
            let file = state.prepared + state.bytes[offset...]
            state = State(
                bytes: file, synced: state.prepared.count, appendsLeft: state.appendsLeft)
        }
    }

    /// Whether the disk can't be written to.
    var failsToSync: Bool {
        get { state.withLock(\.failsToSync) }
        set { state.withLock { $0.failsToSync = newValue } }
    }

    func sync() throws {
        try state.withLock { state in
            guard !state.failsToSync else { throw Full() }
            state.synced = state.bytes.count
        }
    }

    func close(isWorthless: Bool) {}
}
