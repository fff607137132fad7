import Synchronization

@testable import ReorderClient

/// An outbox's bytes in memory, which a simulated crash can truncate.
final class MemoryStorage: OutboxStorage {
    struct Full: Error {}

    private struct State {
        var bytes: [UInt8] = []
        var synced = 0
        var isFull = false
        var prepared: [UInt8] = []
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8] = []) { state = Mutex(State(bytes: bytes, synced: bytes.count)) }

    var bytes: [UInt8] { state.withLock(\.bytes) }

    /// The number of bytes that certainly survive a crash.
    var synced: Int { state.withLock(\.synced) }

    var isFull: Bool {
        get { state.withLock(\.isFull) }
        set { state.withLock { $0.isFull = newValue } }
    }

    func read() -> [UInt8] { bytes }

    func append(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            guard !state.isFull else { throw Full() }
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
            guard !state.isFull else { throw Full() }
            state.prepared = bytes
        }
    }

    func replace(keepingFrom offset: Int) {
        state.withLock { state in
            let file = state.prepared + state.bytes[offset...]
            state = State(bytes: file, synced: state.prepared.count, isFull: state.isFull)
        }
    }

    func sync() throws { state.withLock { $0.synced = $0.bytes.count } }

    func close(isWorthless: Bool) {}
}
