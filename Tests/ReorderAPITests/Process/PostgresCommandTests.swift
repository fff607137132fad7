import Foundation
import PostgresTesting
import ProcessTesting
import Testing
import Waiting

/// Commands that read a database while a server changes it. They read the state of one moment.
@Suite(.enabled(if: PostgresCluster.isTested)) struct PostgresCommandTests {
    static func withServer(
        _ body: (_ url: String, _ name: String, _ client: SocketClient) throws -> Void
    ) throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
        try body(url, name, SocketClient(port: server.port))
        try server.stop()
    }

    private static func move(
        _ task: String, from list: String, to other: String, _ client: SocketClient
    ) throws {
        let body = #"{"task":"\#(task)","toList":"\#(other)"}"#
        #expect(try client.post("/lists/\(list)/move", body).status == 200)
    }

    /// The tasks move after the first list was read and before the second one is read.
    @Test func anExportHasEachTaskOnceAlthoughTasksMoveMeanwhile() throws {
        try Self.withServer { url, _, client in
            // The first list is larger than a pipe holds, so the export waits while it writes it.
            let many = (0..<2_000).map { "task-\($0)-with-an-id-of-some-length" }
            #expect(try client.put("/lists/a", draft(many + ["right"])).status == 201)
            #expect(try client.put("/lists/b", draft(["left"])).status == 201)
            let export = try ServerProcess.run(["export", "--store", url, "--all"]) {
                try Self.move("right", from: "a", to: "b", client)
                try Self.move("left", from: "b", to: "a", client)
            }
            #expect(export.exitCode == 0, "\(export.errors)")
            #expect(export.output.utf8.count > 1 << 17)
            for task in ["left", "right"] {
                #expect(export.output.components(separatedBy: #""id":"\#(task)""#).count == 2)
            }
            #expect(try client.get("/lists/a").text.contains(#""id":"left""#))
        }
    }

    /// The task moves after the index of lists was read and before the lists are read.
    @Test func aCheckFindsNoFaultsAlthoughATaskMovesMeanwhile() throws {
        try Self.withServer { url, name, client in
            let cluster = try PostgresCluster.shared()
            #expect(try client.put("/lists/a", draft(["t"])).status == 201)
            #expect(try client.put("/lists/b", draft()).status == 201)
            // Only the check reads snapshots: the server has both lists in memory.
            let lock = try cluster.hold(
                "LOCK TABLE reorderd.snapshot IN ACCESS EXCLUSIVE MODE", in: name)
            let check = Pending { try ServerProcess.run(["check", url]) }
            try waitUntil { try cluster.waitingForLocks(in: name) == 1 }
            try Self.move("t", from: "a", to: "b", client)
            #expect(!check.isDone)
            lock.release()
            let result = try check.get()
            #expect(result.exitCode == 0, "\(result.output)")
            #expect(result.output == "2 lists, 1 task, 2 changes: no faults\n")
        }
    }
}
