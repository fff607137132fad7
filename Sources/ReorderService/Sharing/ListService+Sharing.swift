import ReorderEngine
import ReorderStore

extension ListService {
    /// Where lists stand in the store, asked once for a run of a request; nil if no other server writes the
    /// store.
    func freshStandings(
        of lists: [String], _ context: RequestContext
    ) throws(ServiceError) -> [String: Standing]? {
        guard let sharing else { return nil }
        while true {
            let standings = try context.wait(for: \.standings) { reply throws(ServiceError) in
                guard sharing.store.isReachable else { throw .unavailable }
                sharing.standings.ask(lists, reply)
            }
            if lists.allSatisfy({ standings[$0] != nil }) { return standings }
            // An earlier part of the run asked about other lists.
            context.progress.standings = nil
        }
    }

    /// Another server has changed the list first, or has its new tasks: the list goes back to what is
    /// durable.
    func rewind(_ list: CachedList) {
        cache.replace(list, with: list.rewind { reservations.releaseAll(of: list) })
    }

    /// Ends the drags of tasks that others have taken from a list. Under its lock.
    func endDragsOfGone(from list: CachedList) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            table.remove(from: list.id) { !list.state.list.contains($0) }
        }
    }
}

extension CachedList {
    /// What a list was at a version.
    struct Base: Sendable {
        fileprivate var version: Int
        fileprivate var exists: Bool
        fileprivate var list: ReorderableList
        fileprivate var bytesSinceSnapshot: Int
        fileprivate var snapshotBytes: Int

        fileprivate init(_ state: State) {
            version = state.version
            exists = state.exists
            list = state.list
            bytesSinceSnapshot = state.bytesSinceSnapshot
            snapshotBytes = state.snapshotBytes
        }
    }

    /// Takes the list out of use, and returns the list as it was at a version that is durable, if that is
    /// known.
    fileprivate func rewind(_ release: () -> Void) -> CachedList? {
        withLock { state in
            guard !state.isRetired else { return nil }
            state.isRetired = true
            state.failure = .overtaken
            release()
            let base = state.bases.last { $0.version <= state.durableVersion }
            return base.map { CachedList(id: id, base: $0) }
        }
    }

    private convenience init(id: String, base: Base) {
        self.init(id: id)
        state.isLoaded = true
        state.version = base.version
        state.durableVersion = base.version
        state.readVersion = base.version
        state.exists = base.exists
        state.list = base.list
        state.bytesSinceSnapshot = base.bytesSinceSnapshot
        state.snapshotBytes = base.snapshotBytes
    }
}

extension CachedList.State {
    /// Keeps what the list is now, to go back to where the next version comes too late. Before one is
    /// decided.
    ///
    /// There are two at most: the last one that is durable, and a later one that may become it. So the
    /// way back is never longer than what two commits took in.
    mutating func keepBase() {
        if isDurable {
            bases = [CachedList.Base(self)]
        } else {
            if bases.count == 2, bases[1].version <= durableVersion { bases.removeFirst() }
            if bases.count < 2 { bases.append(CachedList.Base(self)) }
        }
    }
}
