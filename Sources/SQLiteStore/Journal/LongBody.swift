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
                coalesce((SELECT max(last) FROM long_body WHERE list = 0), 0))
            """)
        return (last ?? 0) + 1
    }

    /// Writes a piece of a body in one transaction. The body is discarded until the append is valid.
    func write(_ piece: Int, _ bytes: [UInt8], of body: LongBody) throws {
        let (first, last) = (body.pieces.lowerBound, body.pieces.upperBound)
        try sql.inTransaction {
            if piece == first {
                try sql.execute(
                    """
                    INSERT INTO long_body (list, kind, version, first, last)
                    VALUES (0, 0, ?1, ?1, ?2)
                    """, first, last)
            }
            try sql.execute("INSERT INTO piece (piece, body) VALUES (?, ?)", piece, body: bytes)
        }
        nextPiece = last + 1
    }

    /// - Parameter list: the list's key.
    func validate(_ body: LongBody, _ id: LongBody.ID, of list: Int) throws {
        let count = try sql.execute(
            """
            UPDATE long_body SET list = ?, kind = ?, version = ?
            WHERE list = 0 AND kind = 0 AND version = ?
            """, list, id.kind.rawValue, id.version, body.pieces.lowerBound)
        guard count == 1 else {
            throw StoreError.corrupt(
                place: "list number \(list)", reason: "the pieces of version \(id.version) are gone"
            )
        }
    }

    /// Discards a list's bodies before a version. `removePiece` removes their pieces later.
    func discard(_ kind: LongBody.Kind, of list: Int, before version: Int) throws {
        try sql.execute(
            """
            UPDATE long_body SET list = 0, kind = 0, version = first
            WHERE list = ? AND kind = ? AND version < ?
            """, list, kind.rawValue, version)
    }

    /// Removes a piece of a discarded body.
    ///
    /// - Returns: false if no body is discarded.
    func removePiece() throws -> Bool {
        let found = try sql.first("SELECT first, last FROM long_body WHERE list = 0 LIMIT 1") {
            (first: $0[0] as Int, last: $0[1] as Int)
        }
        guard let (first, last) = found else { return false }
        try sql.execute("DELETE FROM piece WHERE piece = ?", first)
        if first < last {
            try sql.execute(
                "UPDATE long_body SET version = ?1 + 1, first = ?1 + 1 WHERE list = 0 AND version = ?1",
                first)
        } else {
            try sql.execute("DELETE FROM long_body WHERE list = 0 AND version = ?", first)
        }
        return true
    }
}
