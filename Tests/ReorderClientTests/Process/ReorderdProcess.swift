import Foundation

/// The built executable, running as a process on a free port with the file store.
final class ReorderdProcess {
    struct DidNotStart: Error {}

    let port: Int
    private let process = Process()

    init(store: URL) throws {
        // The build puts the executable beside the tests.
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: tests).deletingLastPathComponent()
            .appending(path: "reorderd")
        process.arguments = [
            "serve", "--port", "0", "--store", "file:\(store.path)", "--log-level", "error",
        ]
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("REORDERD_") }
        let output = Pipe()
        process.standardOutput = output
        // A server that outlives crashed tests would keep their standard error open.
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n"),
            let byte = try output.fileHandleForReading.read(upToCount: 1)?.first
        {
            line.append(byte)
        }
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        guard let port = text.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw DidNotStart()
        }
        self.port = port
    }

    deinit { end() }

    /// Kills the process, without time to clean up.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
