import GRDB
import ReorderStore

/// Reads the lists in the bin, without their content.
struct BinReader {
    private let findLists: PreparedStatement
    private let findList: PreparedStatement
    private let findOld: PreparedStatement

    init(_ database: Database) throws {
        let columns = """
            SELECT bin.id, bin.title, bin.count, head.version, bin.at
            FROM bin CROSS JOIN list ON list.id = bin.id JOIN head ON head.list = list.key
            """
        findLists = try PreparedStatement(
            database, "\(columns) WHERE bin.id > ? ORDER BY bin.id LIMIT ?")
        findList = try PreparedStatement(database, "\(columns) WHERE bin.id = ?")
        findOld = try PreparedStatement(database, "SELECT EXISTS (SELECT 1 FROM bin WHERE at < ?)")
    }

    func lists(after list: String?, limit: Int) throws -> [DeletedList] {
        try findLists.bind(list ?? "", at: 1)
        try findLists.bind(limit, at: 2)
        defer { findLists.reset() }
        var lists: [DeletedList] = []
        while try findLists.step() { lists.append(row(of: findLists)) }
        return lists
    }

    func list(_ id: String) throws -> DeletedList? {
        try findList.bind(id, at: 1)
        defer { findList.reset() }
        return try findList.step() ? row(of: findList) : nil
    }

    /// Whether a list was deleted before a time.
    func hasList(deletedBefore time: Int) throws -> Bool {
        try findOld.bind(time, at: 1)
        defer { findOld.reset() }
        return try findOld.step() && findOld.integer(0) != 0
    }

    private func row(of statement: PreparedStatement) -> DeletedList {
        DeletedList(
            id: statement.text(0), title: statement.text(1), count: statement.integer(2),
            version: statement.integer(3), deletedAt: Int64(statement.integer(4)))
    }
}
