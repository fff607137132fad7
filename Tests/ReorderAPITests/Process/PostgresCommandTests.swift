import Foundation
import PostgresTesting
import ProcessTesting
import Synchronization
import Testing

/// Commands that read a database while a server changes it. They read the state of one moment.
@Suite(.enabled(if: PostgresCluster.isTested)) struct PostgresCommandTests {
    private static func withServer(
        _ body: (_ url: String, _ name: String, _ client: SocketClient) throws -> Void
    ) throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
        try body(url, name, SocketClient(port: server.port))
        server.send(signal: SIGTERM)
        #expect(try server.wait().exitCode == 0)
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
            let check = Mutex<ServerProcess.Ended?>(nil)
            let ended = DispatchSemaphore(value: 0)
            Thread {
                let result = try? ServerProcess.run(["check", url])
                check.withLock { $0 = result }
                ended.signal()
            }.start()
            let waiting = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
            // A long limit that is only reached if the check never reads a snapshot.
            let deadline = Date(timeIntervalSinceNow: 60)
            while try cluster.psql(waiting, in: name) != "1", Date() < deadline { usleep(10_000) }
            try Self.move("t", from: "a", to: "b", client)
            #expect(check.withLock { $0 == nil })
            lock.release()
            #expect(ended.wait(timeout: .now() + 60) == .success)
            let end = check.withLock(\.self)
            let result = try #require(end)
            #expect(result.exitCode == 0, "\(result.output)")
            #expect(result.output == "2 lists, 1 task, 2 changes: no faults\n")
        }
    }
}
