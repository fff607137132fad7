import ReorderJSON
import ReorderStore
import Synchronization

/// The changes of all lists in the order of their positions, for watchers of many lists.
///
/// While it has watchers, it reads the journal after each commit of this or another server, and
/// keeps the last changes in memory. A watcher remembers the last position that it has seen, and
/// requests the changes after it from here or from the store. So it misses and repeats no change.
package final class ChangeFeed: Channel {
    /// What determines the events of consecutive changes.
    package struct Piece: Equatable, Sendable {
        /// The changes that the client gets.
        var positions: [Int]
        /// The position of the client after the piece.
        var last: Int
        /// The changes of which the client does not get the id of the other list.
        var withoutOtherList: [Int]

        package init(positions: [Int], last: Int, withoutOtherList: [Int]) {
            (self.positions, self.last) = (positions, last)
            self.withoutOtherList = withoutOtherList
        }
    }

    fileprivate struct State {
        var recent = RecentChanges<JournalEntry>(maximumBytes: ChangeFeed.maximumBytes)
        /// The last position that was read; nil if no watcher exists, or before the first read.
        var last: Int?
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private struct PageQuery: Hashable {
        var position: Int
        var bytes: Int
        var isEndless: Bool
    }

    package let renderings = RecentRenderings<Piece>()
    private let history: HistoryReader
    private let pieces: PieceSizes
    private let pageQueries = Coalescer<PageQuery, FeedPage>()
    private let state = Mutex(State())
    private let isWatched = Atomic<Bool>(false)
    /// Whether a read of new changes waits for its turn.
    private let isReadWaiting = Atomic<Bool>(false)
    /// Whether the last read of new changes failed.
    private let hasFailed = Atomic<Bool>(false)

    /// The maximum size in bytes of the changes in memory.
    static let maximumBytes = 1 << 20

    init(_ history: HistoryReader, _ pieces: PieceSizes) {
        self.history = history
        self.pieces = pieces
    }

    // MARK: Watchers

    package func add(_ watch: Watch, _ onNews: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers[ObjectIdentifier(watch)] = onNews }
        isWatched.store(true, ordering: .sequentiallyConsistent)
        changed()
    }

    package func remove(_ watch: Watch) {
        let watcher = state.withLock { state in
            let watcher = state.watchers.removeValue(forKey: ObjectIdentifier(watch))
            if state.watchers.isEmpty {
                isWatched.store(false, ordering: .sequentiallyConsistent)
                state.recent.removeAll()
                state.last = nil
                renderings.removeAll()
            }
            return watcher
        }
        // Released outside the lock, because releasing it can release other objects.
        withExtendedLifetime(watcher) {}
    }

    /// Wakes the watchers without news.
    func wakeWatchers() {
        for onNews in state.withLock({ Array($0.watchers.values) }) { onNews() }
    }

    // MARK: New changes

    /// Reports that the journal may have new changes. Costs almost nothing without watchers.
    func changed() {
        guard isWatched.load(ordering: .sequentiallyConsistent),
            !isReadWaiting.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        history.read({ [self] in take($0) }) { [self] store throws(StoreError) -> News in
            isReadWaiting.store(false, ordering: .sequentiallyConsistent)
            guard let known = state.withLock(\.last) else {
                let end = try store.lastPosition()
                return News(known: nil, page: .entries([], isLast: true, end: end))
            }
            let page = try store.feedPage(after: known, bytes: Self.maximumBytes, pieces)
            return News(known: known, page: page)
        }
    }

    /// Reads the new changes again, if the last read failed.
    func retry() {
        if hasFailed.exchange(false, ordering: .sequentiallyConsistent) { changed() }
    }

    private struct News {
        /// The last position before the changes.
        var known: Int?
        var page: FeedPage
    }

    /// Notifies the watchers of changes that were read and are published.
    private func take(_ result: Result<News, ServiceError>) {
        guard case .success(let news) = result else {
            return hasFailed.store(true, ordering: .sequentiallyConsistent)
        }
        let watchers = state.withLock { state -> [@Sendable () -> Void]? in
            // The last watcher may have gone meanwhile, and a new one may have come.
            guard state.last == news.known, !state.watchers.isEmpty else { return nil }
            state.take(news.page)
            return Array(state.watchers.values)
        }
        guard let watchers else { return changed() }
        for onNews in watchers { onNews() }
        if case .entries(_, isLast: false, _) = news.page { changed() }
    }

    // MARK: Reading

    /// The changes after a position that are in memory.
    package enum Recent: Sendable {
        case none
        /// Never empty.
        case entries([JournalEntry])
        /// The next change is only in the store, if there is one.
        case older
    }

    /// Whether the watchers were notified of changes after a position.
    package func hasChanges(after position: Int) -> Bool {
        state.withLock { $0.last.map { $0 > position } ?? false }
    }

    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    package func recent(after position: Int, bytes: Int) -> Recent {
        state.withLock { state in
            // A position after the last one may be one that the store does not have.
            guard let last = state.last, position <= last else { return .older }
            guard position < last else { return .none }
            let entries = state.recent.changes(after: position, bytes: bytes)
            return entries.isEmpty ? .older : .entries(entries)
        }
    }

    /// Reads the changes after a position from the store.
    ///
    /// - Parameter isEndless: whether the result has the changes even if very many of them follow.
    package func read(
        after position: Int, bytes: Int, isEndless: Bool = false,
        _ done: @escaping Completion<FeedPage>
    ) {
        let query = PageQuery(position: position, bytes: bytes, isEndless: isEndless)
        history.read(query, in: pageQueries, done) { [pieces] store throws(StoreError) in
            var pieces = pieces
            if isEndless { pieces.feedDistance = .max }
            return try store.feedPage(after: position, bytes: bytes, pieces)
        }
    }

    /// Reads the position of the last change.
    package func readLastPosition(_ done: @escaping Completion<Int>) {
        history.read(done) { store throws(StoreError) in try store.lastPosition() }
    }

    /// Reads the lists that have changed since a position.
    ///
    /// - Parameters:
    ///   - ranges: the lists to read, in order; nil means all lists.
    ///   - list: reads only lists after this id; nil means from the first.
    ///   - position: lists whose last change has this position or a later one.
    ///   - limit: the maximum number of lists that are read.
    package func readHeads(
        of ranges: [ListIDRange]?, after list: String?, changedFrom position: Int, limit: Int,
        _ done: @escaping Completion<FeedHeads>
    ) {
        history.read(done) { store throws(StoreError) in
            var found = try store.heads(of: ranges, after: list, limit: limit)
            found.heads.removeAll { $0.position < position }
            return found
        }
    }
}

extension JournalEntry {
    /// Whether earlier changes of the list may be hidden now: see `ListStore`.
    fileprivate var mayHideOthers: Bool {
        guard change.version > 1 else { return false }
        return ChangeDocument.kind(ofJSON: change.bytes) != nil
    }
}

extension ChangeFeed.State {
    fileprivate mutating func take(_ page: FeedPage) {
        switch page {
        case .gap(_, let end):
            // The watchers that have not seen all changes before the gap read the store.
            recent.removeAll()
            last = end
        case .entries(let entries, _, let end):
            last = end
            var entries = entries[...]
            if let index = entries.lastIndex(where: \.mayHideOthers) {
                // Watchers that are behind read the store, which knows what is hidden.
                entries = entries[index...]
                recent.removeAll()
            }
            for entry in entries { recent.append(entry) }
        }
    }
}
