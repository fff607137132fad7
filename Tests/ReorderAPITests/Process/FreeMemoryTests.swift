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

    /// An undo that copies the list for each operation takes many times this memory.
    @Test func anUndoTakesAtMostTwoKilobytesForEachOperation() throws {
        let (count, room) = (6_000, 48 << 20)
        let server = try ServerProcess(["--port", "0", "--store", "memory"])
        let client = SocketClient(port: server.port)
        let ids = (0..<count).map { "task-\($0)" }
        let tasks = ids.map { #"{"id":"\#($0)","title":"Task","section":"s"}"# }
            .joined(separator: ",")
        let list = #"{"title":"","sections":[{"id":"s","title":""}],"tasks":[\#(tasks)]}"#
        #expect(try client.put("/lists/l", list).status == 201)
        let block = stride(from: 0, to: count, by: 2).map { #""\#(ids[$0])""# }
            .joined(separator: ",")

        /// Undoes the last change. Returns the growth of the process at most.
        func undo() throws -> Int {
            let version = try #require(client.get("/lists/l?limit=1").json["version"]?.int)
            let before = try Int(residentBytes(client))
            try Data("5".utf8).write(to: URL(filePath: "/proc/\(server.identifier)/clear_refs"))
            #expect(try client.post("/lists/l/undo", #"{"version":\#(version)}"#).status == 200)
            let status = try String(
                contentsOfFile: "/proc/\(server.identifier)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kilobytes = try #require(
                line.split(separator: " ").dropLast().last.flatMap { Int($0) })
            return kilobytes * 1024 - before
        }
        #expect(try client.send("PATCH", "/tasks/task-0", #"{"title":"x"}"#).status == 200)
        // The list itself.
        let least = try undo()
        for (kind, change) in [
            ("deletion", ("DELETE", "/lists/l/sections/s?tasks=delete", "")),
            ("undone deletion", nil), ("deletion again", nil),
            (
                "block move",
                ("POST", "/lists/l/move", #"{"tasks":[\#(block)],"section":null,"position":0}"#)
            ),
            ("undone block move", nil),
        ] as [(String, (String, String, String)?)] {
            if let (method, path, body) = change {
                #expect(try client.send(method, path, body).status == 200, "\(kind)")
            }
            let grown = try undo()
            #expect(grown < least + count * 2_048 + room, "the undo of the \(kind): \(grown)")
        }
    }
}
