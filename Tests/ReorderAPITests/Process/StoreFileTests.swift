import Foundation
import ProcessTesting
import Testing

/// Store files that a server can't use, and what it says about them.
@Suite struct StoreFileTests {
    private static let user: uid_t = 65_534
    private static var isRoot: Bool { geteuid() == 0 }

    private static func arguments(_ store: String) -> [String] {
        ["--port", "0", "--store", "file:\(store)"]
    }

    /// - Returns: the standard error of a server that does not start.
    private static func refusal(of store: String) throws -> String {
        let ended = try ServerProcess.run(["serve"] + arguments(store), user: user)
        #expect(ended.exitCode == 73, "\(ended)")
        return ended.errors
    }

    /// Files that the server's user may not write to, and files that root has left.
    @Test(
        .enabled(if: isRoot),
        arguments: ["", ".lock", "-mark", "-wal", "-shm"], ["mode", "owner"])
    func aFileThatCantBeWrittenIsNamedAndServedAfterTheRepair(
        suffix: String, fault: String
    ) throws {
        try withTemporaryFolder { folder throws in
            chown(folder.path, Self.user, Self.user)
            let store = folder.appending(path: "lists.db").path
            var server = try ServerProcess(Self.arguments(store), user: Self.user)
            var client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft()).status == 201)
            server.kill()
            let file = store + suffix
            #expect(fault == "mode" ? chmod(file, 0o444) == 0 : chown(file, 0, 0) == 0)
            if fault == "owner" { chmod(file, 0o644) }
            let errors = try Self.refusal(of: store)
            #expect(
                errors.contains("\(file) can't be opened for writing: Permission denied"),
                "\(errors)")
            #expect(errors.contains("belongs to user \(fault == "mode" ? Self.user : 0)"))
            #expect(
                errors.contains(
                    fault == "mode"
                        ? "chmod u+rwX \(file)" : "chown \(Self.user):\(Self.user) \(file)"))
            chown(file, Self.user, Self.user)
            chmod(file, 0o644)
            server = try ServerProcess(Self.arguments(store), user: Self.user)
            client = SocketClient(port: server.port)
            #expect(try client.put("/lists/b", draft()).status == 201)
            #expect(try client.get("/lists").json["lists"]?.array.count == 2)
            try server.stop()
        }
    }

    /// A user who may only read.
    @Test(.enabled(if: isRoot))
    func anotherUserMakesBackupsAndIsToldWhoCanCheck() throws {
        try withTemporaryFolder { folder throws in
            let copies = folder.appending(path: "copies")
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            let state = folder.appending(path: "state")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            chown(state.path, Self.user, Self.user)
            chown(copies.path, 1_000, 1_000)
            let store = state.appending(path: "lists.db").path
            let server = try ServerProcess(Self.arguments(store), user: Self.user)
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft()).status == 201)
            for suffix in ["", "-wal", "-shm", "-mark"] { chmod(store + suffix, 0o644) }
            let copy = copies.path + "/copy.db"
            let backup = try ServerProcess.run(["backup", store, copy], user: 1_000)
            #expect(backup.exitCode == 0, "\(backup)")
            server.kill()
            unlink(store + ".lock")
            for name in ["", ".lock", "-mark"] {
                if name == "" { chmod(state.path, 0o755) } else { chmod(state.path, 0o777) }
                if name == "-mark" { chmod(store + ".lock", 0o666) }
                if name == "-mark" { chmod(store, 0o666) }
                let check = try ServerProcess.run(["check", store], user: 1_000)
                #expect(check.exitCode == 73)
                #expect(
                    check.errors.contains("run it as user \(Self.user) or as root"), "\(check)")
                #expect(!check.errors.contains("chown"))
            }
        }
    }

    @Test func aHardLinkToAServedFileIsRefused() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let server = try ServerProcess(Self.arguments(store))
            try FileManager.default.linkItem(atPath: store, toPath: folder.path + "/other.db")
            let ended = try ServerProcess.run(
                ["serve"] + Self.arguments(folder.path + "/other.db"))
            #expect(ended.exitCode == 73)
            #expect(ended.errors.contains("is in use by another process"))
            try server.stop()
        }
    }

    /// A copy that another program made while the server ran.
    @Test func aCopyWithoutItsLogIsReportedByEachCommand() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            let server = try ServerProcess(Self.arguments(store))
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft()).status == 201)
            try FileManager.default.copyItem(atPath: store, toPath: copy)
            let reason = "was copied or renamed while a server used it"
            for _ in 0..<2 {
                let check = try ServerProcess.run(["check", copy])
                #expect(check.exitCode == 1)
                #expect(check.output.contains(reason), "\(check.output)")
                #expect(check.output.hasSuffix(": 1 fault\n"))
            }
            for (arguments, code) in [
                (["serve"] + Self.arguments(copy), 73), (["backup", copy, copy + "2"], 65),
                (["restore", copy, "--to", copy + "2"], 65),
                (["export", "--all", "--store", "file:\(copy)"], 73),
            ] {
                let ended = try ServerProcess.run(arguments)
                #expect(ended.exitCode == code && ended.errors.contains(reason), "\(ended)")
            }
            let accepted = try ServerProcess.run(
                ["migrate", "--new-epoch", "--store", "file:\(copy)"])
            #expect(accepted.exitCode == 0, "\(accepted)")
            try ServerProcess(Self.arguments(copy)).stop()
            try server.stop()
            #expect(
                try ServerProcess.run(["check", store]).output
                    == "1 list, 0 tasks, 1 change: no faults\n")
        }
    }

    @Test func compactionShrinksAStoppedStore() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            var server = try ServerProcess(Self.arguments(store))
            let client = SocketClient(port: server.port)
            let tasks = (0..<5_000).map { "task-with-an-id-of-some-length-\($0)" }
            #expect(try client.put("/lists/a", draft(tasks)).status == 201)
            #expect(try client.put("/lists/b", draft(["t"])).status == 201)
            let deleted = try client.send("DELETE", "/lists/a?permanent=true")
            #expect(deleted.status == 204)
            let inUse = try ServerProcess.run(["compact", store])
            #expect(inUse.exitCode == 73 && inUse.errors.contains("in use"))
            try server.stop()
            func size() throws -> Int {
                try Data(contentsOf: URL(filePath: store)).count
            }
            let before = try size()
            let ended = try ServerProcess.run(["compact", store])
            #expect(ended.exitCode == 0, "\(ended)")
            #expect(ended.output == "\(store): \(before) bytes before, \(try size()) bytes now\n")
            #expect(try size() < before * 9 / 10)
            #expect(try ServerProcess.run(["compact", store + "-none"]).exitCode == 66)
            server = try ServerProcess(Self.arguments(store))
            #expect(
                try SocketClient(port: server.port).get("/lists/b").json["version"]?.int == 1)
            try server.stop()
        }
    }
}
