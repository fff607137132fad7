import ReorderStore

/// Writes lists, and removes what is no longer needed, on the one connection that writes and
/// checkpoints.
///
/// Used only within its queue's accesses, one at a time.
final class SQLiteJournalWriter {
    let sql: Statements
    private var recent = ListStateCache(capacity: 16_384)
    /// The journal's last row.
    private(set) var lastChange: Int
    /// The number of the first unused piece.
    var nextPiece: Int
    /// Whether there are valid staged changes, which replace rows of the index of tasks.
    var hasStaging: Bool
    /// The tasks that a large append inserts, while it is being written.
    private var claimed: Set<String> = []
    /// A claimed task that another append has inserted meanwhile.
    private var contested: String?

    init(_ sql: Statements) throws {
        self.sql = sql
        lastChange = try sql.lastChange()
        nextPiece = try Self.nextPiece(sql)
        hasStaging = try sql.value("SELECT EXISTS (SELECT 1 FROM staging)") ?? false
    }

    /// Writes all commits and responses in one transaction, or none.
    ///
    /// - Parameter prepared: the long bodies and staged tasks of a large append.
    func append(
        _ commits: [ListCommit], responses new: [StoredResponse],
        prepared: PreparedAppend = PreparedAppend()
    ) throws {
        let isLarge = prepared.slots != nil || !prepared.bodies.isEmpty
        if isLarge, let contested { throw StoreError.taskTaken(id: contested) }
        var transaction = Transaction(lastChange: lastChange)
        transaction.lists.reserveCapacity(commits.count)
        defer {
            for list in transaction.lists { list.cached.change = nil }
            recent.trim()
        }
        try sql.inTransaction {
            for commit in commits { try write(commit, in: &transaction, prepared) }
            for list in transaction.lists { try writeState(of: list, prepared) }
            try insert(new)
            if isLarge { try validate(prepared) }
        }
        lastChange = transaction.lastChange
        if prepared.slots != nil { hasStaging = true }
        if !isLarge, !claimed.isEmpty {
            contested =
                contested ?? commits.lazy.flatMap(\.insertedTasks).first(where: claimed.contains)
        }
        for list in transaction.lists { list.cached.state = list.now }
    }

    // MARK: Large appends

    /// Records the tasks that a large append is about to insert. If another append inserts one of
    /// them before the large one is valid, the large one fails.
    func claim(_ tasks: Set<String>) {
        claimed = tasks
        contested = nil
    }

    private func validate(_ prepared: PreparedAppend) throws {
        if let slots = prepared.slots {
            var lists: [Int: Int] = [:]
            for (id, slot) in slots { lists[slot] = recent.list(id).change?.now.key }
            try validateStaged(lists)
        }
        for (id, body) in prepared.bodies {
            // A later commit of the append may have replaced the snapshot, or deleted the list.
            guard let list = recent.list(id.list).change,
                id.kind == .change || list.snapshots.contains(where: { $0.version == id.version })
            else { continue }
            try validate(body, id, of: list.now.key)
        }
    }

    // MARK: One commit

    /// The effects of the transaction so far; they become the writer's state when it succeeds.
    private struct Transaction {
        var lists: [ListChange] = []
        var lastChange: Int
    }

    private func write(
        _ commit: ListCommit, in transaction: inout Transaction, _ prepared: PreparedAppend
    ) throws {
        let list = try change(by: commit, in: &transaction)
        guard commit.version == list.now.version + 1 else {
            throw StoreError.conflict(list: commit.list)
        }
        transaction.lastChange += 1
        let id = LongBody.ID(list: commit.list, version: commit.version, kind: .change)
        let long = prepared.bodies[id]
        try sql.execute(
            """
            INSERT INTO journal (change, list, version, previous, at, checksum, body)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, integers: transaction.lastChange, list.now.key, commit.version, list.now.change,
            Int(commit.at), long?.checksum ?? checksum(of: commit.change, version: commit.version),
            body: long == nil ? commit.change : [])
        if commit.version.isMultiple(of: SQLiteSchema.landmarkInterval) {
            try sql.execute(
                "INSERT INTO landmark (list, version, change) VALUES (?, ?, ?)", list.now.key,
                commit.version, transaction.lastChange)
        }
        if let hidden = commit.hiddenVersion(existed: list.now.title != nil) {
            list.hidden = hidden
        }
        if list.now.title == nil, list.now.version > 0 { list.dropSnapshots() }
        list.bin = list.now.title == nil ? nil : commit.binned.map { ($0, commit.at) }
        switch commit.stateAfter {
        case .exists(let title, let count, let open):
            guard list.now.title != nil || commit.snapshot != nil else {
                throw StoreError.conflict(list: commit.list)
            }
            if prepared.slots == nil {
                try deleteTasks(commit.deletedTasks, from: list.now.key)
                try insertTasks(commit.insertedTasks, into: list.now.key)
            }
            list.now.title = title
            list.now.count = count
            list.now.open = open
            if let snapshot = commit.snapshot {
                list.snapshots = list.snapshots.suffix(1)
                list.snapshots.append(StoredSnapshot(version: commit.version, bytes: snapshot))
            }
        case .deleted:
            if prepared.slots == nil { try deleteAllTasks(from: list.now.key) }
            list.now.title = nil
            list.now.count = 0
            list.now.open = nil
            if list.bin == nil { list.dropSnapshots() }
            try sql.execute("DELETE FROM token WHERE list = ?", commit.list)
        }
        list.now.version = commit.version
        list.now.change = transaction.lastChange
    }

    /// The change of the commit's list, which is created if it never existed.
    private func change(
        by commit: ListCommit, in transaction: inout Transaction
    ) throws -> ListChange {
        let cached = recent.list(commit.list)
        if let change = cached.change { return change }
        let state = try cached.state ?? find(commit.list) ?? create(commit)
        let change = ListChange(of: cached, from: state)
        cached.change = change
        transaction.lists.append(change)
        return change
    }

    private func create(_ commit: ListCommit) throws -> ListState {
        guard commit.version == 1 else { throw StoreError.conflict(list: commit.list) }
        let new: Int? = try sql.value(
            "INSERT INTO list (id, count, forgotten, oldest) VALUES (?, 0, 0, ?) RETURNING key",
            commit.list, commit.at)
        guard let key = new else { throw StoreError.conflict(list: commit.list) }
        try sql.execute("INSERT INTO head (list, version, change) VALUES (?, 0, 0)", key)
        return ListState(key: key, version: 0, change: 0, title: nil, count: 0, open: nil)
    }

    private func find(_ id: String) throws -> ListState? {
        try sql.first(
            """
            SELECT list.key, head.version, head.change, list.title, list.count, list.open
            FROM list JOIN head ON head.list = list.key WHERE list.id = ?
            """, id
        ) {
            ListState(
                key: $0[0], version: $0[1], change: $0[2], title: $0[3], count: $0[4], open: $0[5])
        }
    }

    /// Hides the changes of a former list.
    func hide(upTo version: Int, of key: Int) throws {
        try sql.execute("UPDATE list SET hidden = ? WHERE key = ?", version, key)
    }

    /// Puts a deleted list into the bin, or removes it from there.
    func setBin(_ bin: (list: ListCommit.Binned, at: Int64)?, of key: Int) throws {
        try sql.execute(
            "UPDATE list SET bin_title = ?, bin_count = ?, deleted_at = ? WHERE key = ?",
            bin?.list.title, bin?.list.count ?? 0, bin?.at ?? 0, key)
    }

    private func writeState(of list: ListChange, _ prepared: PreparedAppend) throws {
        let (before, now) = (list.before, list.now)
        let updated = try sql.execute(
            "UPDATE head SET version = ?, change = ? WHERE list = ? AND version = ?",
            integers: now.version, now.change, now.key, before.version)
        guard updated == 1 else {
            throw StoreError.corrupt(
                place: "list \(now.key)", reason: "its last version is not \(before.version)")
        }
        if let hidden = list.hidden { try hide(upTo: hidden, of: now.key) }
        if (now.title, now.count, now.open) != (before.title, before.count, before.open) {
            try sql.execute(
                "UPDATE list SET title = ?, count = ?, open = ? WHERE key = ?", now.title,
                now.count, now.open, now.key)
        }
        if list.bin != nil || (before.title == nil && before.version > 0) {
            try setBin(list.bin, of: now.key)
        }
        if list.dropsSnapshots { try removeSnapshots(of: now.key) }
        try write(list.snapshots, of: list, prepared)
    }

    /// Writes snapshots that are newer than the existing ones; the newest two are kept.
    private func write(
        _ snapshots: [StoredSnapshot], of list: ListChange, _ prepared: PreparedAppend
    ) throws {
        guard !snapshots.isEmpty else { return }
        let key = list.now.key
        for snapshot in snapshots {
            let id = LongBody.ID(
                list: list.cached.id, version: snapshot.version, kind: .snapshot)
            let long = prepared.bodies[id]
            try sql.execute(
                "INSERT INTO snapshot (list, version, checksum, body) VALUES (?, ?, ?, ?)", key,
                snapshot.version,
                long?.checksum ?? checksum(of: snapshot.bytes, version: snapshot.version),
                body: long == nil ? snapshot.bytes : [])
        }
        let second: Int? = try sql.value(
            """
            SELECT version FROM snapshot WHERE list = ? ORDER BY version DESC LIMIT 1 OFFSET 1
            """, key)
        guard let second else { return }
        try sql.execute("DELETE FROM snapshot WHERE list = ? AND version < ?", key, second)
        try discard(.snapshot, of: key, before: second)
    }
}

/// What a transaction does to a list, which is written once, even if several commits change it.
final class ListChange {
    let cached: CachedList
    let before: ListState
    @exclusivity(unchecked) var now: ListState
    /// At most the last two.
    var snapshots: [StoredSnapshot] = []
    /// Whether the file's existing snapshots must be deleted.
    var dropsSnapshots = false
    /// The last version that is hidden from now on; nil if the transaction hides nothing.
    var hidden: Int?
    /// The list in the bin after the transaction; nil if it is not in the bin.
    var bin: (list: ListCommit.Binned, at: Int64)?

    init(of cached: CachedList, from state: ListState) {
        self.cached = cached
        (before, now) = (state, state)
    }

    func dropSnapshots() {
        snapshots = []
        dropsSnapshots = true
    }
}

/// The bodies and staged tasks that a large append has written before its last transaction.
struct PreparedAppend {
    /// The bodies that are in pieces.
    var bodies: [LongBody.ID: LongBody] = [:]
    /// The slot of each list that receives staged tasks; nil if no changes of tasks are staged.
    var slots: [String: Int]?
}
