import Foundation
import GRDB
import ProcessTesting
import SigningKeys
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

        var hasProblem: Bool { text.contains("problem ") }
    }

    static func doctor(
        _ arguments: String..., environment: [String: String] = [:], user: uid_t? = nil
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
            var found = try Self.doctor("--store", "file:\(path)")
            #expect(found.exitCode == 0 && !found.hasProblem, "\(found)")
            #expect(found.has("ok", "content", "SQLite's quick check finds no damage"), "\(found)")
            #expect(found.has("ok", "clock", "no stored change is later"))
            #expect(try Self.contents(of: folder) == closed)

            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let open = try Self.contents(of: folder)
            found = try Self.doctor("--port", "\(server.port)", "--store", "file:\(path)")
            #expect(found.exitCode == 0 && !found.hasProblem, "\(found)")
            #expect(found.has("ok", "address", "is ready"), "\(found)")
            #expect(found.has("ok", "use", "process \(server.identifier) (reorderd) has the file"))
            #expect(found.has("ok", "content", "SQLite's quick check finds no damage"), "\(found)")
            let now = try Self.contents(of: folder)
            #expect(now.keys == open.keys)
            // Readers note in the shared memory beside the file what they read.
            for name in open.keys where !name.hasSuffix("-shm") { #expect(now[name] == open[name]) }
            server.kill()

            let left = try Self.contents(of: folder)
            found = try Self.doctor("--store", "file:\(path)")
            #expect(found.exitCode == 0 && !found.hasProblem, "\(found)")
            #expect(found.has("ok", "content", "not checked, because the next start first reads"))
            #expect(try Self.contents(of: folder) == left)
        }
    }

    @Test func theConfigurationIsChecked() throws {
        var found = try Self.doctor("--port", "65536")
        #expect(found.exitCode == 64)
        found = try Self.doctor(
            "--port", "0", environment: ["REORDERD_STORE": "memory", "REORDERD_THREADS": "many"])
        #expect(found.exitCode == 64 && found.text.contains("REORDERD_THREADS"), "\(found)")
        found = try Self.doctor(
            "--store", "memory", environment: ["REORDERD_TOKEN": "x"])
        #expect(found.exitCode == 0)
        #expect(found.has("warning", "configuration", "REORDERD_TOKEN"), "\(found)")
    }

    // MARK: The address

    @Test func theAddressIsChecked() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        // Another program: a proxy that does not lead to a server.
        let other = TestProxy(
            to: server.port,
            .response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"))
        defer { other.stop() }
        var found = try Self.doctor("--store", "memory", "--port", "\(other.port)")
        #expect(found.exitCode == 1)
        #expect(found.has("problem", "address", "another program answers"), "\(found)")
        found = try Self.doctor(
            "--store", "memory", "--host", "192.0.2.1", "--no-auth", "--port", "\(server.port)")
        #expect(found.exitCode == 1 && found.has("problem", "address", "can't be used"), "\(found)")
        try server.stop()
        found = try Self.doctor("--store", "memory", "--port", "\(server.port)")
        #expect(found.exitCode == 0 && found.has("ok", "address", "is free"), "\(found)")
    }

    @Test func aFileInUseByAServerAtAnotherAddressIsNamed() throws {
        try Self.withStore { folder, path in
            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let free = try ServerProcess(["--port", "0", "--store", "memory"])
            try free.stop()
            let found = try Self.doctor("--port", "\(free.port)", "--store", "file:\(path)")
            #expect(found.exitCode == 1)
            #expect(
                found.has("problem", "use", "process \(server.identifier) (reorderd)"), "\(found)")
            try server.stop()
        }
    }

    // MARK: The file

    /// A way to break a closed store, and what is found.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: String
        let part: String
        let apply: @Sendable (_ path: String) throws -> Void

        init(_ check: String, _ part: String, _ apply: @escaping @Sendable (String) throws -> Void)
        {
            self.check = check
            self.part = part
            self.apply = apply
        }

        init(_ check: String, _ part: String, sql: String) {
            self.init(check, part) {
                try DatabaseQueue(path: $0).writeWithoutTransaction { try $0.execute(sql: sql) }
            }
        }

        var testDescription: String { part }
    }

    static let faults = [
        Fault(
            "content", "has version 99 of the file format; this program reads",
            sql: "PRAGMA user_version = 99"),
        Fault("content", "belongs to another application", sql: "PRAGMA application_id = 1"),
        Fault("content", "is not an SQLite database") {
            try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: $0))
        },
        Fault("content", "is damaged") {
            let file = try FileHandle(forUpdating: URL(filePath: $0))
            // The header's number of free pages.
            try file.seek(toOffset: 36)
            try file.write(contentsOf: [0, 0, 0, 5])
            try file.close()
        },
        Fault("content", "is missing or empty, but its log") {
            try Data(repeating: 1, count: 100).write(to: URL(filePath: "\($0)-wal"))
            unlink($0)
        },
        Fault(
            "clock", "behind the newest change, of 2099-",
            sql: "UPDATE journal SET at = 4080000000000"),
    ]

    @Test(arguments: faults) func aFaultOfTheFileIsFound(fault: Fault) throws {
        try Self.withStore { folder, path in
            try fault.apply(path)
            for name in ["-wal", "-shm"] where fault.part.contains("log") == false {
                unlink(path + name)
            }
            let before = try Self.contents(of: folder)
            let found = try Self.doctor("--store", "file:\(path)")
            #expect(found.exitCode == 1)
            #expect(found.has("problem", fault.check, fault.part), "\(found)")
            #expect(try Self.contents(of: folder) == before)
        }
    }

    @Test func aMissingFileOrFolderIsFound() throws {
        try withTemporaryFolder { folder throws in
            var found = try Self.doctor("--store", "file:\(folder.path)/none/lists.db")
            #expect(found.exitCode == 1 && found.has("problem", "file", "no such directory"))
            found = try Self.doctor("--store", "file:\(folder.path)/lists.db")
            #expect(found.exitCode == 0)
            #expect(found.has("warning", "content", "does not exist or is empty"), "\(found)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test(.enabled(if: isRoot)) func missingRightsAreFound() throws {
        try Self.withStore { folder, path in
            chown(folder.path, Self.user, Self.user)
            chown(path, Self.user, Self.user)
            chmod(path, 0o444)
            var found = try Self.doctor("--store", "file:\(path)", user: Self.user)
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "rights", "chmod u+rwX \(path)"), "\(found)")
            chmod(path, 0o644)
            found = try Self.doctor("--store", "file:\(path)")
            #expect(found.exitCode == 0, "\(found)")
            #expect(
                found.has("ok", "rights", "not checked for the owner, user \(Self.user)"),
                "\(found)")
            try Data().write(to: URL(filePath: path + ".lock"))
            found = try Self.doctor("--store", "file:\(path)")
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "rights", "\(path).lock does not belong to"), "\(found)")
        }
    }

    @Test(.enabled(if: isRoot)) func aFullDiskIsFoundWhileTheServerRuns() throws {
        try withTemporaryFolder { folder throws in
            guard mount("tmpfs", folder.path, "tmpfs", 0, "size=4m") == 0 else { return }
            defer { umount2(folder.path, Int32(MNT_DETACH)) }
            let path = folder.appending(path: "lists.db").path
            let server = try ServerProcess(["--port", "0", "--store", "file:\(path)"])
            let client = SocketClient(port: server.port)
            var found = try Self.doctor("--port", "\(server.port)", "--store", "file:\(path)")
            #expect(found.exitCode == 0 && found.has("warning", "disk", "in memory"), "\(found)")
            let filler = open("\(folder.path)/filler", O_WRONLY | O_CREAT, 0o600)
            let piece = [UInt8](repeating: 1, count: 4_096)
            while write(filler, piece, piece.count) > 0 {}
            // Until the reserve is used too.
            var number = 0
            while try client.put("/lists/l\(number)", draft(["t\(number)"])).status == 201 {
                number += 1
                while write(filler, piece, piece.count) > 0 {}
            }
            found = try Self.doctor("--port", "\(server.port)", "--store", "file:\(path)")
            #expect(found.exitCode == 1)
            #expect(found.has("problem", "disk", "it is full"), "\(found)")
            #expect(found.has("problem", "address", "can't store changes"), "\(found)")
            #expect(found.has("ok", "content", "quick check finds no damage"), "\(found)")
            close(filler)
            unlink("\(folder.path)/filler")
            try server.stop()
        }
    }

    // MARK: Tokens, the certificate and limits

    @Test func tokensAreChecked() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "tokens.jsonl").path
            let arguments = ["doctor", "--port", "0", "--store", "memory"]
            func doctor(_ more: String...) throws -> Finding {
                let ended = try ServerProcess.run(arguments + more)
                return Finding(exitCode: ended.exitCode, text: ended.output)
            }
            var found = try doctor("--tokens", file)
            #expect(found.exitCode == 1 && found.has("problem", "tokens", "No such file"))
            try "nonsense".write(toFile: file, atomically: true, encoding: .utf8)
            found = try doctor("--tokens", file)
            #expect(found.has("problem", "tokens", "line 1: it is not a JSON object"), "\(found)")
            try "\n".write(toFile: file, atomically: true, encoding: .utf8)
            found = try doctor("--tokens", file)
            #expect(found.exitCode == 0 && found.has("warning", "tokens", "contains no tokens"))
            chmod(file, 0o666)
            found = try doctor("--tokens", file)
            #expect(found.has("warning", "tokens", "users other than the owner"), "\(found)")
            found = try doctor("--host", "0.0.0.0", "--no-auth")
            #expect(found.has("warning", "tokens", "every client that reaches it"), "\(found)")
        }
    }

    @Test func aTokenInTheStoreThatExpiresSoonIsNamed() throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "lists.db").path
            let file = folder.appending(path: "tokens.jsonl").path
            let new = try ServerProcess.run([
                "token", "new", "--name", "root", "--scope", "admin", "--file", file,
            ])
            let access = ["Authorization": "Bearer \(new.output.dropLast())"]
            let server = try ServerProcess([
                "--port", "0", "--store", "file:\(path)", "--tokens", file,
            ])
            let client = SocketClient(port: server.port)
            for (name, days) in [("phone", 3), ("tablet", 300)] {
                let end = ISO8601DateFormatter().string(
                    from: Date(timeIntervalSinceNow: Double(days) * 86_400))
                let body =
                    #"{"name":"\#(name)","grants":[{"scope":"read"}],"expiresAt":"\#(end)"}"#
                let answer = try client.post("/tokens", body, access)
                #expect(answer.status == 201, "\(answer.text)")
            }
            let found = try Self.doctor(
                "--port", "\(server.port)", "--store", "file:\(path)", "--tokens", file)
            #expect(found.exitCode == 0, "\(found)")
            #expect(found.has("warning", "tokens", "the token of \"phone\" expires on"), "\(found)")
            #expect(!found.text.contains("tablet"))
            try server.stop()
        }
    }

    @Test(arguments: [
        (-20, -1, "problem", "expired on"), (1, 20, "problem", "is valid only from"),
        (-1, 3, "warning", "expires on"), (-1, 300, "ok", "matches its key"),
    ])
    func theCertificateIsChecked(from: Int, until: Int, state: String, part: String) throws {
        try withTemporaryFolder { folder throws in
            let (file, key) = (folder.appending(path: "c.pem"), folder.appending(path: "k.pem"))
            func date(_ days: Int) -> Date { Date(timeIntervalSinceNow: Double(days) * 86_400) }
            let made = TestCertificate(validFrom: date(from), until: date(until))
            try made.certificate.write(to: file)
            try made.key.write(to: key)
            var found = try Self.doctor(
                "--store", "memory", "--tls-cert", file.path, "--tls-key", key.path)
            #expect(found.exitCode == (state == "problem" ? 1 : 0))
            #expect(found.has(state, "certificate", part), "\(found)")
            try TestCertificate(validFrom: date(-1), until: date(1)).key.write(to: key)
            found = try Self.doctor(
                "--store", "memory", "--tls-cert", file.path, "--tls-key", key.path)
            #expect(found.exitCode == 1 && found.has("problem", "certificate", "can't be used"))
        }
    }

    @Test func theLimitOfOpenFilesIsChecked() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let found = try Self.doctor(
            "--store", "memory", "--max-connections", "1000000", "--max-streams", "1000000")
        #expect(found.exitCode == 0)
        let state = limit.rlim_max < 2_000_256 ? "warning" : "ok"
        #expect(found.has(state, "limits", "2000256 open files are"), "\(found)")
    }
}
