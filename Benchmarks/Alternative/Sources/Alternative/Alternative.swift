import Foundation
import GRDB
import Hummingbird

// alternative FILE: serves lists of tasks with an integer position column, on a free port.
@main
struct Alternative {
    static func main() async throws {
        let pool = try openDatabase(CommandLine.arguments[1])
        let router = Router()

        router.get("lists/:id") { _, context -> ListDocument in
            let id = try context.parameters.require("id")
            return try await pool.read { database in
                guard let list = try TodoList.fetchOne(database, key: id) else {
                    throw HTTPError(.notFound)
                }
                let tasks = try TodoTask.filter(Column("list") == id).order(Column("position"))
                    .fetchAll(database)
                return ListDocument(id: list.id, title: list.title, tasks: tasks)
            }
        }

        router.put("lists/:id") { request, context -> HTTPResponse.Status in
            let id = try context.parameters.require("id")
            let new = try await request.decode(as: NewList.self, context: context)
            try await pool.write { database in
                try TodoList(id: id, title: new.title).insert(database)
                for (position, task) in new.tasks.enumerated() {
                    try TodoTask(
                        id: task.id, list: id, title: task.title, position: position, done: false
                    ).insert(database)
                }
            }
            return .created
        }

        router.post("lists/:id/move") { request, context -> TodoTask in
            let id = try context.parameters.require("id")
            let move = try await request.decode(as: Move.self, context: context)
            return try await pool.write { database in try apply(move, to: id, in: database) }
        }

        let app = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                print("alternative listening on http://127.0.0.1:\(port)")
                fflush(nil)
            })
        try await app.runService()
    }

    /// Closes the gap at the task's old position, opens one after the anchor, and moves the task
    /// there.
    private static func apply(
        _ move: Move, to list: String, in database: Database
    ) throws -> TodoTask {
        guard var task = try TodoTask.fetchOne(database, key: move.task), task.list == list,
            let anchor = try TodoTask.fetchOne(database, key: move.after), anchor.list == list
        else { throw HTTPError(.notFound) }
        let position = anchor.position + (anchor.position < task.position ? 1 : 0)
        if position > task.position {
            try database.execute(
                sql: """
                    UPDATE task SET position = position - 1
                    WHERE list = ? AND position > ? AND position <= ?
                    """, arguments: [list, task.position, position])
        } else {
            try database.execute(
                sql: """
                    UPDATE task SET position = position + 1
                    WHERE list = ? AND position >= ? AND position < ?
                    """, arguments: [list, position, task.position])
        }
        task.position = position
        try task.update(database)
        return task
    }
}
