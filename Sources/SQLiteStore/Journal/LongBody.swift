import GRDB
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

/// Reads bodies that are in pieces.
struct LongBodyReader {
    private let findBody: PreparedStatement
    private let findPieces: PreparedStatement

    init(_ database: Database) throws {
        findBody = try PreparedStatement(
            database,
            "SELECT first, last FROM long_body WHERE list = ? AND kind = ? AND version = ?")
        findPieces = try PreparedStatement(
            database, "SELECT body FROM piece WHERE piece BETWEEN ? AND ? ORDER BY piece")
    }

    /// Returns the whole body.
    ///
    /// - Parameters:
    ///   - stored: the content of the body's own column.
    ///   - list: the list's key.
    func whole(
        _ stored: [UInt8], _ kind: LongBody.Kind, of list: Int, version: Int
    ) throws -> [UInt8] {
        guard stored.isEmpty else { return stored }
        try findBody.bind(list, at: 1)
        try findBody.bind(kind.rawValue, at: 2)
        try findBody.bind(version, at: 3)
        defer { findBody.reset() }
        guard try findBody.step() else { return stored }
        try findPieces.bind(findBody.integer(0), at: 1)
        try findPieces.bind(findBody.integer(1), at: 2)
        defer { findPieces.reset() }
        var bytes: [UInt8] = []
        while try findPieces.step() { bytes += findPieces.bytes(0) }
        return bytes
    }
}

/// Writes and discards pieces.
struct LongBodyWriter {
    private let insertPiece: PreparedStatement
    private let insertBody: PreparedStatement
    private let insertDiscarded: PreparedStatement
    private let deleteDiscarded: PreparedStatement
    private let discardBodies: PreparedStatement
    private let deleteBodies: PreparedStatement
    private let findDiscarded: PreparedStatement
    private let deletePieces: PreparedStatement

    init(_ database: Database) throws {
        insertPiece = try PreparedStatement(
            database, "INSERT INTO piece (piece, body) VALUES (?, ?)")
        insertBody = try PreparedStatement(
            database,
            "INSERT INTO long_body (list, kind, version, first, last) VALUES (?, ?, ?, ?, ?)")
        insertDiscarded = try PreparedStatement(
            database, "INSERT INTO discarded (first, last) VALUES (?, ?)")
        deleteDiscarded = try PreparedStatement(
            database, "DELETE FROM discarded WHERE first = ?")
        discardBodies = try PreparedStatement(
            database,
            """
            INSERT INTO discarded (first, last)
            SELECT first, last FROM long_body WHERE list = ? AND kind = ? AND version < ?
            """)
        deleteBodies = try PreparedStatement(
            database, "DELETE FROM long_body WHERE list = ? AND kind = ? AND version < ?")
        findDiscarded = try PreparedStatement(
            database, "SELECT first, last FROM discarded LIMIT 1")
        deletePieces = try PreparedStatement(
            database, "DELETE FROM piece WHERE piece BETWEEN ? AND ?")
    }

    /// The number of the next piece.
    static func nextPiece(_ database: Database) throws -> Int {
        let last = try Int.fetchOne(
            database,
            sql: """
                SELECT max(coalesce((SELECT max(piece) FROM piece), 0),
                    coalesce((SELECT max(last) FROM discarded), 0))
                """)
        return (last ?? 0) + 1
    }

    func insert(_ piece: Int, _ bytes: [UInt8]) throws {
        try insertPiece.bind(piece, at: 1)
        try insertPiece.execute(bytes, at: 2)
    }

    /// - Parameter list: the list's key.
    func insert(_ body: LongBody, _ id: LongBody.ID, of list: Int) throws {
        try insertBody.bind(list, at: 1)
        try insertBody.bind(id.kind.rawValue, at: 2)
        try insertBody.bind(id.version, at: 3)
        try insertBody.bind(body.pieces.lowerBound, at: 4)
        try insertBody.bind(body.pieces.upperBound, at: 5)
        try insertBody.execute()
    }

    /// Marks pieces as discarded. `removePieces` removes them later.
    func discard(_ pieces: ClosedRange<Int>) throws {
        try insertDiscarded.bind(pieces.lowerBound, at: 1)
        try insertDiscarded.bind(pieces.upperBound, at: 2)
        try insertDiscarded.execute()
    }

    /// Unmarks the discarded pieces that begin with this one.
    func keepDiscarded(from first: Int) throws {
        try deleteDiscarded.bind(first, at: 1)
        try deleteDiscarded.execute()
    }

    /// Discards a list's bodies before a version.
    func discard(_ kind: LongBody.Kind, of list: Int, before version: Int) throws {
        for statement in [discardBodies, deleteBodies] {
            try statement.bind(list, at: 1)
            try statement.bind(kind.rawValue, at: 2)
            try statement.bind(version, at: 3)
            try statement.execute()
        }
    }

    /// Removes some of the discarded pieces.
    ///
    /// - Returns: the number of removed pieces; nil if no piece was discarded.
    func removePieces(limit: Int) throws -> Int? {
        let found: (first: Int, last: Int)
        do {
            defer { findDiscarded.reset() }
            guard try findDiscarded.step() else { return nil }
            found = (findDiscarded.integer(0), findDiscarded.integer(1))
        }
        let last = min(found.last, found.first + limit - 1)
        try deletePieces.bind(found.first, at: 1)
        try deletePieces.bind(last, at: 2)
        try deletePieces.execute()
        let count = deletePieces.changedRows
        try keepDiscarded(from: found.first)
        if last < found.last { try discard(last + 1...found.last) }
        return count
    }
}
