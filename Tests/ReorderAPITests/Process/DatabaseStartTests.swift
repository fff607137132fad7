import Foundation
import PostgresStore
import PostgresTesting
import ProcessTesting
import Testing
import Waiting

/// Servers whose database is not there yet, or was upgraded by a newer program.
@Suite struct DatabaseStartTests {
    private static func withDatabase(
        _ body: (_ url: String, _ name: String, _ cluster: PostgresCluster) throws -> Void
    ) throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        let url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        try body(url, name, cluster)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aServerWaitsForItsDatabaseUntilASignal(signal: Int32) throws {
        let server = try ServerProcess(
            ["--port", "0", "--store", "postgres://nobody@/x?host=/nowhere"], isListening: false)
        try server.waitForErrors("the next attempt is in 0.5 s")
        try server.waitForErrors("the next attempt is in 1.0 s")
        #expect(server.errors.contains("PostgreSQL can't be reached"))
        #expect(server.errors.contains("/nowhere/.s.PGSQL"))
        server.send(signal: signal)
        let ended = try server.wait()
        #expect(ended.exitCode == 0 && ended.output.isEmpty)
    }

    /// No later attempt can succeed, so the server does not wait.
    @Test(arguments: [
        ("sslmode=verify-ful", #"invalid sslmode value: "verify-ful""#),
        (
            "sslmode=verify-full&sslrootcert=/nowhere/root.crt",
            "the file /nowhere/root.crt of sslrootcert"
        ),
        ("sslrootcert=/nowhere/root.crt", "the file /nowhere/root.crt of sslrootcert"),
        ("sslmode=verify-ca", "sslmode=verify-ca needs a root certificate"),
        ("sslcert=/nowhere/c.crt", "the file /nowhere/c.crt of sslcert"),
        ("passfile=/nowhere/pass", "the file /nowhere/pass of passfile"),
        ("connect_timeout=soon", "connect_timeout must be a number"),
        ("target_session_attrs=rw", "invalid target_session_attrs value"),
        ("port=99999", "invalid port number"), ("port=1,2,3", "could not match 3 port numbers"),
        ("sslmod=require", "sslmod"),
    ])
    func aValueThatNoConnectionCanHaveEndsTheServer(query: String, reason: String) throws {
        let url = "postgres://nobody:secret@a.invalid,b.invalid/x?\(query)"
        let ended = try ServerProcess.run(
            ["serve", "--port", "0", "--store", url], environment: ["HOME": "/nowhere"])
        #expect(ended.exitCode == 73, "\(ended.errors)")
        #expect(ended.errors.contains(reason), "\(ended.errors)")
        #expect(!ended.errors.contains("secret"))
    }

    /// libpq does not say whether a failed connection can succeed later, so the server waits. Each line
    /// has the database's reason.
    @Test(.enabled(if: PostgresCluster.isTested), arguments: ["database", "role"])
    func theReasonIsInEachLineUntilTheMissingPartIsThere(missing: String) throws {
        let name = "test-\(UUID().uuidString)"
        let cluster = try PostgresCluster.shared()
        var url = try cluster.url(ofDatabase: name)
        defer { try? cluster.remove(database: name) }
        let absent = "absent-\(UUID().uuidString)"
        if missing == "role" {
            url += "\(url.contains("?") ? "&" : "?")user=\(absent)"
        } else {
            url.replace(/@\/[^?]*/, with: "@/\(absent)")
        }
        let server = try ServerProcess(["--port", "0", "--store", url], isListening: false)
        try server.waitForErrors("the next attempt is in 2.0 s")
        let lines = server.errors.split(separator: "\n").filter { $0.contains("next attempt") }
        #expect(lines.count >= 3)
        for line in lines {
            #expect(line.contains("\(missing) \"\(absent)\" does not exist"), "\(line)")
        }
        try server.stop()
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aRoleThatMayNotCreateTheTablesEndsTheServer() throws {
        try Self.withDatabase { url, name, cluster in
            _ = try cluster.psql("CREATE ROLE \"\(name)\" LOGIN", in: name)
            defer { _ = try? cluster.psql("DROP ROLE \"\(name)\"", in: name) }
            let other = "\(url)\(url.contains("?") ? "&" : "?")user=\(name)"
            let ended = try ServerProcess.run(
                ["serve", "--port", "0", "--migrate", "--store", other])
            #expect(ended.exitCode == 73)
            #expect(ended.errors.contains("permission denied for database"), "\(ended)")
        }
    }

    /// Starts a server whose store's name comes from a pipe, which has no content yet.
    private static func withPipe(
        _ body: (_ server: ServerProcess, _ pipe: FileHandle) throws -> Void
    ) throws {
        try withTemporaryFolder { folder throws in
            let path = folder.appending(path: "store").path
            #expect(mkfifo(path, 0o600) == 0)
            let server = try ServerProcess(
                ["--port", "0"], environment: ["REORDERD_STORE_FILE": path], isListening: false)
            var writer: Int32 = -1
            // A pipe can be opened only after the server has begun to open it.
            try waitUntil {
                writer = open(path, O_WRONLY | O_NONBLOCK)
                return writer >= 0 || !server.isRunning
            }
            try #require(writer >= 0, "\(server.errors)")
            try body(server, FileHandle(fileDescriptor: writer, closeOnDealloc: true))
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalBeforeTheOptionsAreReadEndsTheServer(signal: Int32) throws {
        try Self.withPipe { server, pipe throws in
            server.send(signal: signal)
            let ended = try server.wait()
            #expect(ended.exitCode == 0 && ended.output.isEmpty)
            try pipe.close()
        }
    }

    @Test func theStoreCanBeNamedThroughAPipe() throws {
        try Self.withPipe { server, pipe throws in
            try pipe.write(contentsOf: Data("memory\n".utf8))
            try pipe.close()
            try server.waitUntilListening()
            try server.waitForErrors("store=memory")
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested), arguments: [[], ["--migrate"]])
    func aServerStartsWhenItsDatabaseComesBack(options: [String]) throws {
        try Self.withDatabase { url, name, cluster in
            #expect(try ServerProcess.run(["migrate", "--store", url]).exitCode == 0)
            try cluster.setConnectable(false, database: name)
            let server = try ServerProcess(
                ["--port", "0", "--store", url] + options, isListening: false)
            try server.waitForErrors("PostgreSQL can't be reached; the next attempt is in")
            try cluster.setConnectable(true, database: name)
            try server.waitUntilListening()
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft()).status == 201)
            try server.stop()
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aDatabaseWithoutTablesIsReportedWithExitCode73() throws {
        try Self.withDatabase { url, _, _ in
            let ended = try ServerProcess.run(["serve", "--port", "0", "--store", url])
            #expect(ended.exitCode == 73)
            #expect(ended.errors.contains("its tables do not exist"), "\(ended)")
        }
    }

    /// A password in the URL does not appear on the command line.
    @Test(.enabled(if: PostgresCluster.isTested))
    func theStoreCanBeNamedInAFile() throws {
        try Self.withDatabase { url, _, _ in
            try withTemporaryFolder { folder throws in
                let file = folder.appending(path: "store")
                try Data("\(url)\n".utf8).write(to: file)
                // The image sets the other variable.
                let environment = [
                    "REORDERD_STORE_FILE": file.path, "REORDERD_STORE": "file:reorderd.db",
                ]
                let migrated = try ServerProcess.run(["migrate"], environment: environment)
                #expect(migrated.exitCode == 0, "\(migrated)")
                let server = try ServerProcess(["--port", "0"], environment: environment)
                try server.waitForErrors("store=PostgreSQL")
                try server.stop()
            }
        }
    }

    @Test func aStoreInAFileIsOneLine() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "store")
            let reason = "\(file.path) must have one line of at most 4096 bytes"
            let longest = "file:" + String(repeating: "a", count: 4_091)
            for (text, isRefused) in [
                ("file:a.db\nfile:b.db\n", true), (longest + "a\n", true), (longest + "\n", false),
            ] {
                try Data(text.utf8).write(to: file)
                let ended = try ServerProcess.run(
                    ["serve"], environment: ["REORDERD_STORE_FILE": file.path])
                #expect(ended.errors.contains(reason) == isRefused, "\(ended)")
                // Names of files are shorter than that.
                #expect(ended.exitCode == (isRefused ? 64 : 73))
            }
        }
    }

    @Test(arguments: ["", "/nowhere/at/all"])
    func aFileWithoutAStoreIsReportedWithExitCode64(path: String) throws {
        try withTemporaryFolder { folder throws in
            let empty = folder.appending(path: "store")
            try Data("\n".utf8).write(to: empty)
            let file = path.isEmpty ? empty.path : path
            let ended = try ServerProcess.run(
                ["serve"], environment: ["REORDERD_STORE_FILE": file])
            #expect(ended.exitCode == 64)
            #expect(
                ended.errors.contains(
                    "REORDERD_STORE_FILE: \(file) \(path.isEmpty ? "is empty" : "can't be read")"),
                "\(ended)")
        }
    }

    // MARK: Upgraded tables

    /// A newer program upgrades the tables while the server runs.
    @Test(.enabled(if: PostgresCluster.isTested))
    func aServerTakesNoWritesAfterTheTablesWereUpgraded() throws {
        try Self.withDatabase { url, name, cluster in
            let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft(["t"])).status == 201)
            #expect(try client.get("/readyz").status == 200)
            let newer = PostgresListStore.schemaVersion + 1
            _ = try cluster.psql("INSERT INTO reorderd.schema_version VALUES (\(newer))", in: name)
            for (method, path, body) in [
                ("PATCH", "/tasks/t", #"{"title":"x"}"#), ("PUT", "/lists/b", draft()),
                ("DELETE", "/lists/a", ""),
            ] {
                let response = try client.send(method, path, body)
                #expect(response.status == 503, "\(method) \(path): \(response.text)")
            }
            #expect(try client.get("/readyz/writes").status == 503)
            #expect(try client.get("/lists/a").status == 200)
            try server.waitForErrors(
                "a newer reorderd has upgraded the tables to version \(newer)")
            #expect(try cluster.psql("SELECT count(*) FROM reorderd.change", in: name) == "1")
            try server.stop()
        }
    }

    @Test(.enabled(if: PostgresCluster.isTested))
    func aMigrationWaitsForCommitsThatHaveBegun() throws {
        try Self.withDatabase { url, name, cluster in
            #expect(try ServerProcess.run(["migrate", "--store", url]).exitCode == 0)
            _ = try cluster.psql(
                """
                UPDATE reorderd.schema_version SET version = version - 1
                WHERE version = (SELECT max(version) FROM reorderd.schema_version)
                """, in: name)
            // A commit reads the version first, which takes this lock.
            let commit = try cluster.hold(
                "LOCK TABLE reorderd.schema_version IN ACCESS SHARE MODE", in: name)
            let migration = Pending { try ServerProcess.run(["migrate", "--store", url]) }
            try waitUntil { try cluster.waitingForLocks(in: name) == 1 }
            #expect(!migration.isDone)
            commit.release()
            #expect(try migration.get().exitCode == 0)
        }
    }

    /// A commit that begins during a migration waits for it, and is then refused.
    @Test(.enabled(if: PostgresCluster.isTested))
    func aMigrationAndACommitDoNotOverlap() throws {
        try Self.withDatabase { url, name, cluster in
            let server = try ServerProcess(["--port", "0", "--store", url, "--migrate"])
            let client = SocketClient(port: server.port)
            #expect(try client.put("/lists/a", draft()).status == 201)
            // What a migration does, as far as a server notices.
            let migration = try cluster.hold(
                """
                LOCK TABLE reorderd.schema_version IN ACCESS EXCLUSIVE MODE;
                INSERT INTO reorderd.schema_version VALUES (\(PostgresListStore.schemaVersion + 1));
                COMMIT; BEGIN; LOCK TABLE reorderd.schema_version IN ACCESS EXCLUSIVE MODE
                """, in: name)
            let write = Pending { try client.put("/lists/b", draft()) }
            try waitUntil { try cluster.waitingForLocks(in: name) > 0 }
            #expect(!write.isDone)
            migration.release()
            #expect(try write.get().status == 503)
            try server.stop()
        }
    }
}
