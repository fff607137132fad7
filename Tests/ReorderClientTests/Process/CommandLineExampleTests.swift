import Foundation
import ProcessTesting
import Testing

@testable import ReorderClient

/// The command-line client in `Examples/reorder`, with a server.
@Suite struct CommandLineExampleTests {
    private let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)

    /// The executable is in the same folder as the test bundle.
    private func run(
        _ server: String, _ arguments: String..., device: String = "phone"
    ) throws -> (code: Int32, output: String, errors: String) {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let process = Process()
        process.executableURL = URL(filePath: tests).deletingLastPathComponent()
            .appending(path: "reorder")
        process.arguments = [server] + arguments
        process.environment = ["REORDER_FOLDER": folder.appending(path: device).path]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let problem = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: text, as: UTF8.self),
            String(decoding: problem, as: UTF8.self)
        )
    }

    @Test func aListIsChangedAndWaitsWithoutAServer() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var server: ServerProcess? = try ServerProcess(["--port", "0", "--store", "memory"])
        let url = "http://127.0.0.1:\(server?.port ?? 0)"
        let admin = ReorderClient(
            server: try #require(URL(string: url)), storage: folder.appending(path: "admin"))
        try await admin.createList("l", title: "Groceries")
        #expect(try run(url, "l", "add", "Milk").output == "Groceries\n1\t[ ] Milk\n")
        #expect(try run(url, "l", "add", "Apples").code == 0)
        #expect(try run(url, "l", "add", "Fruit").code == 0)
        #expect(try run(url, "l", "move", "3", "1").code == 0)
        #expect(try run(url, "l", "into", "3", "1").code == 0)
        let done = try run(url, "l", "done", "3")
        #expect(done.output == "Groceries\n1\t[ ] Fruit\n2\t  [ ] Apples\n3\t[x] Milk\n")
        #expect(try run(url, "l", "fold", "1").output == "Groceries\n1\t[ ] Fruit\n2\t[x] Milk\n")
        let unknown = try run(url, "unknown")
        #expect(unknown.code == 1 && unknown.errors == "The list does not exist.\n")
        #expect(try run(url, "l", "jump").errors.hasPrefix("reorder SERVER LIST"))
        #expect(try run(url, "l", "done", "2", device: "pad").code == 0)
        #expect(try run(url, "l", "add", "Tea").code == 0)
        let newest = "Groceries\n1\t[ ] Fruit\n2\t[x] Milk\n3\t[ ] Tea\n"
        #expect(try run(url, "l", device: "pad").output == newest)
        #expect(try run(url, "l", "delete", "3", device: "pad").code == 0)
        #expect(try run(url, "l").output == "Groceries\n1\t[ ] Fruit\n2\t[x] Milk\n")
        server = nil
        #expect(try run(url, "l").output.hasSuffix("others may have changed the list\n"))
        let offline = try run(url, "l", "delete", "2")
        #expect(offline.code == 0)
        #expect(offline.output == "Groceries\n1\t[ ] Fruit\n1 changes wait to be sent\n")
        #expect(try run(url, "l").output.hasSuffix("1 changes wait to be sent\n"))
    }
}
