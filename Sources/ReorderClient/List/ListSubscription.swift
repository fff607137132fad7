import ReorderEngine

/// A consumer of a list, which ends when it is released. It holds the list: a list lives as long as somebody watches it.
final class ListSubscription: Sendable {
    private struct State {
        var taken: ReorderableList
        var newest: ReorderableList
        var touched = TouchedRows.operations([])
    }

    let list: SyncedList
    /// The state at the beginning: an empty list if the list is not loaded.
    let start: ReorderableList
    /// An element at the beginning, and after each change of the list, of its status, of the refusals, and of the drags of others.
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let state: Lock<State>

    init(_ list: SyncedList, start: ReorderableList) {
        (self.list, self.start) = (list, start)
        state = Lock(State(taken: start, newest: start))
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal()
    }

    deinit { finish() }

    func changed(to list: ReorderableList, _ touched: TouchedRows) {
        state.withLock { state in
            state.newest = list
            state.touched.add(touched)
        }
        signal()
    }

    func signal() { continuation.yield() }

    func finish() { continuation.finish() }

    /// The states at the last call and now, and the rows that may differ between them.
    func take() -> (before: ReorderableList, after: ReorderableList, touched: TouchedRows) {
        state.withLock { state in
            defer { state = State(taken: state.newest, newest: state.newest) }
            return (state.taken, state.newest, state.touched)
        }
    }
}
