import ReorderJSON
import ReorderStore

/// Where a list stands in the store, and where it stood here when that was asked.
struct Standing: Sendable {
    /// `nil` where there never was such a list.
    var stored: ListStanding?
    /// The list in memory then; `nil` where it was not, or was being read.
    var asked: CachedList?
    /// The last version that was durable here then.
    var durableVersion = 0

    var version: Int { stored?.version ?? 0 }

    /// Whether there is no such list, so that there is nothing to be read.
    var isAbsent: Bool { !(stored?.exists ?? false) }

    static func find(
        _ lists: [String], in store: any SharedListStore, _ cache: ListCache
    ) throws(StoreError) -> [String: Standing] {
        var standings: [String: Standing] = [:]
        var questions: [StandingQuestion] = []
        for id in lists {
            var standing = Standing()
            var known: Int?
            if let list = cache.present(id) {
                // One that is being read has its lock taken meanwhile; who else waits must not wait for
                // that.
                list.withLockIfAvailable { state in
                    guard state.isLoaded, !state.isRetired else { return }
                    standing.asked = list
                    standing.durableVersion = state.durableVersion
                    if state.isDurable { known = state.version }
                }
            }
            standings[id] = standing
            questions.append(StandingQuestion(list: id, known: known))
        }
        for (id, stored) in try store.standings(of: questions) { standings[id]?.stored = stored }
        return standings
    }
}

extension Standing {
    /// Why a request can't be decided on a list yet.
    enum Obstacle {
        /// The list has to be read from the store again.
        case stale
        /// What is decided on it here comes too late; that has to be known first.
        case pending
    }

    /// Whether a list in memory is what it was when this was asked, but for what was decided here. It is not if it
    /// was read, or brought further for another request, later. Under its lock.
    ///
    /// Lists of which that holds existed at the same time: all standings of a request are of one moment.
    func covers(_ list: CachedList) -> Bool { list.state.readVersion <= version }

    /// Brings a list in memory to where it stood in the store. Under its lock.
    func bring(_ list: CachedList) -> Obstacle? {
        guard version > list.state.version else {
            // A store that has lost changes is not what this list was made of.
            let hasGoneBack = asked === list && version < durableVersion
            return hasGoneBack ? .stale : nil
        }
        guard list.state.isDurable else { return .pending }
        guard let stored, list.state.catchUp(with: stored) else { return .stale }
        return nil
    }
}

extension CachedList.State {
    /// Applies the changes that others have made.
    ///
    /// - Returns: false where they don't lead there; the list is as it was.
    fileprivate mutating func catchUp(with stored: ListStanding) -> Bool {
        let missing = stored.changes.drop { $0.version <= version }
        guard exists, stored.exists, missing.first?.version == version + 1 else { return false }
        var list = list
        do {
            for change in missing {
                let operations = try ChangeDocument(json: change.bytes).operations
                guard !operations.contains(.replace) else { return false }
                for operation in operations { try list.apply(operation) }
            }
        } catch {
            return false
        }
        if stored.snapshotVersion > version {
            bytesSinceSnapshot = 0
            snapshotBytes = stored.snapshotBytes
        }
        bytesSinceSnapshot += missing.lazy.filter { $0.version > stored.snapshotVersion }
            .reduce(0) { $0 + $1.bytes.count }
        self.list = list
        version = stored.version
        durableVersion = stored.version
        readVersion = stored.version
        return true
    }
}
