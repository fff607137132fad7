import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// What a person does without a network: each act arrives as a change of its own.
@Suite struct OfflineActsTests {
    @Test func eachActIsALineOfTheHistoryWithItsOwnUndo() async throws {
        try await withServer(tasks: ["a", "b", "c", "d", "e"]) { server in
            let transport = LossyTransport(server.transport)
            let client = server.client(over: transport)
            let list = try await client.list("l")
            transport.isCut = true
            try list.update("a", TaskChanges(done: true))
            try list.update("b", TaskChanges(done: true))
            try list.create("New", id: "n")
            _ = try list.perform([.delete("c"), .delete("d")])
            try list.move(["e"], to: .before("a"))
            transport.isCut = false
            try await list.settleRetrying()
            #expect(list.snapshot.tasks.map(\.id) == ["e", "a", "b", "n"])

            let lines = try await client.history(of: "l", limit: 5).changes
            #expect(lines.map(\.stepCount) == [1, 2, 1, 1, 1])
            let operations = lines.map { $0.steps.first?.operation }
            #expect(operations == ["move", "delete", "insert", "update", "update"])
            #expect(lines.map(\.mayUndo) == [true, true, true, true, true])
            // One of them is undone, and the others stay.
            try await client.undo(lines[1], of: "l")
            let after = try await server.snapshot().list
            #expect(after.tasks.map(\.id) == ["e", "a", "b", "c", "d", "n"])
            #expect(after.task("a")?.content.done == true)
            list.close()
        }
    }
}
