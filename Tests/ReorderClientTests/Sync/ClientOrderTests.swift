import ReorderEngine
import ReorderJSON
import ReorderService
import Testing

@testable import ReorderClient

/// Sorting, reversing, and removing done tasks on the server.
@Suite struct ClientOrderTests {
    private func ids(_ server: ServerUnderTest) async throws -> [TaskID] {
        try await server.snapshot().list.taskIDs
    }

    @Test func aListIsOrderedAndUndone() async throws {
        try await withServer { server async throws in
            let client = server.client()
            #expect(try await client.sort("l", by: "title") == nil)
            let sorted = try await client.sort(
                "l", by: "title", isDescending: true, language: "de")
            #expect(sorted == 2)
            #expect(try await ids(server) == ["c", "b", "a"])
            let reversed = try #require(
                try await client.reverse("l", .section(nil), isRecursive: true))
            #expect(try await ids(server) == ["a", "b", "c"])
            // The undo is of this change, not of a later one of somebody else.
            try await server.write(.update("b", TaskUpdate(done: true)))
            try await client.undo(version: reversed, of: "l")
            #expect(try await ids(server) == ["c", "b", "a"])
            #expect(try await client.removeDone("l") != nil)
            #expect(try await ids(server) == ["c", "a"])
            #expect(try await client.removeDone("l") == nil)
            await expectInvalid { try await client.undo(version: 99, of: "l") }
        }
    }

    /// The task can go beside one that the server does not have yet.
    @Test func whatWaitsInBothListsIsSentBeforeATaskMovesBetweenThem() async throws {
        try await withServer { server in
            let client = server.client()
            try await client.createList("m", title: "M")
            let lists = [try await client.list("l"), try await client.list("m")]
            for (list, task) in zip(lists, ["x", "y"]) {
                list.runner.update { machine, _ in machine.writing = .waiting(until: .infinity) }
                try list.create("New", id: task)
            }
            let part = ListTransfer.Part(tasks: ["x"], destination: Destination(after: "y"))
            _ = try await client.transfer(
                ListTransfer(from: "l", to: "m", parts: [part], back: []))
            let tasks = try server.service.versionedList(of: "m").list.tasks
            #expect(tasks.map(\.id) == ["y", "x"])
            for list in lists { list.close() }
        }
    }

    @Test func aSectionMovesToAnotherList() async throws {
        try await withServer { server async throws in
            let client = server.client()
            try await client.createList("m", title: "M")
            try await server.write(.createSection("s", title: "S", position: 0))
            try await client.moveSection("s", of: "l", toList: "m", position: 3)
            #expect(try await server.snapshot().list.sectionCount == 0)
            try await client.moveSection("s", of: "m", toList: "l")
            #expect(try await server.snapshot().list.sectionCount == 1)
            await expectInvalid { try await client.moveSection("t", of: "l", toList: "m") }
            await #expect(throws: ClientError.listNotFound) {
                try await client.moveSection("s", of: "l", toList: "none")
            }
        }
    }

    /// Otherwise, the server would refuse a new task in a section that has moved away.
    @Test func whatWaitsIsSentFirst() async throws {
        try await withServer { server async throws in
            let client = server.client()
            try await client.createList("m", title: "M")
            try await server.write(.createSection("s", title: "S", position: 0))
            let list = try await client.list("l")
            try list.update("b", TaskChanges(done: true))
            #expect(try await client.removeDone("l") != nil)
            try list.create("New", id: "new", at: .end(of: "s"))
            try await client.moveSection("s", of: "l", toList: "m")
            let moved = try await client.list("m")
            #expect(moved.snapshot.tasks.map(\.id) == ["new"])
        }
    }

    @Test func wrongRequestsHaveTheirReasons() async throws {
        try await withServer { server async throws in
            let client = server.client()
            await #expect(throws: ClientError.listNotFound) { try await client.reverse("m") }
            for place in [OrderedPlace.section("none"), .subtasks(of: "none")] {
                await expectInvalid { try await client.reverse("l", place) }
            }
            await expectInvalid { try await client.sort("l", by: "color") }
            await expectInvalid { try await client.sort("l", by: "title", language: "xx") }
            await expectInvalid { try await client.sort("..", by: "title") }
        }
    }

    private func expectInvalid(_ body: () async throws -> Void) async {
        await #expect { try await body() } throws: {
            if case .invalid(let reason)? = $0 as? ClientError { !reason.isEmpty } else { false }
        }
    }
}
