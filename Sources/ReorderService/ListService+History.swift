import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Reads the last changes of a list before a version, with the titles that its tasks had then.
    ///
    /// Changes do not contain these titles. They are taken from the list's states before and after
    /// each change, which are computed from the stored snapshots. That costs as much as an undo, and
    /// counts as one. For changes before the snapshots, they are those of the current list.
    ///
    /// - Parameters:
    ///   - version: nil means from the last change.
    ///   - oldest: returns only changes after this version.
    ///   - limit: the maximum number of changes, at least 1.
    package func history(
        of list: String, before version: Int?, after oldest: Int = 0, limit: Int,
        _ done: @escaping Completion<ListHistory>
    ) {
        find(
            list,
            continuing(done) { [self] snapshot throws(ServiceError) in
                guard snapshot.version > 0 else { throw .listNotFound(list) }
                let permit = try undos.admit(list, isRead: true)
                undos.run(
                    of: list,
                    { page in
                        permit.end()
                        done(page)
                    }
                ) { [self] () throws(ServiceError) in
                    try page(
                        of: snapshot, before: version ?? snapshot.version + 1, after: oldest,
                        limit: limit)
                }
            })
    }

    private func page(
        of current: Snapshot, before version: Int, after oldest: Int, limit: Int
    ) throws(ServiceError) -> ListHistory {
        let list = current.id
        guard version <= current.version + 1 else {
            throw .historyGone(at: version, version: current.version)
        }
        let last = version - 1
        do {
            // Changes that are pruned after this are missing in the page.
            let pruned = max(oldest, try store.prunedVersion(of: list))
            let first = max(pruned, last - limit)
            var page = ListHistory(version: current.version, changes: [], hasMore: first > pruned)
            guard first < last else { return page }
            var past = try PastList(of: list, at: Array(first...last), from: store)
            var next = first
            while next < last {
                guard undos.mayContinue else { throw ServiceError.unavailable }
                let count = min(Self.changesAtOnce, last - next)
                let changes = try store.changes(of: list, after: next, limit: count)
                for stored in changes ?? [] {
                    page.changes.append(
                        try pastChange(stored, &past, current.exists ? current.list.list : nil))
                }
                next += count
            }
            page.changes.reverse()
            return page
        } catch let error as ServiceError {
            throw error
        } catch let error as StoreError {
            throw durable.failure(error, list: list)
        } catch {
            logger.error(
                "the history of list \(list) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
    }

    /// Some changes are as large as a list.
    private static var changesAtOnce: Int { 8 }

    private func pastChange(
        _ stored: StoredChange, _ past: inout PastList?, _ current: ReorderableList?
    ) throws -> HistoryEntry {
        var change = try ChangeDocument(json: stored.bytes)
        let operations = change.operations
        change.operations = []
        let before = try past?.list(at: stored.version - 1)
        // A deletion leaves no state.
        let after = change.kind == .deleted ? nil : try past?.list(at: stored.version)
        let mayUndo =
            before != nil && change.transfer == nil && !operations.contains(.replace)
            && operations.count <= limits.undos.operations
        let steps = operations.prefix(HistoryEntry.maximumSteps).map {
            ChangeStep($0, before: before, after: after, current: current)
        }
        return HistoryEntry(
            change: change, count: operations.count, steps: steps, mayUndo: mayUndo)
    }
}
