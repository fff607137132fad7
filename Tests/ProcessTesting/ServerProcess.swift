import Foundation
import Glibc
import Waiting

/// The built executable, run as a separate process.
package final class ServerProcess {
    /// The end of a process: its exit code, and what it has written.
    package struct Ended: Error, CustomStringConvertible {
        package var exitCode: Int32
        package var output = ""
        package var errors: String
        package var description: String { "exit code \(exitCode): \(errors)" }
    }

    package private(set) var port = 0
    /// The line that the server prints when it listens.
    package private(set) var line = ""
    private let process: Process
    private let output: FileHandle
    private let errorFile: URL

    /// The executable is in the same folder as the test bundle.
    static func executable() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "reorderd")
    }

    /// Starts `reorderd serve` on a free port, and waits until it listens.
    ///
    /// - Parameters:
    ///   - isListening: whether to wait until it listens.
    ///   - user: the number of the user and the group that runs it.
    /// - Throws: `Ended` if it ends before.
    package init(
        _ arguments: [String], environment: [String: String] = [:], isListening: Bool = true,
        user: uid_t? = nil
    ) throws {
        let (process, output, errors) = try Self.start(
            ["serve"] + arguments, environment, user: user)
        self.process = process
        self.output = output
        errorFile = errors
        if isListening { try waitUntilListening() }
    }

    /// - Throws: `Ended` if the process ends before it listens.
    package func waitUntilListening() throws {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n"),
            let byte = try output.read(upToCount: 1)?.first
        {
            bytes.append(byte)
        }
        line = String(decoding: bytes, as: UTF8.self)
        guard
            let port = line.dropLast().split(separator: ":").last.flatMap({ Int($0) })
        else {
            process.waitUntilExit()
            throw Ended(exitCode: process.terminationStatus, errors: errors)
        }
        self.port = port
    }

    deinit {
        if process.isRunning { Glibc.kill(identifier, SIGKILL) }
        try? FileManager.default.removeItem(at: errorFile)
    }

    /// Runs the executable with arguments for which it ends by itself.
    ///
    /// - Parameters:
    ///   - input: a file for its standard input.
    ///   - output: a file for its standard output.
    ///   - user: the number of the user and the group that runs it.
    ///   - onFirstOutput: called after the first byte of output was read. Until it returns, the
    ///     process can write only as much as a pipe holds, 64 KiB.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], input: URL? = nil,
        output file: URL? = nil, user: uid_t? = nil, onFirstOutput: () throws -> Void = {}
    ) throws -> Ended {
        let (process, output, errors) = try start(
            arguments, environment, input: input, output: file, user: user)
        var bytes = try output.read(upToCount: 1) ?? Data()
        do {
            if !bytes.isEmpty { try onFirstOutput() }
        } catch {
            Glibc.kill(process.processIdentifier, SIGKILL)
            throw error
        }
        bytes += try output.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ended(
            exitCode: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self),
            errors: text(of: errors))
    }

    /// The process ended without the expected text in standard error.
    package struct NotLogged: Error {
        package var errors: String
    }

    /// The process's standard error so far.
    package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

    /// Waits until standard error contains a text.
    package func waitForErrors(_ text: String) throws {
        try waitUntil {
            if errors.contains(text) { return true }
            guard process.isRunning else { throw NotLogged(errors: errors) }
            return false
        }
    }

    /// The process id.
    package var identifier: pid_t { process.processIdentifier }

    package var isRunning: Bool { process.isRunning }

    package func send(signal: Int32) {
        Glibc.kill(identifier, signal)
    }

    /// Kills the process, without time to clean up, and waits until it has ended.
    package func kill() {
        if process.isRunning { send(signal: SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits until the process has ended, and returns its exit code and its remaining output.
    package func wait() throws -> (exitCode: Int32, output: String) {
        process.waitUntilExit()
        let rest = try output.readToEnd() ?? Data()
        return (process.terminationStatus, String(decoding: rest, as: UTF8.self))
    }

    /// The time limits of `serve` that a busy machine does not reach.
    private static func patience(_ arguments: [String]) -> [String: String] {
        var patience = [
            "REORDERD_IDLE_TIMEOUT_SECONDS": "86400", "REORDERD_REQUEST_TIMEOUT_SECONDS": "0",
        ]
        if arguments.contains(where: { $0.contains("postgres") }) {
            patience["REORDERD_POSTGRES_TIMEOUT_SECONDS"] = "300"
        }
        return patience
    }

    private static func start(
        _ arguments: [String], _ environment: [String: String], input: URL? = nil,
        output file: URL? = nil, user: uid_t? = nil
    ) throws -> (Process, output: FileHandle, errors: URL) {
        let process = Process()
        let output = Pipe()
        // A file, because writing to a full pipe would block the process.
        let errors = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString).log")
        try Data().write(to: errors)
        process.executableURL = try executable()
        process.arguments = arguments
        if let user {
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
                + [try executable().path] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("REORDERD_") }
            .merging(patience(arguments + environment.values)) { $1 }
            .merging(environment) { $1 }
        if let input { process.standardInput = try FileHandle(forReadingFrom: input) }
        process.standardOutput = output
        if let file {
            try Data().write(to: file)
            process.standardOutput = try FileHandle(forWritingTo: file)
            try output.fileHandleForWriting.close()
        }
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        return (process, output.fileHandleForReading, errors)
    }

    private static func text(of errors: URL) -> String {
        defer { try? FileManager.default.removeItem(at: errors) }
        return (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    }
}

/// Calls `body` with a temporary folder, which is removed afterwards.
package func withTemporaryFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "reorderd-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
