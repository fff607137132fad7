import Foundation
import PostgresStore
import PostgresTesting
import ProcessTesting
import Testing

/// The responses to clients whose copy of a list is from another epoch: from before a restore, or from
/// another store.
@Suite struct RestoreTests {
    private static func serve(_ store: String) throws -> (ServerProcess, SocketClient) {
        try start("file:\(store)")
    }

    private static func start(
        _ store: String, _ options: [String] = []
    ) throws -> (ServerProcess, SocketClient) {
        let server = try ServerProcess(["--port", "0", "--store", store] + options)
        return (server, SocketClient(port: server.port))
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

    /// What a client knows of the list `l` and its task `a`.
    private struct Past {
        var list: String
        var task: String
        var token: String { String(list.dropFirst().dropLast()) }

        init(_ client: SocketClient) throws {
            list = try #require(try client.get("/lists/l")["ETag"])
            task = try #require(try client.get("/tasks/a")["ETag"])
        }
    }

    /// - Parameter tokens: further versions from another epoch, or without an epoch.
    /// - Returns: the list's current tag.
    @discardableResult
    private static func expectAnotherPast(
        _ client: SocketClient, _ past: Past, tokens: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let document = try client.get("/lists/l", ["If-None-Match": past.list])
        #expect(document.status == 200, sourceLocation: sourceLocation)
        let task = try client.get("/tasks/a", ["If-None-Match": past.task])
        #expect(task.status == 200, sourceLocation: sourceLocation)
        for (path, tag) in [
            ("/lists/l", past.list), ("/tasks/a", past.task), ("/tasks/a", past.list),
        ] {
            let write = try client.send("PATCH", path, #"{"title":"x"}"#, ["If-Match": tag])
            #expect(write.status == 412, "\(path) \(tag)", sourceLocation: sourceLocation)
        }
        for token in [past.token] + tokens {
            let page = try client.get("/lists/l/changes?since=\(token)")
            let isToken = token.contains("-")
            #expect(
                page.code == (isToken ? "history_gone" : "invalid_query"), "\(token)",
                sourceLocation: sourceLocation)
            var streams = [try client.watch("l", "", ["Last-Event-ID": token])]
            if isToken { streams.append(try client.watch("l", "?since=\(token)")) }
            for stream in streams {
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
            let old = try Past(client)
            let oldEpoch = try #require(try client.get("/lists/l").json["epoch"]?.string)
            #expect(old.list == "\"5-\(oldEpoch)\"" && old.task == "\"5-\(oldEpoch)@l\"")
            try server.stop()

            try Self.restore(copy, to: store)
            (server, client) = try Self.serve(store)
            #expect(server.errors.contains("backup"))
            try Self.edit(client, to: 5, "after")
            let tag = try Self.expectAnotherPast(
                client, old, tokens: ["5", "2", "9", "2-\(oldEpoch)"])

            // The new token is valid, and stays valid.
            let token = String(tag.dropFirst().dropLast())
            for _ in 0..<2 {
                #expect(try client.get("/lists/l", ["If-None-Match": tag]).status == 304)
                #expect(
                    try client.get("/lists/l/changes?since=\(token)").json["changes"]?.array
                        .count == 0)
                let stream = try client.watch("l", "", ["Last-Event-ID": token])
                #expect(try stream.expect("hello").text.contains("id: \(token)\n"))
                try server.stop()
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
            let restored = try Past(client)
            try server.stop()

            // Restoring the same backup again begins another epoch.
            try Self.restore(copy, to: store)
            (server, client) = try Self.serve(store)
            try Self.edit(client, to: 5, "once more")
            try Self.expectAnotherPast(client, restored, tokens: [token, "5"])
            try server.stop()
            #expect(
                try ServerProcess.run(["check", store]).output.hasSuffix("no faults\n"))
        }
    }

    @Test func copyingAStoreFileBackBeginsAnEpoch() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/l", draft(["a"])).status == 201)
            let past = try Past(client)
            try server.stop()
            let begun = try ServerProcess.run([
                "migrate", "--new-epoch", "--store", "file:\(store)",
            ])
            #expect(begun.exitCode == 0, "\(begun)")
            (server, client) = try Self.serve(store)
            try Self.expectAnotherPast(client, past, tokens: ["1"])
            try server.stop()
            let none = try ServerProcess.run(
                ["migrate", "--new-epoch", "--store", "file:\(store)-none"])
            #expect(none.exitCode == 66)
        }
    }

    /// Versions start again from 1, for list ids that clients already know.
    @Test func anImportIntoANewStoreRejectsTheFormerVersions() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let new = folder.appending(path: "new.db").path
            let file = folder.appending(path: "all.jsonl").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/l", draft(["a"])).status == 201)
            let past = try Past(client)
            try server.stop()
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
            try Self.expectAnotherPast(client, past, tokens: ["1"])
            try server.stop()
        }
    }

    // MARK: New stores

    /// The versions of a new store begin again at 1, with other content.
    ///
    /// - Parameter replace: replaces the store between the two servers.
    private static func expectAnEpochOfItsOwn(
        _ store: String, _ options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation, replacedBy replace: () throws -> Void
    ) throws {
        var (server, client) = try start(store, options)
        #expect(try client.put("/lists/l", draft(["a", "b"])).status == 201)
        let past = try Past(client)
        try server.stop()
        try replace()
        (server, client) = try start(store, options)
        #expect(try client.put("/lists/l", draft(["a", "c"])).status == 201)
        #expect(try client.get("/lists/l").json["version"] == 1)
        try expectAnotherPast(client, past, tokens: ["1"], sourceLocation: sourceLocation)
        try server.stop()
    }

    @Test(arguments: ["deleted", "emptied"])
    func aFileThatWasRemovedBeginsAnEpoch(how: String) throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db")
            try Self.expectAnEpochOfItsOwn("file:\(store.path)") {
                if how == "deleted" {
                    try FileManager.default.removeItem(at: store)
                } else {
                    try Data().write(to: store)
                }
            }
        }
    }

    @Test func theMemoryStoreBeginsAnEpochAtEachStart() throws {
        try Self.expectAnEpochOfItsOwn("memory") {}
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aNewSchemaBeginsAnEpoch() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        try Self.expectAnEpochOfItsOwn(url, ["--migrate"]) {
            _ = try cluster.psql("DROP SCHEMA reorderd CASCADE", in: name)
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aRestoredDatabaseRejectsOldVersionsInItsNewEpoch() throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        var (server, client) = try Self.start(url, ["--migrate"])
        #expect(try client.put("/lists/l", draft(["a"])).status == 201)
        let past = try Past(client)
        try server.stop()
        let begun = try ServerProcess.run(["migrate", "--new-epoch", "--store", url])
        #expect(begun.exitCode == 0, "\(begun)")
        (server, client) = try Self.start(url)
        try Self.expectAnotherPast(client, past, tokens: ["1"])
        try server.stop()
    }
}
