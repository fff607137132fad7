import ReorderEngine

/// The difference between two states of a list on this device.
package struct ListDelta: Sendable {
    /// The state before. It is the state after the previous delta.
    package let before: ReorderableList
    /// The state after.
    package let after: ReorderableList
    /// The changes of the visible rows.
    package let rows: RowDelta
    /// Whether sections were added, removed, moved or changed.
    package let sectionsChanged: Bool
    /// Whether the list's settings differ.
    package let settingsChanged: Bool
}

/// The deltas of a list. Each starts where the previous one ended. Iterate over them only once.
///
/// For a slow consumer, changes are combined into one delta: none is lost and memory stays bounded.
/// A delta costs O(log n) for each affected row.
package struct ListDeltas: AsyncSequence, Sendable {
    /// The state before the first delta.
    package let start: ReorderableList
    let subscription: DeltaSubscription
    /// The sequence may have the only reference.
    let list: SyncedList

    /// Returns the iterator. All iterators share one state: a second one would take deltas from the
    /// first.
    package func makeAsyncIterator() -> Iterator {
        Iterator(
            subscription: subscription, list: list,
            signals: subscription.signals.makeAsyncIterator())
    }

    /// Returns one delta after another, until the list is closed.
    package struct Iterator: AsyncIteratorProtocol {
        let subscription: DeltaSubscription
        let list: SyncedList
        var signals: AsyncStream<Void>.AsyncIterator

        /// Waits for the next change and returns its delta; nil when the list is closed.
        package mutating func next() async -> ListDelta? {
            while await signals.next() != nil {
                if let delta = subscription.take() { return delta }
            }
            return nil
        }
    }
}

/// The state last delivered to one consumer, and the changes since then.
final class DeltaSubscription: Sendable {
    private struct State {
        var delivered: ReorderableList
        var current: ReorderableList
        var touched = TouchedRows.operations([])
    }

    let signals: AsyncStream<Void>
    let start: ReorderableList
    private let state: Lock<State>
    private let continuation: AsyncStream<Void>.Continuation

    init(list: ReorderableList) {
        start = list
        state = Lock(State(delivered: list, current: list))
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func changed(to list: ReorderableList, _ touched: TouchedRows) {
        state.withLock { state in
            state.current = list
            state.touched.add(touched)
        }
        continuation.yield()
    }

    deinit { continuation.finish() }

    /// Something else than the list has changed: the status, the refusals or the drags of others.
    func signal() { continuation.yield() }

    func finish() { continuation.finish() }

    /// The states since the last call, and the rows that may differ between them.
    func takeTouched() -> (before: ReorderableList, after: ReorderableList, touched: TouchedRows) {
        state.withLock { state in
            defer {
                state.delivered = state.current
                state.touched = .operations([])
            }
            return (state.delivered, state.current, state.touched)
        }
    }

    /// The delta since the last one; nil if there is no visible difference.
    func take() -> ListDelta? {
        let (before, after, touched) = takeTouched()
        let delta = ListDelta(
            before: before, after: after,
            rows: RowDelta(from: before, to: after, touched: touched),
            sectionsChanged: !before.sections.elementsEqual(after.sections) {
                $0.id == $1.id && $0.title == $1.title
            },
            settingsChanged: before.settings != after.settings)
        let isSame = delta.rows.isEmpty && !delta.sectionsChanged && !delta.settingsChanged
        return isSame ? nil : delta
    }
}
