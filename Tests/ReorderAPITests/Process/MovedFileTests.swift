import Foundation
import ProcessTesting
import Testing

/// Store files that were renamed, linked or overwritten without their logs.
@Suite struct MovedFileTests {
    private static func serve(_ store: String) throws -> (ServerProcess, SocketClient) {
        let server = try ServerProcess(arguments(store))
        return (server, SocketClient(port: server.port))
    }

    private static func arguments(_ store: String) -> [String] {
        ["--port", "0", "--store", "file:\(store)"]
    }

    /// Expects that a command ends with this exit code and message.
    private static func expect(
        _ code: Int32, _ message: String, from arguments: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let ended = try ServerProcess.run(arguments)
        #expect(ended.exitCode == code, "\(ended)", sourceLocation: sourceLocation)
        #expect(
            (ended.errors + ended.output).contains(message), "\(ended)",
            sourceLocation: sourceLocation)
    }

    private static func expectLists(_ expected: [String], in store: String) throws {
        let (server, client) = try serve(store)
        #expect(try client.get("/lists").listIDs == expected)
        try server.stop()
    }

    private static func withStore(_ body: (_ store: String) throws -> Void) throws {
        try withTemporaryFolder { folder throws in
            try body(folder.appending(path: "lists.db").path)
        }
    }

    @Test func aStartBesideTheLogOfARenamedFileChangesNothing() throws {
        try Self.withStore { store in
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft(["t"])).status == 201)
            server.kill()
            let log = try Data(contentsOf: URL(filePath: store + "-wal"))
            #expect(rename(store, store + ".old") == 0)
            let reason = "Give the file its former name"
            try Self.expect(73, reason, from: ["serve"] + Self.arguments(store))
            let list = URL(filePath: store + ".json")
            try Data(#"{"title":"L"}"#.utf8).write(to: list)
            try Self.expect(
                73, reason, from: ["import", "--store", "file:\(store)", list.path])
            #expect(!FileManager.default.fileExists(atPath: store))
            #expect(try Data(contentsOf: URL(filePath: store + "-wal")) == log)
            #expect(rename(store + ".old", store) == 0)
            try Self.expectLists(["a"], in: store)
        }
    }

    @Test func aServerWhoseFileIsRenamedEnds() throws {
        try Self.withStore { store in
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            #expect(rename(store, store + ".new") == 0)
            #expect(try client.put("/lists/b", draft()).status == 201)
            // The server notices it, and ends by itself.
            #expect(try server.wait().exitCode == 73)
            #expect(server.errors.contains("\(store) is missing"))
            try Self.expect(73, "is missing or empty", from: ["serve"] + Self.arguments(store))
            #expect(rename(store + ".new", store) == 0)
            try Self.expectLists(["a", "b"], in: store)
        }
    }

    @Test func aServerWhoseFileIsOverwrittenEnds() throws {
        try Self.withStore { store in
            let copy = store + ".copy"
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            #expect(try ServerProcess.run(["backup", store, copy]).exitCode == 0)
            #expect(try client.put("/lists/b", draft()).status == 201)
            // Like `cp`: the server has this file open.
            try Data(contentsOf: URL(filePath: copy)).write(to: URL(filePath: store))
            #expect(try server.wait().exitCode == 73)
            let reason = "\(store) was copied here"
            #expect(server.errors.contains(reason))
            for arguments in [["serve"] + Self.arguments(store), ["check", store]] {
                try Self.expect(73, reason, from: arguments)
            }
            try Self.expect(0, "1 list,", from: ["restore", copy, "--to", store])
            try Self.expectLists(["a"], in: store)
        }
    }

    /// The log is beside the first name.
    @Test func aHardLinkToTheFileOfACrashedServerIsRefused() throws {
        try Self.withStore { store in
            let other = store + ".other"
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            server.kill()
            #expect(link(store, other) == 0)
            let reason = "Use the name that has the log beside it"
            for (arguments, code) in [
                (["serve"] + Self.arguments(other), 73), (["backup", other, other + "2"], 65),
                (["check", other], 1), (["restore", other, "--to", other + "2"], 65),
                (["migrate", "--new-epoch", "--store", "file:\(other)"], 73),
            ] as [([String], Int32)] {
                try Self.expect(code, reason, from: arguments)
            }
            try Self.expectLists(["a"], in: store)
            // The log is in the file now.
            try Self.expectLists(["a"], in: other)
        }
    }
}
