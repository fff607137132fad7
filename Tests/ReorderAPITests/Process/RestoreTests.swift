import Foundation
import PostgresStore
import PostgresTesting
import ProcessTesting
import Testing

/// The responses to clients whose copy of a list is from before a restore.
@Suite struct RestoreTests {
    private static func serve(_ store: String) throws -> (ServerProcess, SocketClient) {
        let server = try ServerProcess(["--port", "0", "--store", "file:\(store)"])
        return (server, SocketClient(port: server.port))
    }

    private static func stop(_ server: ServerProcess) throws {
        server.send(signal: SIGTERM)
        #expect(try server.wait().exitCode == 0)
    }

    /// Changes the list `l` up to version `last`.
    private static func edit(_ client: SocketClient, to last: Int, _ title: String) throws {
        while let version = try client.get("/lists/l").json["version"]?.int, version < last {
            let body = #"{"title":"\#(title) \#(version + 1)"}"#
            #expect(try client.send("PATCH", "/tasks/a", body).status == 200)
        }
    }

    private static func restore(_ copy: String, to store: String) throws {
        for suffix in ["", "-wal", "-shm", "-mark"] { unlink(store + suffix) }
        try FileManager.default.copyItem(atPath: copy, toPath: store)
    }

    /// - Returns: the list's current tag.
    private static func expectAnotherPast(
        _ client: SocketClient, tags: (list: String, task: String), tokens: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let document = try client.get("/lists/l", ["If-None-Match": tags.list])
        #expect(document.status == 200, sourceLocation: sourceLocation)
        let task = try client.get("/tasks/a", ["If-None-Match": tags.task])
        #expect(task.status == 200, sourceLocation: sourceLocation)
        for (path, tag) in [
            ("/lists/l", tags.list), ("/tasks/a", tags.task), ("/tasks/a", tags.list),
        ] {
            let write = try client.send("PATCH", path, #"{"title":"x"}"#, ["If-Match": tag])
            #expect(write.status == 412, "\(path) \(tag)", sourceLocation: sourceLocation)
        }
        for token in tokens {
            let page = try client.get("/lists/l/changes?since=\(token)")
            #expect(page.status == 410, "\(token)", sourceLocation: sourceLocation)
            #expect(page.code == "history_gone", sourceLocation: sourceLocation)
            for stream in [
                try client.watch("l", "", ["Last-Event-ID": token]),
                try client.watch("l", "?since=\(token)"),
            ] {
                let hello = try stream.expect("hello", sourceLocation: sourceLocation)
                // The client keeps its event id until it receives `refetch`.
                #expect(!hello.text.contains("id: "), sourceLocation: sourceLocation)
                let refetch = try stream.expect("refetch", sourceLocation: sourceLocation)
                let version = try #require(document.json["version"]?.int)
                let epoch = try #require(document.json["epoch"]?.string)
                #expect(
                    refetch.text.contains("id: \(version)-\(epoch)\n"),
                    sourceLocation: sourceLocation)
                #expect(
                    refetch.data["epoch"]?.string == epoch, sourceLocation: sourceLocation)
            }
        }
        return try #require(document["ETag"])
    }

    @Test func aRestoredStoreRejectsVersionsFromBeforeTheRestore() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/l", draft(["a"])).status == 201)
            try Self.edit(client, to: 3, "before")
            #expect(try ServerProcess.run(["backup", store, copy]).exitCode == 0)
            try Self.edit(client, to: 5, "lost")
            let document = try client.get("/lists/l")
            #expect(document["ETag"] == "\"5\"")
            #expect(document.json["epoch"] == nil)
            let old = (list: "\"5\"", task: "\"5@l\"")
            #expect(try client.get("/tasks/a")["ETag"] == old.task)
            try Self.stop(server)

            try Self.restore(copy, to: store)
            (server, client) = try Self.serve(store)
            #expect(server.errors.contains("backup"))
            try Self.edit(client, to: 5, "after")
            let tag = try Self.expectAnotherPast(client, tags: old, tokens: ["5", "2", "9"])

            // The new token is valid, and stays valid.
            let token = String(tag.dropFirst().dropLast())
            for _ in 0..<2 {
                #expect(try client.get("/lists/l", ["If-None-Match": tag]).status == 304)
                #expect(
                    try client.get("/lists/l/changes?since=\(token)").json["changes"]?.array
                        .count == 0)
                let stream = try client.watch("l", "", ["Last-Event-ID": token])
                #expect(try stream.expect("hello").text.contains("id: \(token)\n"))
                try Self.stop(server)
                (server, client) = try Self.serve(store)
            }
            let stream = try client.watch("l", "", ["Last-Event-ID": token])
            try stream.expect("hello")
            let write = try client.send("PATCH", "/lists/l", #"{"title":"x"}"#, ["If-Match": tag])
            #expect(write.status == 200)
            let epoch = token.drop { $0 != "-" }
            #expect(write["ETag"] == "\"6\(epoch)\"")
            #expect(try stream.expect("change").text.contains("id: 6\(epoch)\n"))
            // A document can be sent back unchanged.
            let again = try client.get("/lists/l")
            let put = try client.put(
                "/lists/l", again.text, ["If-Match": again["ETag"] ?? ""])
            #expect(put.status == 200, "\(put.text)")
            #expect(put.json["changed"] == false)
            try Self.stop(server)

            // Restoring the same backup again begins another epoch.
            try Self.restore(copy, to: store)
            (server, client) = try Self.serve(store)
            try Self.edit(client, to: 5, "once more")
            _ = try Self.expectAnotherPast(
                client, tags: ("\"5\(epoch)\"", "\"5\(epoch)@l\""), tokens: [token, "5"])
            try Self.stop(server)
            #expect(
                try ServerProcess.run(["check", store]).output.hasSuffix("no faults\n"))
        }
    }

    @Test func copyingAStoreFileBackBeginsAnEpoch() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/l", draft(["a"])).status == 201)
            try Self.stop(server)
            let begun = try ServerProcess.run([
                "migrate", "--new-epoch", "--store", "file:\(store)",
            ])
            #expect(begun.exitCode == 0, "\(begun)")
            (server, client) = try Self.serve(store)
            _ = try Self.expectAnotherPast(client, tags: ("\"1\"", "\"1@l\""), tokens: ["1"])
            try Self.stop(server)
            let none = try ServerProcess.run(
                ["migrate", "--new-epoch", "--store", "file:\(store)-none"])
            #expect(none.exitCode == 66)
        }
    }

    /// Versions start again from 1, for list ids that clients already know.
    @Test func anImportIntoANewStoreBeginsAnEpoch() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let new = folder.appending(path: "new.db").path
            let file = folder.appending(path: "all.jsonl").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/l", draft(["a"])).status == 201)
            try Self.stop(server)
            #expect(
                try ServerProcess.run(
                    ["export", "--all", "--store", "file:\(store)", "--output", file]
                ).exitCode == 0)
            #expect(
                try ServerProcess.run([
                    "import", file, "--format", "json", "--store", "file:\(new)",
                ])
                .exitCode == 0)
            (server, client) = try Self.serve(new)
            _ = try Self.expectAnotherPast(client, tags: ("\"1\"", "\"1@l\""), tokens: ["1"])
            try Self.stop(server)
        }
    }

    /// No client has a copy of a list that was written by hand.
    @Test func aNewStoreOfHandwrittenListsIsInItsFirstEpoch() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let file = folder.appending(path: "l.json")
            try Data(draft(["a"]).utf8).write(to: file)
            #expect(
                try ServerProcess.run(["import", file.path, "--store", "file:\(store)"])
                    .exitCode == 0)
            let (server, client) = try Self.serve(store)
            #expect(try client.get("/lists/l")["ETag"] == "\"1\"")
            try Self.stop(server)
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aRestoredDatabaseRejectsOldVersionsInItsNewEpoch() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        func serve() throws -> (ServerProcess, SocketClient) {
            let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
            return (server, SocketClient(port: server.port))
        }
        var (server, client) = try serve()
        #expect(try client.put("/lists/l", draft(["a"])).status == 201)
        #expect(try client.get("/lists/l")["ETag"] == "\"1\"")
        try Self.stop(server)
        let begun = try ServerProcess.run(["migrate", "--new-epoch", "--store", url])
        #expect(begun.exitCode == 0, "\(begun)")
        (server, client) = try serve()
        _ = try Self.expectAnotherPast(client, tags: ("\"1\"", "\"1@l\""), tokens: ["1"])
        try Self.stop(server)
    }
}
