import GRDB
import ReorderStore

/// Removes what is no longer needed.
extension SQLiteJournalWriter {
    /// Prunes changes in one transaction, all or none.
    func prune(_ changes: ArraySlice<PrunableChange>, in database: Database) throws {
        try inTransaction(on: database) { try history.remove(changes, bodies) }
    }

    /// Removes expired responses in one transaction.
    ///
    /// - Returns: whether there may be more.
    func removeResponses(
        expiredAt time: Int, limit: Int, in database: Database
    ) throws -> Bool {
        var hasMore = false
        try inTransaction(on: database) {
            hasMore = try responses.remove(expiredAt: time, limit: limit)
        }
        return hasMore
    }

    /// Removes lists from the bin in one transaction.
    ///
    /// - Returns: whether there may be more.
    func pruneBin(deletedBefore time: Int, limit: Int, in database: Database) throws -> Bool {
        var count = 0
        try inTransaction(on: database) {
            for list in try bin.lists(deletedBefore: time, limit: limit) {
                try removeSnapshots(of: list.key)
                try hide(upTo: list.version - 1, of: list.key)
                try bin.remove(list.id)
                count += 1
            }
        }
        return count == limit
    }

    /// Removes a list's snapshots; long ones step by step, when the store is tidied.
    func removeSnapshots(of list: Int) throws {
        try snapshots.deleteAll(of: list)
        try bodies.discard(.snapshot, of: list, before: .max)
    }

    func hasLeftovers() throws -> Bool {
        defer { findLeftovers.reset() }
        return try findLeftovers.step() && findLeftovers.integer(0) != 0
    }

    /// Does some of the work that large appends and removals have left, in one transaction.
    func tidy(_ limits: StepLimits, in database: Database) throws -> LargeStep? {
        var step: LargeStep?
        var endsStaging = false
        try inTransaction(on: database) {
            if let count = try staging.merge(isValid: tasks.hasStaging, limit: limits.rows) {
                step = LargeStep(kind: .merge, rows: count)
            } else if tasks.hasStaging {
                try staging.end()
                endsStaging = true
            } else if let count = try bodies.removePieces(limit: 1) {
                step = LargeStep(kind: .remove, bytes: count * limits.bytes)
            }
        }
        if endsStaging { tasks.hasStaging = false }
        return step
    }
}
