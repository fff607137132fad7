import GRDB
import ReorderStore

/// The prepared statements of the one connection that writes and checkpoints.
///
/// Used only within its queue's accesses, one at a time.
final class SQLiteJournalWriter {
    // Prepared too: GRDB would parse its own statements again for each transaction, which costs as
    // much as writing some rows.
    private let begin: PreparedStatement
    private let commit: PreparedStatement
    private let findList: PreparedStatement
    private let insertList: PreparedStatement
    private let insertHead: PreparedStatement
    private let updateList: PreparedStatement
    private let updateHead: PreparedStatement
    private let hideChanges: PreparedStatement
    private let insertChange: PreparedStatement
    private let insertLandmark: PreparedStatement
    let snapshots: SnapshotWriter
    let tasks: TaskWriter
    let staging: StagingWriter
    let bodies: LongBodyWriter
    let findLeftovers: PreparedStatement
    let history: SQLiteHistoryWriter
    let responses: StoredResponseWriter
    let bin: BinWriter
    let tokens: TokenWriter

    private var recent = ListStateCache(capacity: 16_384)
    /// The journal's last row.
    private(set) var lastChange: Int
    /// The number of the first unused piece.
    private(set) var nextPiece: Int
    /// The tasks that a large append inserts, while it is being written.
    private var claimed: Set<String> = []
    /// A claimed task that another append has inserted meanwhile.
    private var contested: String?

    init(_ database: Database) throws {
        begin = try PreparedStatement(database, "BEGIN IMMEDIATE")
        commit = try PreparedStatement(database, "COMMIT")
        findList = try PreparedStatement(
            database,
            """
            SELECT list.key, head.version, head.change, list.title, list.count, list.open
            FROM list JOIN head ON head.list = list.key WHERE list.id = ?
            """)
        insertList = try PreparedStatement(
            database,

            """
            INSERT INTO list (id, count, forgotten, oldest) VALUES (?, 0, 0, ?) RETURNING key
            """)
        insertHead = try PreparedStatement(
            database, "INSERT INTO head (list, version, change) VALUES (?, 0, 0)")
        updateList = try PreparedStatement(
            database, "UPDATE list SET title = ?2, count = ?3, open = ?4 WHERE key = ?1")
        updateHead = try PreparedStatement(
            database,
            "UPDATE head SET version = ?2, change = ?3 WHERE list = ?1 AND version = ?4")
        hideChanges = try PreparedStatement(database, "UPDATE list SET hidden = ?2 WHERE key = ?1")
        insertChange = try PreparedStatement(
            database,
            """
            INSERT INTO journal (change, list, version, previous, at, checksum, body)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        insertLandmark = try PreparedStatement(
            database, "INSERT INTO landmark (list, version, change) VALUES (?, ?, ?)")
        snapshots = try SnapshotWriter(database)
        tasks = try TaskWriter(database)
        staging = try StagingWriter(database)
        bodies = try LongBodyWriter(database)
        findLeftovers = try PreparedStatement(
            database,
            """
            SELECT EXISTS (SELECT 1 FROM staging) OR EXISTS (SELECT 1 FROM staged_task)
                OR EXISTS (SELECT 1 FROM discarded)
            """)
        nextPiece = try LongBodyWriter.nextPiece(database)
        history = try SQLiteHistoryWriter(database)
        responses = try StoredResponseWriter(database)
        bin = try BinWriter(database)
        tokens = try TokenWriter(database)
        lastChange = try Int.fetchOne(database, sql: "SELECT max(change) FROM journal") ?? 0
    }

    /// Writes all commits and responses in one transaction, or none.
    ///
    /// - Parameter prepared: the pieces and staged tasks of a large append.
    func append(
        _ commits: [ListCommit], responses new: [StoredResponse],
        prepared: PreparedAppend = PreparedAppend(), to database: Database
    ) throws {
        let isLarge = prepared.slots != nil || prepared.pieces != nil
        if isLarge, let contested { throw StoreError.taskTaken(id: contested) }
        var batch = Batch(lastChange: lastChange)
        batch.lists.reserveCapacity(commits.count)
        try inTransaction(on: database) {
            for commit in commits {
                try write(commit, in: &batch, prepared)
            }
            for list in batch.lists.values {
                try writeState(of: list, prepared)
            }
            try responses.insert(new)
            if isLarge { try validate(prepared, batch) }
        }
        lastChange = batch.lastChange
        if prepared.slots != nil { tasks.hasStaging = true }
        if !isLarge, !claimed.isEmpty {
            contested =
                contested ?? commits.lazy.flatMap(\.insertedTasks).first(where: claimed.contains)
        }
        for (id, list) in batch.lists {
            recent.remember(list.now, of: id)
        }
    }

    // MARK: Large appends

    /// Records the tasks that a large append is about to insert. If another append inserts one of
    /// them before the large one is valid, the large one fails.
    func claim(_ tasks: Set<String>) {
        claimed = tasks
        contested = nil
    }

    /// Writes changes of the index of tasks in one transaction. The changes are not valid yet.
    func stage(_ changes: ArraySlice<StagedTask>, in database: Database) throws {
        try inTransaction(on: database) { try staging.insert(changes) }
    }

    /// Writes a piece of a body in one transaction.
    ///
    /// - Parameter all: all pieces of the append. When the first one is written, all of them are
    ///   marked as discarded, until the append is valid.
    func write(
        _ piece: Int, _ bytes: [UInt8], of all: ClosedRange<Int>, in database: Database
    ) throws {
        try inTransaction(on: database) {
            if piece == all.lowerBound { try bodies.discard(all) }
            try bodies.insert(piece, bytes)
        }
        nextPiece = all.upperBound + 1
    }

    private func validate(_ prepared: PreparedAppend, _ batch: Batch) throws {
        if let slots = prepared.slots {
            var lists: [Int: Int] = [:]
            for (id, slot) in slots { lists[slot] = batch.lists[id]?.now.key }
            try staging.validate(lists)
        }
        if let pieces = prepared.pieces { try bodies.keepDiscarded(from: pieces.lowerBound) }
        for (id, body) in prepared.bodies {
            guard let list = batch.lists[id.list] else { continue }
            if id.kind == .change || list.snapshots.contains(where: { $0.version == id.version }) {
                try bodies.insert(body, id, of: list.now.key)
            } else {
                // A later commit of the append has replaced the snapshot, or deleted the list.
                try bodies.discard(body.pieces)
            }
        }
    }

    func inTransaction(on database: Database, _ body: () throws -> Void) throws {
        if database.isInsideTransaction {
            // An earlier rollback failed too.
            try database.rollback()
        }
        try begin.execute()
        do {
            try body()
            try commit.execute()
        } catch {
            // SQLite may have rolled back already. If it can't roll back now, the next call tries
            // again.
            try? database.rollback()
            throw error
        }
    }

    // MARK: One commit

    /// The effects of the transaction so far; they become the writer's state when it succeeds.
    private struct Batch {
        var lists: [String: BatchedList] = [:]
        var lastChange: Int
    }

    /// A list is written once per transaction, even if several of its commits change it.
    private struct BatchedList {
        let id: String
        let before: ListState
        var now: ListState
        /// At most the last two.
        var snapshots: [StoredSnapshot] = []
        /// Whether the file's existing snapshots must be deleted.
        var dropsSnapshots = false
        /// The last version that is hidden from now on; nil if the transaction hides nothing.
        var hidden: Int?
        /// The list's row in the bin after the transaction; nil if it is not in the bin.
        var bin: (list: ListCommit.Binned, at: Int64)?

        mutating func dropSnapshots() {
            snapshots = []
            dropsSnapshots = true
        }
    }

    private func write(
        _ commit: ListCommit, in batch: inout Batch, _ prepared: PreparedAppend
    ) throws {
        var list = try batch.lists[commit.list] ?? current(commit)
        guard commit.version == list.now.version + 1 else {
            throw StoreError.conflict(list: commit.list)
        }
        batch.lastChange += 1
        try insertChange.bind(batch.lastChange, at: 1)
        try insertChange.bind(list.now.key, at: 2)
        try insertChange.bind(commit.version, at: 3)
        try insertChange.bind(list.now.change, at: 4)
        try insertChange.bind(Int(commit.at), at: 5)
        let id = LongBody.ID(list: commit.list, version: commit.version, kind: .change)
        let long = prepared.bodies[id]
        let checksum = long?.checksum ?? checksum(of: commit.change, version: commit.version)
        try insertChange.bind(checksum, at: 6)
        try insertChange.execute(long == nil ? commit.change : [], at: 7)
        if commit.version.isMultiple(of: SQLiteSchema.landmarkInterval) {
            try insertLandmark.bind(list.now.key, at: 1)
            try insertLandmark.bind(commit.version, at: 2)
            try insertLandmark.bind(batch.lastChange, at: 3)
            try insertLandmark.execute()
        }
        if let hidden = commit.hiddenVersion(existed: list.now.title != nil) {
            list.hidden = hidden
        }
        if list.now.title == nil, list.now.version > 0 { list.dropSnapshots() }
        list.bin = list.now.title == nil ? nil : commit.binned.map { ($0, commit.at) }
        switch commit.outcome {
        case .exists(let title, let count, let open):
            guard list.now.title != nil || commit.snapshot != nil else {
                throw StoreError.conflict(list: commit.list)
            }
            if prepared.slots == nil {
                try tasks.delete(commit.deletedTasks, from: list.now.key)
                try tasks.insert(commit.insertedTasks, into: list.now.key)
            }
            list.now.title = title
            list.now.count = count
            list.now.open = open
            if let snapshot = commit.snapshot {
                list.snapshots = list.snapshots.suffix(1)
                list.snapshots.append(StoredSnapshot(version: commit.version, bytes: snapshot))
            }
        case .deleted:
            if prepared.slots == nil { try tasks.deleteAll(from: list.now.key) }
            list.now.title = nil
            list.now.count = 0
            list.now.open = nil
            if list.bin == nil { list.dropSnapshots() }
            try tokens.removeAll(of: commit.list)
        }
        list.now.version = commit.version
        list.now.change = batch.lastChange
        batch.lists[commit.list] = list
    }

    /// The list as the transaction finds it; created if it never existed.
    private func current(_ commit: ListCommit) throws -> BatchedList {
        if let state = try recent[commit.list] ?? find(commit.list) {
            return BatchedList(id: commit.list, before: state, now: state)
        }
        guard commit.version == 1 else { throw StoreError.conflict(list: commit.list) }
        try insertList.bind(commit.list, at: 1)
        try insertList.bind(Int(commit.at), at: 2)
        defer { insertList.reset() }
        guard try insertList.step() else { throw StoreError.conflict(list: commit.list) }
        let key = insertList.integer(0)
        try insertHead.bind(key, at: 1)
        try insertHead.execute()
        let state = ListState(key: key, version: 0, change: 0, title: nil, count: 0, open: nil)
        return BatchedList(id: commit.list, before: state, now: state)
    }

    private func find(_ id: String) throws -> ListState? {
        try findList.bind(id, at: 1)
        defer { findList.reset() }
        guard try findList.step() else { return nil }
        return ListState(
            key: findList.integer(0), version: findList.integer(1), change: findList.integer(2),
            title: findList.isNull(3) ? nil : findList.text(3), count: findList.integer(4),
            open: findList.isNull(5) ? nil : findList.integer(5))
    }

    /// Hides the changes of a former list.
    func hide(upTo version: Int, of key: Int) throws {
        try hideChanges.bind(key, at: 1)
        try hideChanges.bind(version, at: 2)
        try hideChanges.execute()
    }

    private func writeState(of list: BatchedList, _ prepared: PreparedAppend) throws {
        let (before, now) = (list.before, list.now)
        try updateHead.bind(now.key, at: 1)
        try updateHead.bind(now.version, at: 2)
        try updateHead.bind(now.change, at: 3)
        try updateHead.bind(before.version, at: 4)
        try updateHead.execute()
        guard updateHead.changedRows == 1 else {
            throw StoreError.corrupt(
                place: "list \(now.key)", reason: "its last version is not \(before.version)")
        }
        if let hidden = list.hidden { try hide(upTo: hidden, of: now.key) }
        if (now.title, now.count, now.open) != (before.title, before.count, before.open) {
            try updateList.bind(now.key, at: 1)
            try updateList.bind(now.title, at: 2)
            try updateList.bind(now.count, at: 3)
            try updateList.bind(now.open, at: 4)
            try updateList.execute()
        }
        if before.title == nil, before.version > 0 { try bin.remove(list.id) }
        if let (content, at) = list.bin { try bin.insert(list.id, content, at: at) }
        if list.dropsSnapshots {
            try removeSnapshots(of: now.key)
        }
        guard !list.snapshots.isEmpty else { return }
        try snapshots.write(list.snapshots, of: now.key) { version in
            prepared.bodies[LongBody.ID(list: list.id, version: version, kind: .snapshot)]
        }
        try bodies.discard(
            .snapshot, of: now.key, before: try snapshots.firstVersion(of: now.key))
    }
}
