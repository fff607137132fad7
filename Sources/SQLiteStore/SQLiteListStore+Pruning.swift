import ReorderStore

extension SQLiteListStore {
    /// A pruning pass.
    struct PruningPass {
        /// The progress of the scan: the key of a list, or nil before the first.
        var cursor: Int?
        /// The changes to prune next, in the order of rows.
        var found: ArraySlice<PrunableChange> = []
        var time = Int64.min
        var future = Int64.max
        var keepingLast = Int.max

        /// Whether the found changes may also be pruned under these limits.
        func isFor(_ time: Int64, _ future: Int64, _ keepingLast: Int) -> Bool {
            // Changes that were from the future during the scan may be pruned even if that time has
            // come.
            found.isEmpty
                || (self.time <= time && self.keepingLast >= keepingLast
                    && (future < .max || self.future == .max))
        }
    }

    package func pruneChanges(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int, limit: Int
    ) throws(StoreError) -> Bool {
        let goesOn = try pruning.withLock { pass throws(StoreError) in
            if !pass.isFor(time, future, keepingLast) { pass = PruningPass() }
            if pass.found.isEmpty {
                try scan(olderThan: time, orFrom: future, keepingLast: keepingLast, &pass)
            }
            let piece = pass.found.prefix(limit)
            if !piece.isEmpty { pass.found.removeFirst(try prune(piece)) }
            return !pass.found.isEmpty || pass.cursor != nil
        }
        if !goesOn {
            var stepsLeft = Self.tidyStepsAfterPass
            try tidy {
                stepsLeft -= 1
                return stepsLeft >= 0
            }
        }
        return goesOn
    }

    package func pruneBin(deletedBefore time: Int64, limit: Int) throws(StoreError) -> Bool {
        guard try read({ try $0.hasList(deletedBefore: time) }) else { return false }
        var hasMore = false
        try write(needing: .removal) {
            hasMore = try $0.pruneBin(deletedBefore: time, limit: limit)
        }
        return hasMore
    }

    /// Removes changes, fewer of them if the disk is full: what a transaction removes needs space in
    /// the log first.
    ///
    /// - Returns: the number of changes that were removed, from the first.
    private func prune(_ piece: ArraySlice<PrunableChange>) throws(StoreError) -> Int {
        do throws(StoreError) {
            try write(needing: .removal) { try $0.prune(piece) }
            return piece.count
        } catch {
            guard case .unavailable = error, piece.count > 1 else { throw error }
            return try prune(piece.prefix(piece.count / 2))
        }
    }

    /// Bounds the work of a call.
    private static let tidyStepsAfterPass = 64

    /// Scans with a reader, so that commits wait only while changes are removed.
    private func scan(
        olderThan time: Int64, orFrom future: Int64, keepingLast: Int,
        _ pass: inout PruningPass
    ) throws(StoreError) {
        var cursor = pass.cursor
        pass.time = time
        pass.future = future
        pass.keepingLast = keepingLast
        do throws(StoreError) {
            pass.found = try read {
                try $0.prunableChanges(
                    before: Int(time), orFrom: Int(future), keepingLast: keepingLast,
                    after: &cursor)[...]
            }
        } catch {
            if case .corrupt = error { pass.cursor = cursor }
            throw error
        }
        pass.cursor = cursor
    }
}
