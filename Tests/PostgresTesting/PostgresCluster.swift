import Foundation
import Synchronization
import Waiting

/// A PostgreSQL server for the tests of this process, with its files and its socket in a temporary
/// folder and without a TCP port. It ends with the process, even if the process crashes.
package final class PostgresCluster: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// Whether tests use PostgreSQL instead of the memory store and the file store. `scripts/check` sets
    /// the variable; without it, tests need no other program.
    package static let isTested =
        ProcessInfo.processInfo.environment["REORDERD_TEST_POSTGRES"] != nil

    private static let only = Mutex<Result<PostgresCluster, any Error>?>(nil)

    /// The cluster of this process, started at its first use.
    package static func shared() throws -> PostgresCluster {
        try only.withLock { only in
            let result = only ?? Result { try PostgresCluster() }
            only = result
            return try result.get()
        }
    }

    private let programs: URL
    private let folder: URL
    private let databases = Mutex(Databases())
    private struct Databases {
        /// The databases in use: a test's name for each, and its actual name.
        var used: [String: String] = [:]
        /// Databases that are empty again. Creating one takes longer than most tests.
        var free: [String] = []
    }

    /// Open until this process ends. A shell waits for that and then stops the server.
    private let life = Pipe()

    /// Starts a separate cluster, which a test can damage. It ends when it is released.
    package init() throws {
        programs = try Self.findPrograms()
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("reorderd-postgres-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0 {
            _ = try Self.run("/bin/chown", [Self.user, folder.path])
        }
        _ = try Self.run(
            "/bin/sh",
            [
                "-c",
                "\(Self.asUser) \"$0\"/initdb -D \"$1\"/data -U reorderd --auth trust "
                    + "--encoding UTF8 --locale C --no-sync", programs.path, folder.path,
            ])
        try start()
    }

    private func start() throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // No test data needs to survive a power cut.
        shell.arguments = [
            "-c",
            """
            \(Self.asUser) "$0"/postgres -D "$1"/data -k "$1" -c listen_addresses= -c fsync=off \
                -c max_connections=400 >"$1"/log 2>&1 </dev/null & server=$!
            cat >/dev/null
            kill -CONT $server $(cat /proc/$server/task/$server/children)
            kill -INT $server
            wait $server
            rm -rf "$1"
            """, programs.path, folder.path,
        ]
        shell.standardInput = life
        try shell.run()
        try waitUntil {
            guard shell.isRunning else {
                throw Failure(description: "PostgreSQL did not start; see \(folder.path)/log")
            }
            return (try? Self.run(programs.appendingPathComponent("pg_isready").path, host)) != nil
        }
    }

    /// The URL of a database with this name, which is created if it does not exist.
    package func url(ofDatabase name: String) throws -> String {
        let (database, isNew) = databases.withLock { databases in
            if let known = databases.used[name] { return (known, false) }
            let free = databases.free.popLast()
            let database = free ?? name
            databases.used[name] = database
            return (database, free == nil)
        }
        if isNew {
            _ = try Self.run(
                programs.appendingPathComponent("createdb").path,
                host + ["-U", "reorderd", database])
        }
        let socket = folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://reorderd@/\(database)?host=\(socket)"
    }

    /// Empties a database, even if it has connections, for use by the next test.
    package func remove(database name: String) throws {
        try endConnections(to: name)
        _ = try psql("DROP SCHEMA IF EXISTS reorderd CASCADE", in: name)
        databases.withLock { databases in
            if let database = databases.used.removeValue(forKey: name) {
                databases.free.append(database)
            }
        }
    }

    /// The actual name of a database.
    private func database(_ name: String) -> String {
        databases.withLock { $0.used[name] ?? name }
    }

    /// Ends all connections to a database, and allows or refuses new ones.
    package func setConnectable(_ isConnectable: Bool, database name: String) throws {
        _ = try psql(
            "ALTER DATABASE \"\(database(name))\" ALLOW_CONNECTIONS \(isConnectable)",
            in: "postgres")
        if !isConnectable { try endConnections(to: name) }
    }

    /// Ends all connections to a database, whatever their state.
    package func endConnections(to name: String) throws {
        _ = try psql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(database(name))'
            """, in: "postgres")
    }

    /// Suspends or resumes all server processes.
    package func setFrozen(_ isFrozen: Bool) throws {
        let file = folder.appendingPathComponent("data/postmaster.pid")
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let first = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw Failure(description: "\(file.path) has no process in it")
        }
        // The first process starts the others, so it is suspended before them.
        kill(first, isFrozen ? SIGSTOP : SIGCONT)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = pid_t(name),
                let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                // The name of a program can contain any character.
                let end = status.lastIndex(of: ")"),
                status[end...].split(separator: " ").dropFirst(2).first == "\(first)"
            else { continue }
            kill(process, isFrozen ? SIGSTOP : SIGCONT)
        }
    }

    /// Runs SQL in a database, and returns its output.
    package func psql(_ sql: String, in name: String) throws -> String {
        try Self.run(
            programs.appendingPathComponent("psql").path,
            host + ["-U", "reorderd", "-d", database(name), "-qAtX", "-c", sql])
    }

    /// The number of connections to a database that wait for a lock.
    package func waitingForLocks(in name: String) throws -> Int {
        try Int(
            psql(
                """
                SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE NOT granted AND datname = current_database()
                """, in: name)) ?? 0
    }

    /// A transaction that stays open until it is released.
    package final class OpenTransaction: Sendable {
        private let input: Pipe
        private let process: Process

        fileprivate init(_ process: Process, _ input: Pipe) {
            self.process = process
            self.input = input
        }

        package func release() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// Begins a transaction, and runs SQL in it.
    package func hold(_ sql: String, in name: String) throws -> OpenTransaction {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = programs.appendingPathComponent("psql")
        process.arguments = host + ["-U", "reorderd", "-d", database(name), "-qAtX"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // A shell reports that the SQL has run, because psql buffers its output.
        try input.fileHandleForWriting.write(
            contentsOf: Data("BEGIN; \(sql);\n\\! echo done\n".utf8))
        guard
            try output.fileHandleForReading.read(upToCount: 5)?.starts(with: Data("done".utf8))
                == true
        else { throw Failure(description: "\(sql) failed") }
        return OpenTransaction(process, input)
    }

    private var host: [String] { ["-h", folder.path] }

    // MARK: Programs

    private static let user = "postgres"

    /// PostgreSQL refuses to run as root.
    private static var asUser: String {
        getuid() == 0 ? "setpriv --reuid=\(user) --regid=\(user) --clear-groups --" : ""
    }

    /// Debian installs PostgreSQL's programs outside the path, in a folder for each version.
    private static func findPrograms() throws -> URL {
        let versions = URL(fileURLWithPath: "/usr/lib/postgresql")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: versions.path)) ?? []
        let newest = names.compactMap(Int.init).max().map(String.init)
        let folders = [newest.map { versions.appending(path: "\($0)/bin") }].compactMap(\.self)
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for folder in folders + path.map({ URL(fileURLWithPath: String($0)) })
        where FileManager.default.isExecutableFile(
            atPath: folder.appendingPathComponent("initdb").path)
        {
            return folder
        }
        throw Failure(description: "PostgreSQL's programs are not here: run scripts/setup --checks")
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(text)")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
