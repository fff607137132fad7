import GRDB
import ReorderStore

/// Reads the journal in the order of its rows. A change's row is its position.
struct SQLitePositionReader {
    private let findChanges: PreparedStatement
    private let findLast: PreparedStatement
    private let findHeads: PreparedStatement

    init(_ database: Database) throws {
        findChanges = try PreparedStatement(
            database,
            """
            SELECT journal.change, journal.list, list.id, journal.version, journal.body,
                journal.checksum, list.hidden
            FROM journal JOIN list ON list.key = journal.list
            WHERE journal.change > ? ORDER BY journal.change LIMIT ?
            """)
        findLast = try PreparedStatement(database, "SELECT max(change) FROM journal")
        findHeads = try PreparedStatement(
            database,
            """
            SELECT list.id, head.version, list.title IS NOT NULL, head.change
            FROM list JOIN head ON head.list = list.key
            WHERE list.id > ? ORDER BY list.id LIMIT ?
            """)
    }

    func lastPosition() throws -> Int {
        defer { findLast.reset() }
        return try findLast.step() ? findLast.integer(0) : 0
    }

    func entries(
        after position: Int, limit: Int, _ bodies: LongBodyReader
    ) throws -> [JournalEntry]? {
        try findChanges.bind(position, at: 1)
        try findChanges.bind(limit, at: 2)
        defer { findChanges.reset() }
        var entries: [JournalEntry] = []
        while try findChanges.step() {
            entries.append(entry(bodies))
        }
        return try entries.withoutGap(after: position, last: lastPosition())
    }

    /// The change that was found. A change that can't be read keeps no other list's changes from readers.
    private func entry(_ bodies: LongBodyReader) -> JournalEntry {
        let (list, version) = (findChanges.text(2), findChanges.integer(3))
        var entry = JournalEntry(
            position: findChanges.integer(0), list: list,
            change: StoredChange(version: version, bytes: []))
        guard version > findChanges.integer(6) else { return entry }
        let bytes = try? bodies.whole(
            findChanges.bytes(4), .change, of: findChanges.integer(1), version: version)
        if let bytes, checksum(of: bytes, version: version) == findChanges.integer(5) {
            entry.change.bytes = bytes
        } else {
            entry.isUnreadable = true
        }
        return entry
    }

    func heads(after list: String?, limit: Int) throws -> [ListHead] {
        try findHeads.bind(list ?? "", at: 1)
        try findHeads.bind(limit, at: 2)
        defer { findHeads.reset() }
        var heads: [ListHead] = []
        while try findHeads.step() {
            heads.append(
                ListHead(
                    list: findHeads.text(0), version: findHeads.integer(1),
                    exists: findHeads.integer(2) != 0, position: findHeads.integer(3)))
        }
        return heads
    }
}
