import Foundation
import ProcessTesting
import Testing

/// `reorderd restore`, and the copies of `reorderd backup`, as administrators use them.
@Suite struct RestoreCommandTests {
    /// The user of the server if root runs the tests.
    private static let user: uid_t = 65_534
    private static var isRoot: Bool { geteuid() == 0 }

    private static func serve(
        _ store: String, user: uid_t? = nil
    ) throws -> (ServerProcess, SocketClient) {
        let server = try ServerProcess(["--port", "0", "--store", "file:\(store)"], user: user)
        return (server, SocketClient(port: server.port))
    }

    private static func run(
        _ arguments: String..., user: uid_t? = nil, code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerProcess.Ended {
        let ended = try ServerProcess.run(arguments, user: user)
        #expect(ended.exitCode == code, "\(ended)", sourceLocation: sourceLocation)
        return ended
    }

    /// A folder in which the server's user can write.
    private static func withFolder(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder throws in
            if isRoot { chown(folder.path, user, user) }
            try body(folder)
        }
    }

    /// The server crashed and left its files. Root restores a backup from before, and the server's
    /// user starts the server again.
    @Test func aRestoreReplacesACrashedStoreAndKeepsItsOwner() throws {
        try Self.withFolder { folder throws in
            let user = Self.isRoot ? Self.user : nil
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            var (server, client) = try Self.serve(store, user: user)
            #expect(try client.put("/lists/a", draft(["t"])).status == 201)
            _ = try Self.run("backup", store, copy)
            #expect(try client.put("/lists/b", draft()).status == 201)
            let tag = try #require(try client.get("/lists/a")["ETag"])
            let inUse = try Self.run("restore", copy, "--to", store, code: 73)
            #expect(inUse.errors.contains("is in use by another process"))
            server.kill()

            // Files that root's commands leave must not stop the server.
            _ = try Self.run("check", store)
            (server, client) = try Self.serve(store, user: user)
            #expect(try client.put("/lists/c", draft()).status == 201)
            server.kill()

            let restored = try Self.run("restore", copy, "--to", store)
            #expect(
                restored.output
                    == """
                    restored \(store): 1 list, 1 task, 1 change: no faults
                    the former store is \(store).before-restore, \(store).before-restore-wal, \
                    \(store).before-restore-mark

                    """)
            (server, client) = try Self.serve(store, user: user)
            #expect(server.errors.contains("restored from a backup"))
            #expect(try client.get("/lists").listIDs == ["a"])
            #expect(try client.get("/lists/a", ["If-None-Match": tag]).status == 200)
            #expect(try client.put("/lists/d", draft()).status == 201)
            try server.stop()
            #expect(try Self.run("check", store).output.contains("2 lists"))
            // The former store is complete, with the log of its crash.
            #expect(try Self.run("check", store + ".before-restore").output.contains("3 lists"))
            let again = try Self.run("restore", copy, "--to", store, code: 73)
            #expect(again.errors.contains("the store from before an earlier restore is here"))
            // Its log alone would spoil the next former store.
            try FileManager.default.removeItem(atPath: store + ".before-restore")
            try Data([1]).write(to: URL(filePath: store + ".before-restore-wal"))
            let log = try Self.run("restore", copy, "--to", store, code: 73)
            #expect(log.errors.contains("\(store).before-restore-wal"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("restored") || $0.contains("partial") })
        }
    }

    @Test func aBackupCopiedOverAStoreWithALogIsRefusedByTheServer() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            _ = try Self.run("backup", store, copy)
            #expect(try client.put("/lists/b", draft()).status == 201)
            server.kill()
            try Data(contentsOf: URL(filePath: copy)).write(to: URL(filePath: store))
            let refused = try Self.run("serve", "--port", "0", "--store", "file:\(store)", code: 73)
            #expect(refused.errors.contains("the file that was here before"))
            #expect(refused.errors.contains("reorderd restore"))
            _ = try Self.run("restore", copy, "--to", store)
            let (restored, reader) = try Self.serve(store)
            #expect(try reader.get("/lists").listIDs == ["a"])
            try restored.stop()
        }
    }

    /// Copies that other programs made: of the running server's file, and of a stopped server's file.
    @Test(arguments: [true, false])
    func aCopyOverAStoreWithALogIsRefusedByTheServer(wasStopped: Bool) throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            var (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft(["t"])).status == 201)
            if wasStopped { try server.stop() } else { server.kill() }
            try FileManager.default.copyItem(atPath: store, toPath: copy)
            (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/b", draft()).status == 201)
            server.kill()
            // A server that crashed is opened again.
            (server, client) = try Self.serve(store)
            #expect(try client.get("/lists").listIDs == ["a", "b"])
            server.kill()
            try Data(contentsOf: URL(filePath: copy)).write(to: URL(filePath: store))
            let serve = ["serve", "--port", "0", "--store", "file:\(store)"]
            for arguments in [serve, ["check", store], ["compact", store]] {
                let refused = try ServerProcess.run(arguments)
                #expect(refused.exitCode == 73)
                #expect(
                    refused.errors.contains("the file that was here before"),
                    "\(refused)")
                #expect(refused.errors.contains("reorderd restore"))
            }
            let refused = try ServerProcess.run(["backup", store, folder.path + "/backup.db"])
            #expect(refused.exitCode == 65)
            #expect(refused.errors.contains("the file that was here before"), "\(refused)")
            guard wasStopped else { return }
            _ = try Self.run("restore", copy, "--to", store)
            (server, client) = try Self.serve(store)
            #expect(try client.get("/lists").listIDs == ["a"])
            try server.stop()
        }
    }

    @Test func aRestoreToANamedFileDoesNotReadTheVariable() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            try server.stop()
            let ended = try ServerProcess.run(
                ["restore", store, "--to", copy],
                environment: ["REORDERD_STORE_FILE": "/nowhere/at/all"])
            #expect(ended.exitCode == 0, "\(ended)")
        }
    }

    @Test func aDamagedBackupIsNotRestored() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            _ = try Self.run("backup", store, copy)
            try server.stop()
            let before = try Data(contentsOf: URL(filePath: store))
            var bytes = try Data(contentsOf: URL(filePath: copy))
            let title = try #require(bytes.range(of: Data(#""title""#.utf8), options: .backwards))
            bytes[title.lowerBound + 1] ^= 1
            try bytes.write(to: URL(filePath: copy))
            let ended = try Self.run("restore", copy, "--to", store, code: 65)
            #expect(ended.errors.contains("nothing was restored"))
            #expect(try Data(contentsOf: URL(filePath: store)) == before)
            _ = try Self.run("restore", folder.path + "/none", "--to", store, code: 66)
            _ = try Self.run("restore", store, "--to", store, code: 66)
            _ = try Self.run("restore", store, "--to", "postgres://a@b/c", code: 64)
        }
    }

    /// As in the image: the backup's folder can't be written to, and a variable names the store.
    @Test(.enabled(if: isRoot))
    func theUserOfTheServerRestoresFromAFolderThatItCantWriteTo() throws {
        try withTemporaryFolder { folder throws in
            let state = folder.appending(path: "state")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            chown(state.path, Self.user, Self.user)
            let store = state.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db").path
            let (server, client) = try Self.serve(store, user: Self.user)
            #expect(try client.put("/lists/a", draft()).status == 201)
            _ = try Self.run("backup", store, copy)
            try server.stop()
            chmod(copy, 0o644)
            for path in [store, store + ".lock"] { unlink(path) }
            let ended = try ServerProcess.run(
                ["restore", copy], environment: ["REORDERD_STORE": "file:\(store)"],
                user: Self.user)
            #expect(ended.exitCode == 0, "\(ended)")
            let (restored, reader) = try Self.serve(store, user: Self.user)
            #expect(try reader.get("/lists").listIDs == ["a"])
            try restored.stop()
        }
    }

    @Test func aBackupGoesToStandardOutputOrAFolderOrReplacesACopy() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let copy = folder.appending(path: "copy.db")
            let (server, client) = try Self.serve(store)
            #expect(try client.put("/lists/a", draft()).status == 201)
            let ended = try ServerProcess.run(["backup", store, "-"], output: copy)
            #expect(ended.exitCode == 0, "\(ended)")
            #expect(try Self.run("check", copy.path).output.hasPrefix("1 list,"))
            #expect(try client.put("/lists/b", draft()).status == 201)
            _ = try Self.run("backup", store, copy.path, code: 73)
            _ = try Self.run("backup", "--replace", store, copy.path)
            #expect(try Self.run("check", copy.path).output.hasPrefix("2 lists,"))
            _ = try Self.run("backup", "--replace", store, store, code: 73)

            let copies = folder.appending(path: "copies")
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            try Data().write(to: copies.appending(path: "lists-mine.db"))
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: copies.path)
                    .filter { $0 != "lists-mine.db" }.sorted()
            }
            var made: [String] = []
            for _ in 0..<3 {
                _ = try Self.run("backup", store, copies.path, "--keep", "2")
                made.append(try #require(try names().last))
            }
            #expect(try names() == Array(made.suffix(2)) && Set(made).count == 3)
            #expect(made[0].wholeMatch(of: #/lists-\d{8}T\d{6}\.\d{3}Z\.db/#) != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).count == 3)
            // The clock was ahead when two copies were made.
            for year in [2098, 2099] {
                try Data().write(to: copies.appending(path: "lists-\(year)0101T000000.000Z.db"))
            }
            _ = try Self.run("backup", store, copies.path, "--keep", "2")
            let kept = try names()
            #expect(kept.count == 2 && kept[0] > made[2] && kept[1].hasPrefix("lists-2099"))
            _ = try Self.run("backup", store, copy.path, "--keep", "2", code: 73)
            _ = try Self.run("backup", store, "-", "--keep", "2", code: 64)
            try server.stop()
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!left.contains { $0.hasPrefix("backup-") })
        }
    }

    @Test(.enabled(if: isRoot)) func aFullDiskIsTheReasonOfAFailedBackup() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let disk = folder.appending(path: "disk").path
            let (server, client) = try Self.serve(store)
            let tasks = (0..<2_000).map { "task-with-an-id-of-some-length-\($0)" }
            #expect(try client.put("/lists/a", draft(tasks)).status == 201)
            try FileManager.default.createDirectory(
                atPath: disk, withIntermediateDirectories: true)
            guard mount("tmpfs", disk, "tmpfs", 0, "size=64k") == 0 else {
                return try server.stop()
            }
            defer { umount2(disk, Int32(MNT_DETACH)) }
            let ended = try Self.run("backup", store, disk + "/copy.db", code: 74)
            #expect(ended.errors == "reorderd: the disk of \(disk)/copy.db is full\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == [])
            try server.stop()
        }
    }
}
