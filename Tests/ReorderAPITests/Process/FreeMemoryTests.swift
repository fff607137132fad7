import Foundation
import ProcessTesting
import Testing
import Waiting

/// The memory of a server process after large work.
@Suite struct FreeMemoryTests {
    private func residentBytes(_ client: SocketClient) throws -> Double {
        let prefix = "process_resident_memory_bytes "
        let line = try client.get("/metrics").text.split(separator: "\n")
            .first { $0.hasPrefix(prefix) }
        return try #require(line.flatMap { Double($0.dropFirst(prefix.count)) })
    }

    @Test func anIdleServerGivesBackTheMemoryOfADeletedList() throws {
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let client = SocketClient(port: server.port)
        let before = try residentBytes(client)
        let size = 64 << 20
        let task =
            #"{"title":"","data":{"text":"\#(String(repeating: "x", count: 8_000))"}}"# + "\n"
        let lines =
            #"{"title":"large"}"# + "\n"
            + String(repeating: task, count: size / task.utf8.count)
        let made = try client.put(
            "/lists/large", lines, ["Content-Type": "application/x-ndjson"])
        #expect(made.status == 201)
        // The list, and its snapshot.
        #expect(try residentBytes(client) > before + 1.5 * Double(size))
        #expect(try client.delete("/lists/large?permanent=true").status == 204)
        try waitUntil { try residentBytes(client) < before + Double(size) }
    }
}
