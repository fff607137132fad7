import ReorderStore

/// The part of the stored state that the commits of a large append depend on.
private struct StoredState: StateBeforeCommits {
    var lists: [String: CommitAdmission.Last] = [:]
    var holders: [String: String] = [:]

    func last(of list: String) -> CommitAdmission.Last {
        lists[list] ?? .init(version: 0, exists: false)
    }

    func holder(of task: String) -> String? { holders[task] }
}

/// An append with a large commit is written in many small transactions. Other appends can write
/// between them. The last transaction makes the append valid.
///
/// The lists of the append do not change meanwhile, because concurrent appends are for other lists.
/// But a concurrent append may insert a task that this append also inserts: see
/// `SQLiteJournalWriter.claim`.
extension SQLiteListStore {
    func appendLarge(
        _ commits: [ListCommit], responses: [StoredResponse], _ need: SpaceNeed,
        beforeVisible: () -> Void
    ) throws(StoreError) {
        try isAppendingLarge.withLock { _ throws(StoreError) in
            // Empties the staging area, because all large appends share it.
            try tidyStepwise { true }
            let inserted = Set(commits.lazy.flatMap(\.insertedTasks))
            try withWriter { $0.claim(inserted) }
            do throws(StoreError) {
                var prepared = PreparedAppend()
                try stage(commits, need, &prepared)
                try writePieces(of: commits, need, &prepared)
                beforeVisible()
                try write(needing: need) { journal in
                    try journal.append(commits, responses: responses, prepared: prepared)
                    mark.advance(to: journal.lastChange)
                }
            } catch {
                try withWriter { $0.claim([]) }
                throw error
            }
            try withWriter { $0.claim([]) }
            onStep(LargeStep(kind: .validate))
        }
    }

    /// Writes the net changes of the index of tasks, in the order of ids, if they are too many for the last transaction.
    /// In memory are only the ids, and the list of each task.
    private func stage(
        _ commits: [ListCommit], _ need: SpaceNeed, _ prepared: inout PreparedAppend
    ) throws(StoreError) {
        let (stored, ids) = try storedState(before: commits)
        var admission = CommitAdmission()
        for commit in commits { try admission.admit(commit, to: stored) }
        let changed = ids.filter {
            stored.holders[$0] != admission.currentHolder(of: $0, in: stored)
        }
        guard changed.count > steps.rows else { return }
        var slots: [String: Int] = [:]
        for part in changed.parts(of: steps.rows) {
            let staged = part.map { id in
                guard let list = admission.currentHolder(of: id, in: stored) else {
                    return StagedTask(id: id, slot: StagedTask.removed)
                }
                let slot = slots[list] ?? StagedTask.removed + 1 + slots.count
                slots[list] = slot
                return StagedTask(id: id, slot: slot)
            }
            try write(needing: need) { try $0.stage(staged) }
            onStep(LargeStep(kind: .stage, rows: staged.count))
        }
        prepared.slots = slots
    }

    /// The state that the commits depend on, and the ids of all tasks that they may change, ascending.
    private func storedState(
        before commits: [ListCommit]
    ) throws(StoreError) -> (StoredState, ids: [String]) {
        var stored = StoredState()
        var ids = (commits.flatMap(\.insertedTasks) + commits.flatMap(\.deletedTasks))
            .sortedWithoutRepetition()
        for part in ids.parts(of: steps.rows) {
            let holders = try read { try $0.holders(of: Array(part)) }
            stored.holders.merge(holders) { $1 }
        }
        for commit in commits {
            stored.lists[commit.list] = try read { try $0.last(of: commit.list) }
            guard commit.stateAfter == .deleted else { continue }
            let count = try read { try $0.count(of: commit.list) }
            stored.holders.reserveCapacity(stored.holders.count + count)
            var after = ""
            while true {
                let more = try read {
                    try $0.tasks(of: commit.list, after: after, limit: steps.rows)
                }
                for id in more { stored.holders[id] = commit.list }
                ids += more
                guard let end = more.last else { break }
                after = end
            }
        }
        if commits.contains(where: { $0.stateAfter == .deleted }) {
            ids = ids.sortedWithoutRepetition()
        }
        return (stored, ids)
    }

    /// Writes the bodies that are too long for the last transaction.
    private func writePieces(
        of commits: [ListCommit], _ need: SpaceNeed, _ prepared: inout PreparedAppend
    ) throws(StoreError) {
        var bodies: [(id: LongBody.ID, bytes: [UInt8])] = []
        for commit in commits {
            for (kind, bytes) in [
                (LongBody.Kind.change, commit.change), (.snapshot, commit.snapshot ?? []),
            ]
            where bytes.count > steps.bytes {
                bodies.append(
                    (.init(list: commit.list, version: commit.version, kind: kind), bytes))
            }
        }
        var piece = try withWriter { $0.nextPiece }
        for (id, bytes) in bodies {
            let count = (bytes.count + steps.bytes - 1) / steps.bytes
            let body = LongBody(
                pieces: piece...piece + count - 1,
                checksum: checksum(of: bytes, version: id.version))
            prepared.bodies[id] = body
            for part in bytes.parts(of: steps.bytes) {
                try write(needing: need) { try $0.write(piece, Array(part), of: body) }
                piece += 1
                onStep(LargeStep(kind: .piece, bytes: part.count))
            }
        }
    }

    // MARK: Tidying

    package func tidy(while goesOn: () -> Bool) throws(StoreError) {
        try isAppendingLarge.withLockIfAvailable { _ throws(StoreError) in
            try tidyStepwise(while: goesOn)
        }
    }

    private func tidyStepwise(while goesOn: () -> Bool) throws(StoreError) {
        while goesOn() {
            var step: LargeStep?
            guard try withWriter({ try $0.hasLeftovers() }) else { return }
            try write(needing: .removal) { step = try $0.tidy(steps) }
            if let step { onStep(step) }
        }
    }
}

extension Array {
    /// Successive parts of at most this number of elements.
    fileprivate func parts(of maximum: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: maximum).lazy.map { start in
            self[start..<Swift.min(start + maximum, count)]
        }
    }
}
