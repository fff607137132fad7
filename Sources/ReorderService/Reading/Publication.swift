import Synchronization

/// Holds results of store reads back while the store may be newer than the published lists.
///
/// Between a commit and its publication, a read of the store sees changes that the published lists do
/// not have yet. A client must not see version 8 in the index and then version 7 in the document. So
/// every result of a store read waits here until what it may contain is published.
final class Publication: Sendable {
    /// The threads that append.
    enum Lane: Int, CaseIterable { case small, large }

    private struct State {
        var isOpen = [Bool](repeating: false, count: Lane.allCases.count)
        /// What waits, and for which lanes.
        var waiting: [(isAwaited: [Bool], run: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    /// The number of results that wait.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Call this before the store can have a new change.
    func begin(_ lane: Lane) { state.withLock { $0.isOpen[lane.rawValue] = true } }

    /// Ends the section that `begin` began. What waits runs after the publication.
    ///
    /// - Parameter publish: publishes the change; does nothing if it was not stored.
    func end(_ lane: Lane, after publish: () -> Void) {
        publish()
        let ready = state.withLock { state -> [@Sendable () -> Void] in
            state.isOpen[lane.rawValue] = false
            guard !state.waiting.isEmpty else { return [] }
            for index in state.waiting.indices {
                state.waiting[index].isAwaited[lane.rawValue] = false
            }
            defer { state.waiting.removeAll { !$0.isAwaited.contains(true) } }
            return state.waiting.filter { !$0.isAwaited.contains(true) }.map(\.run)
        }
        for run in ready { run() }
    }

    /// Runs `run` when everything that the store has now is published: at once, or on the thread that
    /// publishes, so it must be quick. Call it after a read of the store.
    func whenPublished(_ run: @escaping @Sendable () -> Void) {
        let isPublished = state.withLock { state in
            guard state.isOpen.contains(true) else { return true }
            state.waiting.append((state.isOpen, run))
            return false
        }
        if isPublished { run() }
    }
}
