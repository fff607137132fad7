import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderService
import ReorderStore
import Testing

@testable import ReorderClient

/// The client as an app has it: Foundation's URL session, a real server, real sockets.
@Suite struct RealServerTests {
    @Test func othersChangesArriveAsTheyAreMade() async throws {
        try await withServer { service, client in
            let list = try await client.list("l")
            #expect(list.snapshot.tasks.map(\.id) == ["a", "b", "c"])
            var deltas = list.deltas.makeAsyncIterator()
            for (task, rows) in [("a", [0, 2]), ("b", [0, 2]), ("c", [0, 2])] {
                let move = MoveRequest(.task(task), to: Destination(place: .init(.topLevel)))
                try await Self.write(.command(.move(move)), service)
                let delta = try #require(await deltas.next())
                #expect(delta.rows.moved == [.init(from: rows[0], to: rows[1])])
            }
            #expect(list.status.connection == .online)
            #expect(list.status.version == 4)
            list.close()
            #expect(await deltas.next() == nil)
        }
    }

    @Test func aListThatWasOpenBeforeIsThereWithoutTheServer() async throws {
        try await withServer { service, client in
            let list = try await client.list("l")
            try await Self.write(.command(.delete("b")), service)
            for await status in list.statuses where status.version == 2 { break }
            list.close()
            let away = ReorderClient(storage: client.storage, transport: NoNetwork())
            let again = try await away.list("l")
            #expect(again.snapshot.tasks.map(\.id) == ["a", "c"])
            try again.move("a", after: "c")
            #expect(again.status.pending == 1)
            again.close()
            let third = try await ReorderClient(
                storage: client.storage, transport: NoNetwork()
            ).list("l")
            #expect(third.snapshot.tasks.map(\.id) == ["c", "a"])
        }
    }

    @Test func aListThatTheServerDoesNotHaveIsToldAsThat() async throws {
        try await withServer { _, client in
            await #expect(throws: ClientError.listNotFound) { try await client.list("none") }
            await #expect(throws: ClientError.self) { try await client.list("no/id") }
        }
    }

    @Test func aServerThatIsNotReachedIsToldAsThat() async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = ReorderClient(storage: folder, transport: NoNetwork())
        await #expect(throws: ClientError.unreachable) { try await client.list("l") }
    }

    private func withServer(_ body: (ListService, ReorderClient) async throws -> Void) async throws
    {
        let service = ListService(
            store: MemoryListStore(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("\($0)") })
        let server = HTTPServer(.init(), router: ReorderAPI(service: service).makeRouter())
        let port = try server.start()
        let list = try ReorderableList(
            settings: ListSettings(title: "L"), sections: [],
            tasks: ["a", "b", "c"].map { .init(content: TaskContent(id: $0, title: $0)) })
        try await Self.write(.create(list), service)
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(service, ReorderClient(server: url, storage: folder)))
        } catch {
            result = .failure(error)
        }
        try? FileManager.default.removeItem(at: folder)
        server.stop()
        try service.stop()
        try result.get()
    }

    private static func write(_ action: WriteRequest.Action, _ service: ListService) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            service.write(WriteRequest(list: "l", action: action)) {
                continuation.resume(with: $0.mapError { $0 as any Error })
            }
        }
    }
}

/// A device in the mountains.
private struct NoNetwork: Transport {
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        DispatchQueue.global().async { handler(.end(isComplete: false)) }
        return {}
    }
}
