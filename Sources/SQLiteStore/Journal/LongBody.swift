import ReorderStore

/// The body of a change or a snapshot that is stored in pieces.
struct LongBody {
    enum Kind: Int {
        case change, snapshot
    }

    /// Identifies a body within one append.
    struct ID: Hashable {
        var list: String
        var version: Int
        var kind: Kind
    }

    /// Its rows in the table `piece`.
    var pieces: ClosedRange<Int>
    /// The checksum of the whole body. It is computed before the last transaction, because other
    /// commits wait for that one.
    var checksum: Int
}

extension Statements {
    /// Returns the whole body.
    ///
    /// - Parameters:
    ///   - stored: the content of the body's own column.
    ///   - list: the list's key.
    func wholeBody(
        _ stored: [UInt8], _ kind: LongBody.Kind, of list: Int, version: Int
    ) throws -> [UInt8] {
        guard stored.isEmpty else { return stored }
        var bytes: [UInt8] = []
        try forEach(
            """
            SELECT body FROM long_body CROSS JOIN piece ON piece BETWEEN first AND last
            WHERE list = ? AND kind = ? AND version = ? ORDER BY piece
            """, list, kind.rawValue, version
        ) {
            bytes += $0[0] as [UInt8]
            return true
        }
        return bytes
    }
}

/// Writes and discards pieces.
extension SQLiteJournalWriter {
    /// The number of the next piece.
    static func nextPiece(_ sql: Statements) throws -> Int {
        let last: Int? = try sql.value(
            """
            SELECT max(coalesce((SELECT max(piece) FROM piece), 0),
                coalesce((SELECT max(last) FROM discarded), 0))
            """)
        return (last ?? 0) + 1
    }

    /// Writes a piece of a body in one transaction.
    ///
    /// - Parameter all: all pieces of the append. When the first one is written, all of them are
    ///   marked as discarded, until the append is valid.
    func write(_ piece: Int, _ bytes: [UInt8], of all: ClosedRange<Int>) throws {
        try sql.inTransaction {
            if piece == all.lowerBound { try discard(all) }
            try sql.execute("INSERT INTO piece (piece, body) VALUES (?, ?)", piece, body: bytes)
        }
        nextPiece = all.upperBound + 1
    }

    /// - Parameter list: the list's key.
    func insert(_ body: LongBody, _ id: LongBody.ID, of list: Int) throws {
        try sql.execute(
            "INSERT INTO long_body (list, kind, version, first, last) VALUES (?, ?, ?, ?, ?)",
            list, id.kind.rawValue, id.version, body.pieces.lowerBound, body.pieces.upperBound)
    }

    /// Marks pieces as discarded. `removePieces` removes them later.
    func discard(_ pieces: ClosedRange<Int>) throws {
        try sql.execute(
            "INSERT INTO discarded (first, last) VALUES (?, ?)", pieces.lowerBound,
            pieces.upperBound)
    }

    /// Unmarks the discarded pieces that begin with this one.
    func keepDiscarded(from first: Int) throws {
        try sql.execute("DELETE FROM discarded WHERE first = ?", first)
    }

    /// Discards a list's bodies before a version.
    func discard(_ kind: LongBody.Kind, of list: Int, before version: Int) throws {
        try sql.execute(
            """
            INSERT INTO discarded (first, last)
            SELECT first, last FROM long_body WHERE list = ? AND kind = ? AND version < ?
            """, list, kind.rawValue, version)
        try sql.execute(
            "DELETE FROM long_body WHERE list = ? AND kind = ? AND version < ?", list,
            kind.rawValue, version)
    }

    /// Removes some of the discarded pieces.
    ///
    /// - Returns: the number of removed pieces; nil if no piece was discarded.
    func removePieces(limit: Int) throws -> Int? {
        let found = try sql.first("SELECT first, last FROM discarded LIMIT 1") {
            (first: $0[0] as Int, last: $0[1] as Int)
        }
        guard let found else { return nil }
        let last = min(found.last, found.first + limit - 1)
        let count = try sql.execute(
            "DELETE FROM piece WHERE piece BETWEEN ? AND ?", found.first, last)
        try keepDiscarded(from: found.first)
        if last < found.last { try discard(last + 1...found.last) }
        return count
    }
}
