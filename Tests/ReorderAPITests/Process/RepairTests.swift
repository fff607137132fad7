import Foundation
import GRDB
import PostgresTesting
import ProcessTesting
import Testing

/// `reorderd export` and `reorderd repair` with damaged lists.
@Suite struct RepairTests {
    /// A damage, by its reason, the list that it damages, and the version that is left.
    static let damages = [
        ("its change can't be applied", "a", 2),
        ("the checksum of its change does not match", "b", 2),
        ("its snapshot can't be read", "a", nil),
        ("the checksum of its snapshot does not match", "a", nil),
    ]

    private func withStore(
        _ reason: String, _ body: (_ folder: URL, _ store: String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            try CheckTests.sound.get().write(to: URL(filePath: path))
            let damage = try #require(CheckTests.damages.first { $0.reason == reason })
            try DatabaseQueue(path: path).writeWithoutTransaction(damage.apply)
            try body(folder, "file:\(path)")
        }
    }

    @Test(arguments: damages)
    func anExportWritesTheOtherLists(reason: String, list: String, _: Int?) throws {
        try withStore(reason) { _, store in
            let export = try ServerProcess.run(["export", "--store", store, "--all"])
            #expect(export.exitCode == 65, "\(export)")
            let other = list == "a" ? "b" : "a"
            let lines = export.output.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains(#""id":"\#(other)""#))
            #expect(export.errors.contains("list \(list) is left out: "))
            #expect(export.errors.contains("1 of 2 lists were left out"))
        }
    }

    @Test(arguments: damages)
    func aRepairBringsBackWhatCanBeRead(reason: String, list: String, version: Int?) throws {
        try withStore(reason) { folder, store in
            let file = folder.appending(path: "left-out.jsonl")
            func repair() throws -> ServerProcess.Ended {
                try ServerProcess.run(["repair", "--store", store, "-o", file.path, list])
            }
            let ended = try repair()
            guard let version else {
                #expect(ended.exitCode == 65, "\(ended)")
                let left = try String(contentsOf: file, encoding: .utf8)
                for version in 2...4 {
                    #expect(left.contains(#""stored":{"version":\#(version)"#), "\(left)")
                }
                return
            }
            #expect(ended.exitCode == 0, "\(ended)")
            #expect(ended.output.contains("left out: version 3"), "\(ended.output)")
            #expect(
                ended.output.contains("list \(list): version \(version) of 4 is now version 6"))
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.last?.contains(#""stored":{"version":4"#) == true, "\(lines)")
            let check = try ServerProcess.run(["check", String(store.dropFirst("file:".count))])
            #expect(check.exitCode == 0, "\(check.output)")
            let export = try ServerProcess.run(["export", "--store", store, list])
            #expect(export.exitCode == 0)
            // The moves of versions 3 and 4 are left out.
            let ids = export.output.matches(of: /"id":"([ab][0-9])"/).map { String($0.1) }
            #expect(ids == ["\(list)2", "\(list)3", "\(list)1"])
            let again = try repair()
            #expect(again.exitCode == 0 && again.output.contains("nothing was changed"))
        }
    }

    @Test func aTaskThatAnotherListHasIsLeftOut() throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft(["p", "c<p", "q"])).status == 201)
            #expect(try client.put("/lists/b", draft([])).status == 201)
            let move = #"{"task":"p","toList":"b"}"#
            #expect(try client.post("/lists/a/move", move).status == 200)
            try server.stop()
            try DatabaseQueue(path: path).writeWithoutTransaction { database in
                try database.execute(
                    sql: "UPDATE journal SET checksum = 0 WHERE version = 2 AND list = 1")
            }
            let file = folder.appending(path: "left-out.jsonl").path
            let ended = try ServerProcess.run(
                ["repair", "--store", "file:\(path)", "-o", file, "a"])
            #expect(ended.exitCode == 0, "\(ended)")
            #expect(ended.output.contains("left out: task p: list b has"))
            #expect(ended.output.contains("left out: task c: "))
            let check = try ServerProcess.run(["check", path])
            #expect(check.output.hasPrefix("2 lists, 3 tasks, "), "\(check.output)")
            #expect(check.exitCode == 0)
        }
    }

    @Test func aListThatDoesNotExistIsRefused() throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            try CheckTests.sound.get().write(to: URL(filePath: path))
            let missing = try ServerProcess.run(["repair", "--store", "file:\(path)", "none"])
            #expect(missing.exitCode == 66)
            let gone = try ServerProcess.run(["repair", "--store", "file:\(path)-none", "a"])
            #expect(gone.exitCode == 66)
        }
    }
}

extension PostgresCommandTests {
    /// The servers of the store have the list again.
    @Test func aRepairWorksWhileAServerRuns() throws {
        try Self.withServer { url, name, client in
            #expect(try client.put("/lists/a", draft(["x", "y"])).status == 201)
            let later = #"{"title":"later"}"#
            #expect(try client.send("PATCH", "/tasks/x", later).status == 200)
            let cluster = try PostgresCluster.shared()
            _ = try cluster.psql(
                "UPDATE reorderd.change SET body = 'x' WHERE version = 2", in: name)
            let file = FileManager.default.temporaryDirectory
                .appending(path: "\(UUID().uuidString).jsonl")
            defer { try? FileManager.default.removeItem(at: file) }
            let ended = try ServerProcess.run(
                ["repair", "--store", url, "--output", file.path, "a"])
            #expect(ended.exitCode == 0, "\(ended)")
            let list = try client.get("/lists/a")
            #expect(list.json["version"] == 4)
            #expect(list.json["tasks"]?[0]?["title"] == "x", "\(list.text)")
            let line = try String(contentsOf: file, encoding: .utf8)
            #expect(line.contains(#"{"version":2,"base64":"eA=="}"#), "\(line)")
        }
    }
}
