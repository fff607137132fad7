import Foundation
import ReorderEngine
import Testing
import Waiting

@testable import ReorderClient

/// Lists that several screens use, and lists that nobody holds.
@Suite struct HandleTests {
    private func withClient(
        _ body: (ReorderClient, ScriptedServer, _ storage: URL) async throws -> Void
    ) async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        try await body(ReorderClient(storage: folder, transport: server), server, folder)
    }

    @Test func streamsHoldTheirList() async throws {
        try await withClient { client, server, _ in
            var snapshots = try await client.list("l").snapshots.makeAsyncIterator()
            var statuses = try await client.list("l").statuses.makeAsyncIterator()
            let list = try await client.list("l")
            #expect(await snapshots.next()?.contains("a") == true)
            // This server would return the row.
            server.isCut = true
            try list.delete("a")
            #expect(await snapshots.next()?.contains("a") == false)
            #expect(await statuses.next() != nil)
        }
    }

    @Test func snapshotsBeginWithTheListAndFollowIt() async throws {
        try await withClient { client, server, _ in
            let list = try await client.list("l")
            var snapshots = try await client.list("l").snapshots.makeAsyncIterator()
            #expect(await snapshots.next()?.contains("a") == true)
            // This server would return the row.
            server.isCut = true
            try list.delete("a")
            #expect(await snapshots.next()?.contains("a") == false)
        }
    }

    @Test func operationsOfAReleasedListAreSent() async throws {
        try await withClient { client, server, _ in
            server.isCut = true
            try await { () async throws in
                server.isCut = false
                let list = try await client.list("l")
                server.isCut = true
                try list.create("Milk")
            }()
            server.isCut = false
            client.retryNow()
            try waitUntil { client.openRunner("l") == nil }
            #expect(server.targets.contains("/lists/l/batch"))
            let again = try await client.list("l")
            #expect(again.status.pending == 0)
        }
    }

    @Test func closingOneHandleLeavesTheOthersOpen() async throws {
        try await withClient { client, server, _ in
            let first = try await client.list("l")
            let second = try await client.list("l")
            var ended = first.snapshots.makeAsyncIterator()
            var snapshots = second.snapshots.makeAsyncIterator()
            _ = (await ended.next(), await snapshots.next())
            first.close()
            #expect(await ended.next() == nil)
            #expect(throws: ClientError.closed) { try first.delete("a") }
            server.isCut = true
            try second.delete("b")
            #expect(await snapshots.next()?.contains("b") == false)
            second.close()
            #expect(await snapshots.next() == nil)
        }
    }

    /// A list that is released and opened again before it could send has the same folds.
    @Test func aListThatIsOpenedAgainIsFolded() async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        let client = ReorderClient(storage: folder, transport: server, folds: "f")
        try await { () async throws in
            let list = try await client.list("l")
            server.isCut = true
            try list.create("Milk")
        }()
        let runner = try #require(client.openRunner("l"))
        try waitUntil { runner.state.withLock(\.handles).isEmpty }
        let again = try await client.list("l")
        #expect(again.runner === runner)
        try again.collapse("a")
        #expect(again.snapshot.task("a")?.content.collapsed == true)
        again.close()
        try waitUntil { client.openRunner("f") == nil && client.openRunner("l") == nil }
    }

    /// The file is free for another client.
    @Test func theLastCloseReleasesTheFile() async throws {
        try await withClient { client, server, folder in
            let lists = [try await client.list("l"), try await client.list("l")]
            server.isCut = true
            try lists[0].create("Milk")
            for list in lists { list.close() }
            let other = try await ReorderClient(storage: folder, transport: server).list("l")
            #expect(other.status.pending == 1)
        }
    }

    @Test func refusalsStayUntilTheyAreAcknowledged() async throws {
        try await withClient { client, server, _ in
            let refusal = #"{"status":409,"problem":{"code":"locked","detail":"Locked."}}"#
            server.answer(
                "/lists/l/batch", body: #"{"version":3,"results":[\#(refusal)]}"#)
            let list = try await client.list("l")
            try list.delete("a")
            for await _ in list.statuses where !list.unacknowledgedRefusals.isEmpty { break }
            let refused = try #require(list.unacknowledgedRefusals.first)
            #expect(refused.code == "locked" && refused.tasks == ["a"])
            // The app ends before it has shown it, and starts again.
            list.close()
            let again = try await client.list("l")
            #expect(again.unacknowledgedRefusals.map(\.id) == [refused.id])
            again.acknowledge([refused])
            again.close()
            let last = try await client.list("l")
            #expect(last.unacknowledgedRefusals.isEmpty)
            last.close()
        }
    }
}
