import ReorderEngine
import Synchronization

/// How a list on this device came from one state to the next.
public struct ListDelta: Sendable {
    /// What was there: the end of the delta before this one.
    public let before: ReorderableList
    /// What is there.
    public let after: ReorderableList
    /// How the visible rows changed.
    public let rows: RowDelta
    /// Whether sections came, went, moved or were renamed.
    public let sectionsChanged: Bool
    /// Whether the list's settings are others.
    public let settingsChanged: Bool

    /// How the visible rows change in a table view that has already moved some of them by itself, as
    /// UIKit does before it calls `moveRowAt`. O(rows).
    ///
    /// - Parameter moves: since the delta before this one, in their order, with the indices that the
    ///   table view gave.
    public func rows(movedAlready moves: [RowDelta.Move]) -> RowDelta {
        moves.isEmpty ? rows : RowDelta(from: before, movedAlready: moves, to: after)
    }
}

/// The deltas of a list, each from where the one before it ended. To be iterated once.
///
/// Nothing is lost and nothing piles up: whoever is slow gets one delta over all that happened since.
/// A delta costs O(log n) for each row that has to do with what changed.
public struct ListDeltas: AsyncSequence, Sendable {
    /// The state that the first delta begins with.
    public let start: ReorderableList
    let watcher: DeltaWatcher?

    /// The iterator. There is one state to iterate over: a second iterator would take deltas away
    /// from the first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(watcher: watcher, signals: watcher?.signals.makeAsyncIterator())
    }

    /// Gives one delta after another, until the list is closed.
    public struct Iterator: AsyncIteratorProtocol {
        let watcher: DeltaWatcher?
        var signals: AsyncStream<Void>.AsyncIterator?

        /// Waits until something is different, and tells it.
        public mutating func next() async -> ListDelta? {
            while await signals?.next() != nil {
                if let delta = watcher?.take() { return delta }
            }
            return nil
        }
    }
}

/// What one watcher was told last, and what has changed since.
final class DeltaWatcher: Sendable {
    private struct State {
        var told: ReorderableList
        var current: ReorderableList
        var touched = TouchedRows.operations([])
    }

    let signals: AsyncStream<Void>
    let start: ReorderableList
    private let state: Mutex<State>
    private let continuation: AsyncStream<Void>.Continuation

    init(list: ReorderableList) {
        start = list
        state = Mutex(State(told: list, current: list))
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func changed(to list: ReorderableList, _ touched: TouchedRows) {
        state.withLock { state in
            state.current = list
            state.touched.add(touched)
        }
        continuation.yield()
    }

    func finish() { continuation.finish() }

    /// The delta since the last one; `nil` where nothing looks different.
    func take() -> ListDelta? {
        let (before, after, touched) = state.withLock { state in
            defer {
                state.told = state.current
                state.touched = .operations([])
            }
            return (state.told, state.current, state.touched)
        }
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
