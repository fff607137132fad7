import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// Deleting and restoring whole lists.
@Suite struct ClientBinTests {
    @Test func aDeletedListIsRestoredWithItsTasks() async throws {
        try await withServer { server in
            let client = server.client()
            let list = try await client.list("l")
            try list.move(["a"], to: .after("c"))
            await list.settle()
            #expect(try await client.deletedLists() == [])

            let start = Date()
            try await client.deleteList("l")
            for await status in list.statuses where status.connection == .gone { break }
            let deleted = try await client.deletedLists()
            let found = try #require(deleted.first)
            #expect(deleted.count == 1 && found.id == "l" && found.title == "L")
            // Times have milliseconds.
            let deletedAt = found.expiresAt - 30 * 24 * 60 * 60
            #expect(deletedAt > start - 0.001 && deletedAt <= Date())
            await #expect(throws: ClientError.listNotFound) { try await client.deleteList("l") }

            #expect(try await client.restoreList("l") == [:])
            for await status in list.statuses where status.connection == .online { break }
            #expect(list.snapshot.tasks.map(\.id) == ["b", "c", "a"])
            #expect(list.status.version == 4)
            #expect(try await client.deletedLists() == [])
            list.close()
        }
    }

    @Test(arguments: [false, true])
    func aPermanentDeletionLeavesNothingInTheBin(isInBin: Bool) async throws {
        try await withServer { server in
            let client = server.client()
            if isInBin { try await client.deleteList("l") }
            try await client.deleteList("l", isPermanent: true)
            #expect(try await client.deletedLists() == [])
            await #expect(throws: ClientError.listNotFound) { try await client.restoreList("l") }
        }
    }

    @Test func aListThatExistsIsNotRestoredAndOneThatLacksItsIdsGetsNewOnes() async throws {
        try await withServer { server in
            let client = server.client()
            let taken = ClientError.refused(.idTaken("l"))
            await #expect(throws: taken) { try await client.restoreList("l") }
            try await client.deleteList("l")
            let other = try ReorderableList(
                settings: ListSettings(title: "M"), sections: [],
                tasks: [.init(content: TaskContent(id: "b", title: "B"))])
            _ = try server.service.write(.init(list: "m", action: .create(other)))
            let newIDs = try await client.restoreList("l")
            #expect(try await client.deletedLists() == [])
            let ids = try await server.snapshot().list.taskIDs
            #expect(ids.count == 3 && ids.filter { $0.utf8.count == 36 }.count == 1)
            #expect(newIDs == ["b": ids[1]] && ids[1].utf8.count == 36)
        }
    }

    @Test func allPagesOfTheBinAreRead() async throws {
        try await withServer { server in
            let empty = ReorderableList(settings: ListSettings(title: ""))
            let ids = (0..<5).map { "deleted-\($0)" }
            for id in ids {
                _ = try server.service.write(.init(list: id, action: .create(empty)))
                _ = try server.service.write(
                    .init(list: id, action: .deleteList(isPermanent: false)))
            }
            let client = server.client()
            #expect(try await client.deletedLists().map(\.id) == ids)
        }
    }

    @Test func errorsAreThrown() async throws {
        try await withServer { server async throws in
            let away = server.client(over: NoNetwork())
            await #expect(throws: ClientError.unreachable) { try await away.deleteList("l") }
            await #expect(throws: ClientError.unreachable) { try await away.restoreList("l") }
            await #expect(throws: ClientError.unreachable) { try await away.deletedLists() }
            let client = server.client()
            await #expect(throws: ClientError.listNotFound) { try await client.deleteList("none") }
            await #expect(throws: ClientError.listNotFound) { try await client.restoreList("none") }
            for id in ["", "a/b", "a?permanent=true"] {
                for call in [
                    { try await client.deleteList(id) }, { try await client.restoreList(id) },
                ] as [() async throws -> Void] {
                    await #expect {
                        try await call()
                    } throws: {
                        if case ClientError.invalid = $0 { true } else { false }
                    }
                }
            }
            #expect(try await server.snapshot().version == 1)
        }
    }
}
