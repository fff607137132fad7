import GRDB
import Hummingbird

struct TodoList: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "list"
    var id: String
    var title: String
}

struct TodoTask: Codable, FetchableRecord, PersistableRecord, ResponseEncodable {
    static let databaseTableName = "task"
    var id: String
    var list: String
    var title: String
    var position: Int
    var done: Bool
}

/// A list with its tasks in order, as a response.
struct ListDocument: ResponseEncodable {
    var id: String
    var title: String
    var tasks: [TodoTask]
}

/// A list with its tasks in order, as a request body.
struct NewList: Decodable {
    struct Task: Decodable {
        var id: String
        var title: String
    }
    var title: String
    var tasks: [Task]
}

struct Move: Decodable {
    var task: String
    var after: String
}

func openDatabase(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path)
    // A response must survive a crash of the machine; GRDB's default for pools is NORMAL.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("lists") { database in
        try database.create(table: "list") { table in
            table.primaryKey("id", .text)
            table.column("title", .text).notNull()
        }
        try database.create(table: "task") { table in
            table.primaryKey("id", .text)
            table.column("list", .text).notNull().references("list", onDelete: .cascade)
            table.column("title", .text).notNull()
            table.column("position", .integer).notNull()
            table.column("done", .boolean).notNull()
        }
        try database.create(indexOn: "task", columns: ["list", "position"])
    }
    try migrator.migrate(pool)
    return pool
}
