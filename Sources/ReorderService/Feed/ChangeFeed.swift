import DequeModule
import Foundation
import Logging
import ReorderStore
import Synchronization

/// The changes of all lists in the order of their positions, for watchers of many lists.
///
/// While it has watchers, it reads the journal after each commit of this or another server, and
/// keeps the last changes in memory. A watcher remembers the last position that it has seen, and
/// requests the changes after it from here or from the store. So it misses and repeats no change.
/// One thread makes all these reads, one after another, which limits the memory.
package final class ChangeFeed: Sendable {
    fileprivate struct State {
        /// The last changes, without gaps.
        var recent: Deque<JournalEntry> = []
        var byteCount = 0
        /// The last position that was read; nil if no watcher exists, or before the first read.
        var last: Int?
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Reads for watchers that are further behind.
        var reads: [Read] = []
    }

    fileprivate enum Read {
        case page(after: Int, bytes: Int, Completion<FeedPage>)
        case lastPosition(Completion<Int>)
        case heads(
            of: [ListIDRange]?, after: String?, from: Int, limit: Int, Completion<FeedHeads>)

        func fail(_ error: ServiceError) {
            switch self {
            case .page(_, _, let done): done(.failure(error))
            case .lastPosition(let done): done(.failure(error))
            case .heads(_, _, _, _, let done): done(.failure(error))
            }
        }
    }

    private let store: any ListStore
    private let publication: Publication
    private let pieces: PieceSizes
    private let logger: Logger
    private let environment: ServiceEnvironment
    private let state = Mutex(State())
    private let isWatched = Atomic<Bool>(false)
    /// Whether the journal may have changes after the last position that was read.
    private let isStale = Atomic<Bool>(false)
    private let worker: any Worker

    /// The maximum size in bytes of the changes in memory. The last change is always kept.
    static let maximumBytes = 1 << 20
    /// The pause after a failed read.
    private static let pauseSeconds = 0.25

    init(
        store: any ListStore, _ pieces: PieceSizes = PieceSizes(), _ publication: Publication,
        logger: Logger, _ environment: ServiceEnvironment
    ) {
        self.store = store
        self.publication = publication
        self.pieces = pieces
        self.logger = logger
        self.environment = environment
        worker = environment.makeWorker("feed", 1)
    }

    func start() { worker.start(first: .whenWoken) { self.step() } }

    /// Completes the waiting reads and stops the thread. Later reads fail.
    func stop() { worker.stopAndJoin() }

    // MARK: Watchers

    func add(_ watch: FeedWatch, _ onNews: @escaping @Sendable () -> Void) {
        state.withLock { $0.watchers[ObjectIdentifier(watch)] = onNews }
        isWatched.store(true, ordering: .sequentiallyConsistent)
        changed()
    }

    func remove(_ watch: FeedWatch) {
        let released = state.withLock { state in
            let watcher = state.watchers.removeValue(forKey: ObjectIdentifier(watch))
            guard state.watchers.isEmpty else { return (watcher, Deque<JournalEntry>()) }
            isWatched.store(false, ordering: .sequentiallyConsistent)
            defer { (state.recent, state.byteCount, state.last) = ([], 0, nil) }
            return (watcher, state.recent)
        }
        // Released outside the lock, because releasing it can release other objects.
        withExtendedLifetime(released) {}
    }

    /// Reports that the journal may have new changes. Costs almost nothing without watchers.
    func changed() {
        guard isWatched.load(ordering: .sequentiallyConsistent),
            !isStale.exchange(true, ordering: .sequentiallyConsistent)
        else { return }
        worker.wake()
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

    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    package func recent(after position: Int, bytes: Int) -> Recent {
        state.withLock { state in
            // A position after the last one may be one that the store does not have.
            guard let last = state.last, position <= last else { return .older }
            guard position < last else { return .none }
            guard let first = state.recent.first?.position, position + 1 >= first else {
                return .older
            }
            var left = bytes
            let entries = state.recent.dropFirst(position + 1 - first).prefix { entry in
                defer { left -= entry.change.bytes.count }
                return left == bytes || entry.change.bytes.count <= left
            }
            return .entries(Array(entries))
        }
    }

    /// Reads the changes after a position from the store.
    package func read(after position: Int, bytes: Int, _ done: @escaping Completion<FeedPage>) {
        enqueue(.page(after: position, bytes: bytes, done))
    }

    /// Reads the position of the last change.
    package func readLastPosition(_ done: @escaping Completion<Int>) {
        enqueue(.lastPosition(done))
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
        enqueue(.heads(of: ranges, after: list, from: position, limit: limit, done))
    }

    private func enqueue(_ read: Read) {
        let isTaken = state.withLock { state in
            guard !worker.isStopping else { return false }
            state.reads.append(read)
            return true
        }
        if isTaken { worker.wake() } else { read.fail(.unavailable) }
    }

    private func result<Value>(
        of read: () throws(StoreError) -> Value
    ) -> Result<Value, ServiceError> {
        do throws(StoreError) {
            return .success(try read())
        } catch {
            return .failure(
                ServiceError.of(error, list: "?", logger, isShared: store is any SharedListStore))
        }
    }

    // MARK: On the worker's thread

    private func step() -> NextStep {
        // Read this before the queue. A read that arrives later is either taken below, or refused
        // because of the stop.
        let isStopping = worker.isStopping
        while true {
            if isStale.exchange(false, ordering: .sequentiallyConsistent), !readNewChanges() {
                isStale.store(true, ordering: .sequentiallyConsistent)
                while readNext() {}
                return isStopping
                    ? .end : .at(environment.uptime(afterSeconds: Self.pauseSeconds))
            }
            guard readNext() || isStale.load(ordering: .sequentiallyConsistent) else { break }
        }
        return isStopping ? .end : .whenWoken
    }

    /// - Returns: false if no read is waiting.
    private func readNext() -> Bool {
        guard let read = state.withLock({ $0.reads.isEmpty ? nil : $0.reads.removeFirst() })
        else { return false }
        switch read {
        case .page(let position, let bytes, let done):
            let found = result { () throws(StoreError) in
                try page(after: position, limit: pieces.feedChanges, bytes: bytes)
            }
            publication.whenPublished { done(found) }
        case .lastPosition(let done):
            let last = result { () throws(StoreError) in try store.lastPosition() }
            publication.whenPublished { done(last) }
        case .heads(let ranges, let list, let position, let limit, let done):
            let found = result { () throws(StoreError) in
                var heads = try heads(of: ranges, after: list, limit: limit)
                heads.heads.removeAll { $0.position < position }
                return heads
            }
            publication.whenPublished { done(found) }
        }
        return true
    }

    /// Reads the changes since the last read.
    ///
    /// - Returns: whether the store could be read.
    private func readNewChanges() -> Bool {
        guard isWatched.load(ordering: .sequentiallyConsistent) else { return true }
        let known = state.withLock(\.last)
        let read = result { () throws(StoreError) -> FeedPage in
            guard let known else {
                return .entries([], isLast: true, end: try store.lastPosition())
            }
            return try page(after: known, limit: pieces.feedChanges, bytes: Self.maximumBytes)
        }
        guard case .success(let page) = read else { return false }
        publication.whenPublished { [self] in take(page, after: known) }
        return true
    }

    /// Notifies the watchers of changes that were read and are published.
    ///
    /// - Parameter known: the last position before the changes.
    private func take(_ page: FeedPage, after known: Int?) {
        let watchers = state.withLock { state -> [@Sendable () -> Void] in
            // The last watcher may have gone meanwhile, and a new one may have come.
            guard state.last == known else {
                changed()
                return []
            }
            state.take(page)
            return Array(state.watchers.values)
        }
        for onNews in watchers { onNews() }
        if case .entries(_, isLast: false, _) = page { changed() }
    }

    /// - Parameter bytes: the maximum size of the changes, unless the first change alone is larger.
    private func page(
        after position: Int, limit: Int, bytes: Int
    ) throws(StoreError) -> FeedPage {
        var entries: [JournalEntry] = []
        var byteCount = 0
        var isFull = false
        // The store limits reads by number and not by bytes. So this reads a few changes first, and
        // then as many as before.
        while entries.count < limit, !isFull {
            let count = min(max(Self.firstRead, entries.count), limit - entries.count)
            let after = entries.last?.position ?? position
            guard let more = try store.journal(after: after, limit: count) else {
                // The next page reports the gap.
                guard entries.isEmpty else { break }
                return try gap(after: position)
            }
            guard !more.isEmpty else { return .entries(entries, isLast: true, end: after) }
            for entry in more {
                byteCount += entry.change.bytes.count
                isFull = byteCount > bytes && !entries.isEmpty
                guard !isFull else { break }
                entries.append(entry)
            }
        }
        let last = try store.lastPosition()
        guard last - position <= pieces.feedDistance else { return try gap(after: position) }
        let end = entries.last?.position ?? position
        return .entries(entries, isLast: end == last, end: end)
    }

    private static let firstRead = 8

    private func gap(after position: Int) throws(StoreError) -> FeedPage {
        let last = try store.lastPosition()
        return .gap(from: position > last ? 0 : position + 1, end: last)
    }

    private func heads(
        of ranges: [ListIDRange]?, after list: String?, limit: Int
    ) throws(StoreError) -> FeedHeads {
        guard let ranges else {
            let heads = try store.heads(after: list, limit: limit)
            return FeedHeads(heads: heads, cursor: heads.count == limit ? heads.last?.list : nil)
        }
        var found: [ListHead] = []
        for range in ranges {
            let room = limit - found.count
            guard room > 0 else { break }
            let page = try store.heads(
                after: max(range.after, list ?? ""), limit: range.isOne ? 1 : room)
            found += page.prefix { range.contains($0.list) }
        }
        return FeedHeads(heads: found, cursor: found.count >= limit ? found.last?.list : nil)
    }
}

extension ChangeFeed.State {
    fileprivate mutating func take(_ page: FeedPage) {
        switch page {
        case .gap(_, let end):
            // The watchers that have not seen all changes before the gap read the store.
            (recent, byteCount, last) = ([], 0, end)
        case .entries(let entries, _, let end):
            last = end
            recent += entries
            byteCount += entries.reduce(0) { $0 + $1.change.bytes.count }
            while byteCount > ChangeFeed.maximumBytes, recent.count > 1,
                let first = recent.popFirst()
            {
                byteCount -= first.change.bytes.count
            }
        }
    }
}
