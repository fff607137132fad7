import ReorderJSON
import ReorderStore

/// A list's state in the store, and its state in memory when the store was queried.
struct FreshListState: Sendable {
    /// nil if the list never existed.
    var stored: StoredListState?
    /// The list in memory at that time; nil if it was not in memory, or another thread used it.
    var cached: CachedList?
    /// The last durable version in memory at that time.
    var durableVersion = 0

    var version: Int { stored?.version ?? 0 }

    /// Whether the list does not exist, so that nothing has to be read.
    var isAbsent: Bool { !(stored?.exists ?? false) }

    static func find(
        _ lists: [String], in store: any SharedListStore, _ cache: ListCache
    ) throws(StoreError) -> [String: FreshListState] {
        var listStates: [String: FreshListState] = [:]
        var queries: [ListStateQuery] = []
        for id in lists {
            var listState = FreshListState()
            var known: Int?
            if let list = cache.present(id) {
                // Don't wait for the lock of a list in use: other requests share this query. The
                // list is then loaded again if another server has changed it.
                list.withLockIfAvailable { state in
                    guard state.isLoaded, !state.isInvalidated else { return }
                    listState.cached = list
                    listState.durableVersion = state.durableVersion
                    if state.isDurable { known = state.version }
                }
            }
            listStates[id] = listState
            queries.append(ListStateQuery(list: id, known: known))
        }
        for (id, stored) in try store.listStates(of: queries) { listStates[id]?.stored = stored }
        return listStates
    }
}

extension FreshListState {
    /// Why a list in memory can't be updated.
    enum Difference {
        /// The list must be loaded from the store again.
        case stale
        /// Changes decided here conflict with another server's. Their commit must end first.
        case pending
    }

    /// Whether the list in memory has no changes of other servers that are newer than this query.
    /// Call this under the list's lock.
    ///
    /// If this is true for two lists of a query, their states are from the same moment, because all
    /// states that a query returns are from one moment.
    func covers(_ list: CachedList) -> Bool { list.state.readVersion <= version }

    /// Updates a list in memory to its state in the store. Call this under the list's lock.
    func update(_ list: CachedList) -> Difference? {
        guard version > list.state.version else {
            // If the store has lost changes, the list in memory is not based on it.
            let hasGoneBack = cached === list && version < durableVersion
            return hasGoneBack ? .stale : nil
        }
        guard list.state.isDurable else { return .pending }
        guard let stored, list.state.catchUp(with: stored) else { return .stale }
        return nil
    }
}

extension CachedList.State {
    /// Applies the changes of other servers.
    ///
    /// - Returns: false if the changes don't lead to the stored version. The list is then
    ///   unchanged.
    fileprivate mutating func catchUp(with stored: StoredListState) -> Bool {
        let missing = stored.changes.drop { $0.version <= version }
        guard exists, stored.exists, missing.first?.version == version + 1 else { return false }
        var caught = current
        do {
            for change in missing {
                let change = try ChangeDocument(json: change.bytes)
                guard !change.operations.contains(.replace) else { return false }
                caught.steps?.append(change.operations, to: change.version, from: caught.list)
                caught.list.changeTime = change.milliseconds
                for operation in change.operations { try caught.list.apply(operation) }
            }
        } catch {
            return false
        }
        if stored.snapshotVersion > version {
            caught.bytesSinceSnapshot = 0
            caught.snapshotBytes = stored.snapshotBytes
        }
        caught.bytesSinceSnapshot += missing.lazy.filter { $0.version > stored.snapshotVersion }
            .reduce(0) { $0 + $1.bytes.count }
        // The earlier states are of no use any more, and would keep the memory of their pages.
        bases = []
        caught.version = stored.version
        putDurable(caught)
        return true
    }
}
