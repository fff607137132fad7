import ReorderEngine
import ReorderStore

extension ListService {
    /// The current state of lists in the store, queried once for each attempt to decide a request;
    /// nil if no other server writes the store.
    func freshListStates(
        of list: String, and other: String?, _ context: RequestContext
    ) throws(ServiceError) -> [String: FreshListState]? {
        guard let shared else { return nil }
        let lists = [list, other].compactMap(\.self)
        while true {
            let listStates = try context.wait(for: \.listStates) { reply throws(ServiceError) in
                guard shared.store.isReachable else { throw .unavailable }
                shared.listStates.load(lists, reply)
            }
            if lists.allSatisfy({ listStates[$0] != nil }) { return listStates }
            // The result is for other lists, which an earlier part of the run needed.
            context.progress.listStates = nil
        }
    }

    /// Resets a list to its last durable version, because another server changed the list first or
    /// took the ids of its new tasks.
    func rewind(_ list: CachedList) {
        cache.replace(list, with: list.rewind { reservations.releaseAll(of: list) })
    }

    /// Ends the drags whose tasks other servers have removed from a list. Call this under the
    /// list's lock.
    func endDragsOfGone(from list: CachedList) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            table.remove(from: list.id) { !list.state.list.contains($0) }
        }
    }
}

extension CachedList {
    /// Invalidates the list, and returns the list at a durable version if one is known.
    fileprivate func rewind(_ release: () -> Void) -> CachedList? {
        withLock { state in
            guard !state.isInvalidated else { return nil }
            state.isInvalidated = true
            state.failure = .overtaken
            release()
            let base = state.bases.last { $0.version <= state.durableVersion }
            return base.map { CachedList($0) }
        }
    }

    private convenience init(_ base: WorkingList) {
        self.init(id: base.id)
        state.putDurable(base)
        state.isLoaded = true
    }
}

extension CachedList.State {
    /// The number of saved states that the list can't go back to any more.
    var uselessBaseCount: Int { isDurable ? bases.count { $0.version < version } : 0 }

    /// Saves the state before a new version, to go back to it if another server is faster.
    ///
    /// At most two states are saved: the last durable one, and a later one that may become durable.
    /// So going back loses the changes of at most two commits.
    mutating func keepBase(_ before: WorkingList) {
        if before.version == durableVersion {
            bases = [before]
        } else {
            if bases.count == 2, bases[1].version <= durableVersion { bases.removeFirst() }
            if bases.count < 2 { bases.append(before) }
        }
    }
}
