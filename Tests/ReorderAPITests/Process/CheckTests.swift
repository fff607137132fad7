import Foundation
import GRDB
import ProcessTesting
import Testing

@testable import SQLiteStore

/// `reorderd check` with damaged stores.
@Suite struct CheckTests {
    /// Creates a store with the lists `a` (tasks a1 to a3) and `b`, which have a history, and the
    /// deleted list `c`.
    private func makeStore(in folder: URL) throws -> String {
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
        server.send(signal: SIGTERM)
        #expect(try server.wait().exitCode == 0)
        return path
    }

    private func check(
        after damage: (Database) throws -> Void
    ) throws -> (exitCode: Int32, lines: [String]) {
        try withTemporaryFolder { folder throws in
            let path = try makeStore(in: folder)
            try DatabaseQueue(path: path).writeWithoutTransaction(damage)
            let ended = try ServerProcess.run(["check", path])
            return (ended.exitCode, ended.output.split(separator: "\n").map(String.init))
        }
    }

    private static let a = "(SELECT key FROM list WHERE id = 'a')"
    private static let b = "(SELECT key FROM list WHERE id = 'b')"

    private func expect(
        _ place: String, _ reason: String, after damage: (Database) throws -> Void
    ) throws {
        let (exitCode, lines) = try check(after: damage)
        #expect(exitCode == 1)
        #expect(
            lines.contains { $0.hasPrefix("\(place):") && $0.contains(reason) },
            "\(lines.joined(separator: "\n"))")
        #expect(lines.last?.hasPrefix("2 lists, ") == true)
        #expect(lines.last?.contains("fault") == true)
        #expect(lines.last?.contains("no faults") == false)
    }

    private func expect(_ place: String, _ reason: String, after statement: String) throws {
        try expect(place, reason) { try $0.execute(sql: statement) }
    }

    /// Replaces a body and updates its checksum.
    private func replaceBody(
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

    @Test func aSoundStoreHasNoFaults() throws {
        let (exitCode, lines) = try check { _ in }
        #expect(exitCode == 0)
        #expect(lines == ["2 lists, 6 tasks, 8 changes, 1 list in the bin: no faults"])
    }

    @Test func aMissingChangeIsFound() throws {
        try expect(
            "list a, version 3", "its change is not in row",
            after: "DELETE FROM journal WHERE list = \(Self.a) AND version = 3")
    }

    @Test func anAlteredChangeIsFound() throws {
        try expect(
            "list b, version 3", "the checksum of its change does not match",
            after: """
                UPDATE journal SET body = CAST(replace(CAST(body AS TEXT), '2', '1') AS BLOB)
                WHERE list = \(Self.b) AND version = 3
                """)
    }

    @Test func aChangeThatIsNotJSONIsFound() throws {
        try expect("list b, version 2", "its change can't be read") {
            try replaceBody(in: "journal", of: Self.b, version: 2, $0) { "{" + $0 }
        }
    }

    @Test func aChangeOfAnotherVersionIsFound() throws {
        try expect("list b, version 2", "its change names version 3") {
            try replaceBody(in: "journal", of: Self.b, version: 2, $0) {
                $0.replacing("\"version\":2", with: "\"version\":3")
            }
        }
    }

    @Test func aChangeThatCantBeAppliedIsFound() throws {
        try expect("list a, version 3", "its change can't be applied") {
            try replaceBody(in: "journal", of: Self.a, version: 3, $0) {
                $0.replacing("\"a2\"", with: "\"x2\"")
            }
        }
    }

    @Test func anAlteredSnapshotIsFound() throws {
        try expect(
            "list a", "the checksum of its snapshot does not match",
            after: "UPDATE snapshot SET body = substr(body, 1, 100) WHERE list = \(Self.a)")
    }

    @Test func anUnreadableSnapshotIsFound() throws {
        try expect("list a, version 1", "its snapshot can't be read") {
            try replaceBody(in: "snapshot", of: Self.a, version: 1, $0) { String($0.dropLast()) }
        }
    }

    @Test func aMissingSnapshotIsFound() throws {
        try expect(
            "list a", "it has no snapshot", after: "DELETE FROM snapshot WHERE list = \(Self.a)")
    }

    @Test func aWrongCountIsFound() throws {
        try expect(
            "list a", "it has 3 tasks, but the index of lists says 4",
            after: "UPDATE list SET count = 4 WHERE id = 'a'")
    }

    @Test func aWrongTitleIsFound() throws {
        try expect(
            "list b", "its title is \"List\", but the index of lists says \"Other\"",
            after: "UPDATE list SET title = 'Other' WHERE id = 'b'")
    }

    @Test func aTaskOfAnotherListIsFound() throws {
        try expect(
            "list a, task a2", "the index of tasks places it in list b",
            after: "UPDATE task SET list = \(Self.b) WHERE id = 'a2'")
    }

    /// Each list on its own is valid.
    @Test func aTaskInTwoListsIsFound() throws {
        try expect("list b, task a1", "the index of tasks places it in list a") { database in
            for (table, version) in [("snapshot", 1), ("journal", 2)] {
                try replaceBody(in: table, of: Self.b, version: version, database) {
                    $0.replacing("\"b1\"", with: "\"a1\"")
                }
            }
        }
    }

    @Test func aTaskMissingFromTheIndexIsFound() throws {
        try expect(
            "list b, task b1", "the index of tasks places it in no list",
            after: "DELETE FROM task WHERE id = 'b1'")
    }

    @Test func anIndexedTaskMissingFromItsListIsFound() throws {
        try expect(
            "list a", "its number of tasks differs from the index of tasks",
            after: "INSERT INTO task (id, list) VALUES ('a9', \(Self.a))")
    }

    @Test func aMissingChangeOfADeletedListIsFound() throws {
        try expect(
            "list c, version 1", "its change is not in row",
            after: """
                DELETE FROM journal WHERE list = (SELECT key FROM list WHERE id = 'c')
                    AND version = 1
                """)
    }

    /// The list has two snapshots in the store's own form.
    @Test func aSnapshotThatDiffersFromTheChangesIsFound() throws {
        try expect(
            "list b, version 3",
            "its snapshot differs from the result of the changes since version 1"
        ) {
            try $0.execute(
                sql: """
                    INSERT INTO snapshot (list, version, body, checksum)
                    SELECT list, 3, body, 0 FROM snapshot WHERE list = \(Self.b)
                    """)
            try replaceBody(in: "snapshot", of: Self.b, version: 3, $0) { $0 }
        }
    }

    @Test func faultsFoundBySQLiteAreReported() throws {
        try withTemporaryFolder { folder throws in
            let path = try makeStore(in: folder)
            let file = try FileHandle(forUpdating: URL(filePath: path))
            // The header's number of free pages.
            try file.seek(toOffset: 36)
            try file.write(contentsOf: [0, 0, 0, 5])
            try file.close()
            let ended = try ServerProcess.run(["check", path])
            #expect(ended.exitCode == 1)
            #expect(ended.output.contains("lists.db: "), "\(ended)")
        }
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
