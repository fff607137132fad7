import GRDB
import ReorderStore

/// Puts deleted lists into the bin, and removes them.
struct BinWriter {
    private let insertList: PreparedStatement
    private let deleteList: PreparedStatement
    private let findOld: PreparedStatement

    init(_ database: Database) throws {
        insertList = try PreparedStatement(
            database, "INSERT INTO bin (id, title, count, at) VALUES (?, ?, ?, ?)")
        deleteList = try PreparedStatement(database, "DELETE FROM bin WHERE id = ?")
        findOld = try PreparedStatement(
            database,
            """
            SELECT bin.id, list.key, head.version
            FROM bin CROSS JOIN list ON list.id = bin.id JOIN head ON head.list = list.key
            WHERE bin.at < ? ORDER BY bin.at LIMIT ?
            """)
    }

    func insert(_ id: String, _ list: ListCommit.Binned, at time: Int64) throws {
        try insertList.bind(id, at: 1)
        try insertList.bind(list.title, at: 2)
        try insertList.bind(list.count, at: 3)
        try insertList.bind(Int(time), at: 4)
        try insertList.execute()
    }

    func remove(_ id: String) throws {
        try deleteList.bind(id, at: 1)
        try deleteList.execute()
    }

    /// The lists that were deleted before a time.
    func lists(deletedBefore time: Int, limit: Int) throws -> [(key: Int, id: String, version: Int)]
    {
        try findOld.bind(time, at: 1)
        try findOld.bind(limit, at: 2)
        defer { findOld.reset() }
        var lists: [(key: Int, id: String, version: Int)] = []
        while try findOld.step() {
            lists.append((findOld.integer(1), findOld.text(0), findOld.integer(2)))
        }
        return lists
    }
}
