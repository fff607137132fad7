import Foundation
import GRDB
import ProcessTesting
import Testing

/// `reorderd doctor` with installations that something is wrong with.
@Suite struct DoctorTests {
    private static let user: uid_t = 65_534
    private static var isRoot: Bool { geteuid() == 0 }

    struct Finding {
        let exitCode: Int32
        let text: String

        /// Whether a line has the state, the check and a text.
        func has(_ state: String, _ check: String, _ part: String) -> Bool {
            text.split(separator: "\n").contains {
                $0.hasPrefix(state) && $0.contains(" \(check): ") && $0.contains(part)
            }
        }
    }

    static func doctor(
        _ arguments: [String], environment: [String: String] = [:], user: uid_t? = nil
    ) throws -> Finding {
        let port = arguments.contains("--port") ? [] : ["--port", "0"]
        let ended = try ServerProcess.run(
            ["doctor"] + port + arguments, environment: environment, user: user)
        return Finding(exitCode: ended.exitCode, text: ended.output + ended.errors)
    }

    /// Calls `body` with a store that a server has closed.
    private static func withStore(_ body: (_ folder: URL, _ path: String) throws -> Void) throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            try CheckTests.sound.get().write(to: URL(filePath: path))
            try body(folder, path)
        }
    }

    private static func contents(of folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: folder.appending(path: $0)))
            })
    }

    @Test func aSoundInstallationHasNoProblemsAndIsNotChanged() throws {
        try Self.withStore { folder, path in
            let closed = try Self.contents(of: folder)
            var found = try Self.doctor(["--store", "file:\(path)"])
            #expect(found.exitCode == 0 && !found.text.contains("warning "), "\(found)")
            #expect(found.has("ok", "file", "SQLite's quick check finds no damage"), "\(found)")
            #expect(try Self.contents(of: folder) == closed)

            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            // What the server writes at its start is stored before this.
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/before", draft(["s"])).status == 201)
            let open = try Self.contents(of: folder)
            let port = "\(server.port)"
            found = try Self.doctor(["--port", port, "--store", "file:\(path)"])
            #expect(found.exitCode == 0 && !found.text.contains("warning "), "\(found)")
            #expect(found.has("ok", "address", "is ready"), "\(found)")
            #expect(found.has("ok", "file", "process \(server.identifier) (reorderd) has it open"))
            let now = try Self.contents(of: folder)
            #expect(now.keys == open.keys)
            // Readers note in the shared memory beside the file what they read.
            for name in open.keys where !name.hasSuffix("-shm") { #expect(now[name] == open[name]) }
            #expect(try client.put("/lists/after", draft(["t"])).status == 201)
            server.kill()

            let left = try Self.contents(of: folder)
            found = try Self.doctor(["--store", "file:\(path)"])
            #expect(found.exitCode == 0, "\(found)")
            #expect(found.has("ok", "file", "\"reorderd check\""), "\(found)")
            #expect(try Self.contents(of: folder) == left)
        }
    }

    @Test func optionsTokensAndTheCertificateAreChecked() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            var found = try Self.doctor(["--port", "65536"])
            #expect(found.exitCode == 64)
            found = try Self.doctor(
                [], environment: ["REORDERD_STORE": "memory", "REORDERD_THREADS": "many"])
            #expect(found.exitCode == 64 && found.text.contains("REORDERD_THREADS"), "\(found)")
            found = try Self.doctor(["--store", "memory"], environment: ["REORDERD_TOKEN": "x"])
            #expect(found.exitCode == 0)
            #expect(found.has("warning", "configuration", "REORDERD_TOKEN"), "\(found)")
            let arguments = ["--store", "memory", "--tokens", file]
            found = try Self.doctor(arguments + ["--tls-cert", file, "--tls-key", file])
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "tokens", "No such file"), "\(found)")
            #expect(found.has("problem", "certificate", "can't be used"), "\(found)")
            try "\n".write(toFile: file, atomically: true, encoding: .utf8)
            chmod(file, 0o666)
            found = try Self.doctor(arguments)
            #expect(found.exitCode == 0)
            #expect(found.has("warning", "tokens", "contains no tokens"), "\(found)")
            #expect(found.has("warning", "tokens", "users other than the owner"), "\(found)")
        }
    }

    @Test func theAddressIsChecked() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let port = "\(server.port)"
        // Another program.
        let other = TestProxy(to: server.port, .response("HTTP/1.1 200 OK\r\n\r\nhello"))
        defer { other.stop() }
        var found = try Self.doctor(["--store", "memory", "--port", "\(other.port)"])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "address", "Address already in use"), "\(found)")
        found = try Self.doctor([
            "--store", "memory", "--host", "192.0.2.1", "--no-auth", "--port", port,
        ])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "address", "Cannot assign requested address"), "\(found)")
        try server.stop()
        found = try Self.doctor(["--store", "memory", "--port", port])
        #expect(found.exitCode == 0 && found.has("ok", "address", "is free"), "\(found)")
    }

    @Test func aFileInUseByAServerAtAnotherAddressIsNamed() throws {
        try Self.withStore { folder, path in
            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let free = try ServerProcess(["--port", "0", "--store", "memory"])
            let port = "\(free.port)"
            try free.stop()
            let found = try Self.doctor(["--port", port, "--store", "file:\(path)"])
            #expect(found.exitCode == 1)
            #expect(
                found.has("problem", "file", "process \(server.identifier) (reorderd)"), "\(found)")
            try server.stop()
        }
    }

    /// A way to break a closed store, and what is found.
    struct Fault: Sendable, CustomTestStringConvertible {
        let state: String
        let check: String
        let part: String
        let apply: @Sendable (_ path: String) throws -> Void

        var testDescription: String { part }
    }

    private static func execute(_ sql: String) -> @Sendable (String) throws -> Void {
        {
            let queue = try DatabaseQueue(path: $0)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "\(sql); PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try queue.close()
        }
    }

    static let faults = [
        Fault(
            state: "problem", check: "file", part: "Use the newer program that wrote it",
            apply: execute("PRAGMA user_version = 99")),
        Fault(
            state: "problem", check: "file", part: "is not an SQLite database",
            apply: { try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: $0)) }),
        Fault(
            state: "problem", check: "file", part: "is damaged",
            apply: {
                let file = try FileHandle(forUpdating: URL(filePath: $0))
                // The header's number of free pages.
                try file.seek(toOffset: 36)
                try file.write(contentsOf: [0, 0, 0, 5])
                try file.close()
            }),
        Fault(
            state: "problem", check: "file", part: "is missing or empty, but its log",
            apply: {
                try Data(repeating: 1, count: 100).write(to: URL(filePath: "\($0)-wal"))
                unlink($0)
            }),
        Fault(
            state: "warning", check: "clock", part: "behind the newest time in the store",
            apply: execute("UPDATE journal SET at = 4080000000000")),
        Fault(
            state: "warning", check: "file", part: "does not exist or is empty",
            apply: { unlink($0) }
        ),
    ]

    @Test(arguments: faults) func aFaultOfTheFileIsFound(fault: Fault) throws {
        try Self.withStore { folder, path in
            try fault.apply(path)
            let before = try Self.contents(of: folder)
            let found = try Self.doctor(["--store", "file:\(path)"])
            #expect(found.exitCode == (fault.state == "problem" ? 1 : 0))
            #expect(found.has(fault.state, fault.check, fault.part), "\(found)")
            #expect(try Self.contents(of: folder) == before)
        }
    }

    @Test func aMissingFolderIsFound() throws {
        let found = try Self.doctor(["--store", "file:/nonexistent/lists.db"])
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "file", "no such directory"), "\(found)")
    }

    @Test(.enabled(if: isRoot)) func missingRightsAreFound() throws {
        try Self.withStore { folder, path in
            chown(folder.path, Self.user, Self.user)
            chown(path, Self.user, Self.user)
            chmod(path, 0o444)
            var found = try Self.doctor(["--store", "file:\(path)"], user: Self.user)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "rights", "chmod u+rwX \(path)"), "\(found)")
            chmod(path, 0o644)
            found = try Self.doctor(["--store", "file:\(path)"])
            #expect(found.exitCode == 0 && found.has("ok", "rights", "user 0"), "\(found)")
            try Data().write(to: URL(filePath: path + ".lock"))
            found = try Self.doctor(["--store", "file:\(path)"])
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "rights", "chown --reference"), "\(found)")
        }
    }

    @Test(.enabled(if: isRoot)) func aFullDiskIsFoundWhileTheServerRuns() throws {
        try withTemporaryFolder { folder throws in
            guard mount("tmpfs", folder.path, "tmpfs", 0, "size=4m") == 0 else { return }
            defer { umount2(folder.path, Int32(MNT_DETACH)) }
            let path = folder.appending(path: "lists.db").path
            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let client = SocketClient(port: server.port)
            let arguments = ["--port", "\(server.port)", "--store", "file:\(path)"]
            #expect(try Self.doctor(arguments).has("ok", "disk", "MiB are free"))
            let filler = open("\(folder.path)/filler", O_WRONLY | O_CREAT, 0o600)
            let piece = [UInt8](repeating: 1, count: 4_096)
            while write(filler, piece, piece.count) > 0 {}
            // Until the reserve is used too.
            var number = 0
            while try client.put("/lists/l\(number)", draft(["t\(number)"])).status == 201 {
                number += 1
                while write(filler, piece, piece.count) > 0 {}
            }
            let found = try Self.doctor(arguments)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "disk", "it is full"), "\(found)")
            #expect(found.has("problem", "address", "could not be stored"), "\(found)")
            close(filler)
            unlink("\(folder.path)/filler")
            #expect(try client.put("/lists/after", draft(["after"])).status == 201)
            try server.stop()
        }
    }
}
