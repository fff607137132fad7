import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// The client as in an app, with Foundation's URL session and sockets.
@Suite struct URLSessionTests {
    @Test func othersChangesArriveAsTheyAreMade() async throws {
        try await withServer(overSockets: true) { server in
            let client = server.client()
            let list = try await client.list("l")
            #expect(list.snapshot.tasks.map(\.id) == ["a", "b", "c"])
            var snapshots = list.snapshots.makeAsyncIterator()
            _ = await snapshots.next()
            for (task, rows) in [
                ("a", ["b", "c", "a"]), ("b", ["c", "a", "b"]), ("c", ["a", "b", "c"]),
            ] {
                let move = MoveRequest(.task(task), to: Destination(place: .init(.topLevel)))
                try await server.write(.move(move))
                #expect(await snapshots.next()?.tasks.map(\.id) == rows)
            }
            #expect(list.status.connection == .online)
            #expect(list.status.version == 4)
            list.close()
            #expect(await snapshots.next() == nil)
        }
    }

    @MainActor @Test func aCancelledStreamEnds() async throws {
        try await withServer(overSockets: true) { server in
            let (hasBegun, hasEnded) = (Lock(false), Lock(false))
            let request = ClientRequest(method: "GET", target: "/lists/l/events")
            let cancel = server.transport.start(request) { event in
                switch event {
                case .head: hasBegun.withLock { $0 = true }
                case .bytes: break
                case .end: hasEnded.withLock { $0 = true }
                }
            }
            try await eventually { hasBegun.withLock(\.self) }
            cancel()
            try await eventually { hasEnded.withLock(\.self) }
        }
    }

    @Test func aListThatWasOpenBeforeIsAvailableOffline() async throws {
        try await withServer(overSockets: true) { server in
            let client = server.client()
            let list = try await client.list("l")
            try await server.write(.delete("b"))
            for await status in list.statuses where status.version == 2 { break }
            list.close()
            let away = server.client(over: NoNetwork())
            let again = try await away.list("l")
            #expect(again.snapshot.tasks.map(\.id) == ["a", "c"])
            try again.move(["a"], to: .after("c"))
            #expect(again.status.pending == 1)
            again.close()
            let third = try await server.client(over: NoNetwork()).list("l")
            #expect(third.snapshot.tasks.map(\.id) == ["c", "a"])
        }
    }

    @Test func aMissingListThrowsListNotFound() async throws {
        try await withServer(overSockets: true) { server in
            let client = server.client()
            await #expect(throws: ClientError.listNotFound) { try await client.list("none") }
            await #expect(throws: ClientError.self) { try await client.list("no/id") }
        }
    }

    @Test func aSearchFindsTasksByTheirTitles() async throws {
        try await withServer(overSockets: true) { server in
            let client = server.client()
            let title = "50 % of A+B & Çay"
            try await server.write(.update("b", .init(title: title, done: true)))
            let found = FoundTask(list: "l", id: "b", title: title, done: true)
            #expect(try await client.search("% OF a+b & ça") == [found])
            #expect(try await client.search("çay", isDone: false) == [])
            #expect(try await client.search("çay", isDone: true, limit: 1) == [found])
            try await server.write(.update("b", .init(data: #"{"due":"2026-12-01","n":"a+b"}"#)))
            let due = ["data.due<=2026-12-01", "data.n=a+b"]
            #expect(try await client.search(filters: due, order: "-data.due") == [found])
            #expect(try await client.search("çay", filters: ["data.due<2026-12-01"]) == [])
            await #expect {
                try await client.search(filters: ["data.due", "due"])
            } throws: {
                guard case ClientError.invalid(let reason) = $0 else { return false }
                return reason.contains("filter 2")
            }
            await #expect(throws: ClientError.self) { try await client.search(order: "due") }
            let long = String(repeating: "x", count: 257)
            for text in ["", long] {
                await #expect {
                    try await client.search(text)
                } throws: {
                    if case ClientError.invalid = $0 { true } else { false }
                }
            }
        }
    }

    @Test func anUnreachableServerThrowsUnreachable() async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = ReorderClient(storage: folder, transport: NoNetwork())
        await #expect(throws: ClientError.unreachable) { try await client.list("l") }
        await #expect(throws: ClientError.unreachable) { try await client.search("x") }
    }
}
