import Foundation
import GRDB
import ProcessTesting
import Testing

@testable import SQLiteStore

/// `reorderd check` with damaged stores.
@Suite struct CheckTests {
    /// The file of a store with the lists `a` (tasks a1 to a3) and `b`, which have a history, and the
    /// deleted list `c`.
    static let sound = Result {
        try withTemporaryFolder { try Data(contentsOf: URL(filePath: makeStore(in: $0))) }
    }

    private static func makeStore(in folder: URL) throws -> String {
        let path = folder.appending(path: "lists.db").path
        let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
        let client = SocketClient(port: server.port)
        for list in ["a", "b"] {
            let tasks = (1...3).map { #"{"id":"\#(list)\#($0)","title":"task \#($0)"}"# }
            let body = #"{"title":"List","tasks":[\#(tasks.joined(separator: ","))]}"#
            #expect(try client.put("/lists/\(list)", body).status == 201)
            for number in 1...3 {
                let move = #"{"task":"\#(list)\#(number)","position":2}"#
                #expect(try client.post("/lists/\(list)/move", move).status == 200)
            }
        }
        #expect(try client.put("/lists/c", #"{"title":"c"}"#).status == 201)
        #expect(try client.send("DELETE", "/lists/c").status == 204)
        try server.stop()
        return path
    }

    /// Checks a store after `damage`.
    private func check(_ damage: (String) throws -> Void) throws -> (Int32, lines: [String]) {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            try Self.sound.get().write(to: URL(filePath: path))
            try damage(path)
            let ended = try ServerProcess.run(["check", path])
            return (ended.exitCode, ended.output.split(separator: "\n").map(String.init))
        }
    }

    /// A way to damage a store, and the line of `check` about it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let place: String
        let reason: String
        let apply: @Sendable (Database) throws -> Void

        init(
            _ place: String, _ reason: String,
            _ apply: @escaping @Sendable (Database) throws -> Void
        ) {
            self.place = place
            self.reason = reason
            self.apply = apply
        }

        init(_ place: String, _ reason: String, sql: String) {
            self.init(place, reason) { try $0.execute(sql: sql) }
        }

        var testDescription: String { "\(place): \(reason)" }
    }

    private static let a = "(SELECT key FROM list WHERE id = 'a')"
    private static let b = "(SELECT key FROM list WHERE id = 'b')"

    /// Replaces a body and updates its checksum.
    private static func replaceBody(
        in table: String, of list: String, version: Int, _ database: Database,
        _ edit: (String) -> String
    ) throws {
        let place = "WHERE list = \(list) AND version = \(version)"
        let body = try #require(
            try Data.fetchOne(database, sql: "SELECT body FROM \(table) \(place)"))
        let edited = Array(edit(String(decoding: body, as: UTF8.self)).utf8)
        try database.execute(
            sql: "UPDATE \(table) SET body = ?, checksum = ? \(place)",
            arguments: [Data(edited), checksum(of: edited, version: version)])
        #expect(database.changesCount == 1)
    }

    static let damages = [
        Damage(
            "list a, version 3", "its change is not in row",
            sql: "DELETE FROM journal WHERE list = \(a) AND version = 3"),
        Damage(
            "list b, version 3", "the checksum of its change does not match",
            sql: """
                UPDATE journal SET body = CAST(replace(CAST(body AS TEXT), '2', '1') AS BLOB)
                WHERE list = \(b) AND version = 3
                """),
        Damage("list b, version 2", "its change can't be read") {
            try replaceBody(in: "journal", of: b, version: 2, $0) { "{" + $0 }
        },
        Damage("list b, version 2", "its change names version 3") {
            try replaceBody(in: "journal", of: b, version: 2, $0) {
                $0.replacing("\"version\":2", with: "\"version\":3")
            }
        },
        Damage("list a, version 3", "its change can't be applied") {
            try replaceBody(in: "journal", of: a, version: 3, $0) {
                $0.replacing("\"a2\"", with: "\"x2\"")
            }
        },
        Damage(
            "list a", "the checksum of its snapshot does not match",
            sql: "UPDATE snapshot SET body = substr(body, 1, 100) WHERE list = \(a)"),
        Damage("list a, version 1", "its snapshot can't be read") {
            try replaceBody(in: "snapshot", of: a, version: 1, $0) { String($0.dropLast()) }
        },
        Damage(
            "list a", "it has no snapshot", sql: "DELETE FROM snapshot WHERE list = \(a)"),
        Damage(
            "list a", "it has 3 tasks, but the index of lists says 4",
            sql: "UPDATE list SET count = 4 WHERE id = 'a'"),
        Damage(
            "list b", "its title is \"List\", but the index of lists says \"Other\"",
            sql: "UPDATE list SET title = 'Other' WHERE id = 'b'"),
        Damage(
            "list a, task a2", "the index of tasks places it in list b",
            sql: "UPDATE task SET list = \(b) WHERE id = 'a2'"),
        // Each list on its own is valid.
        Damage("list b, task a1", "the index of tasks places it in list a") { database in
            for (table, version) in [("snapshot", 1), ("journal", 2)] {
                try replaceBody(in: table, of: b, version: version, database) {
                    $0.replacing("\"b1\"", with: "\"a1\"")
                }
            }
        },
        Damage(
            "list b, task b1", "the index of tasks places it in no list",
            sql: "DELETE FROM task WHERE id = 'b1'"),
        Damage(
            "list a", "its number of tasks differs from the index of tasks",
            sql: "INSERT INTO task (id, list) VALUES ('a9', \(a))"),
        Damage(
            "list c, version 1", "its change is not in row",
            sql: """
                DELETE FROM journal WHERE list = (SELECT key FROM list WHERE id = 'c')
                    AND version = 1
                """),
        // The list has two snapshots in the store's own form.
        Damage(
            "list b, version 3",
            "its snapshot differs from the result of the changes since version 1"
        ) {
            try $0.execute(
                sql: """
                    INSERT INTO snapshot (list, version, body, checksum)
                    SELECT list, 3, body, 0 FROM snapshot WHERE list = \(b)
                    """)
            try replaceBody(in: "snapshot", of: b, version: 3, $0) { $0 }
        },
    ]

    @Test(arguments: damages) func aDamageIsFound(damage: Damage) throws {
        let (exitCode, lines) = try check {
            try DatabaseQueue(path: $0).writeWithoutTransaction(damage.apply)
        }
        #expect(exitCode == 1)
        #expect(
            lines.contains { $0.hasPrefix("\(damage.place):") && $0.contains(damage.reason) },
            "\(lines.joined(separator: "\n"))")
        #expect(lines.last?.hasPrefix("2 lists, ") == true)
        #expect(lines.last?.contains("fault") == true)
        #expect(lines.last?.contains("no faults") == false)
    }

    @Test func aSoundStoreHasNoFaults() throws {
        let (exitCode, lines) = try check { _ in }
        #expect(exitCode == 0)
        #expect(lines == ["2 lists, 6 tasks, 8 changes, 1 list in the bin: no faults"])
    }

    @Test func faultsFoundBySQLiteAreReported() throws {
        let (exitCode, lines) = try check { path in
            let file = try FileHandle(forUpdating: URL(filePath: path))
            // The header's number of free pages.
            try file.seek(toOffset: 36)
            try file.write(contentsOf: [0, 0, 0, 5])
            try file.close()
        }
        #expect(exitCode == 1)
        #expect(lines.contains { $0.contains("lists.db: ") }, "\(lines)")
    }

    @Test func aFileThatIsNotAStoreIsRefused() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "notes.txt")
            #expect(try ServerProcess.run(["check", file.path]).exitCode == 73)
            try Data("just text, and enough of it for a header of a hundred bytes".utf8)
                .write(to: file)
            let ended = try ServerProcess.run(["check", file.path])
            #expect(ended.exitCode == 73)
            #expect(ended.output.isEmpty)
        }
    }
}
