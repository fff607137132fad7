import Foundation
import MicroHTTP
import ReorderEngine
import Testing
import Waiting

@testable import ReorderClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Something on the way that answers in the server's place.
@Suite struct ForeignAnswerTests {
    private static let page = Array("<html>Welcome to our hotel</html>".utf8)

    private static func calls(_ client: ReorderClient) -> [@Sendable () async throws -> Void] {
        [
            { _ = try await client.lists() }, { _ = try await client.me() },
            { try await client.deleteList("l") }, { _ = try await client.deletedLists() },
            { try await client.restoreList("l") }, { try await client.copyList("l", as: "m") },
            { try await client.copyTask("a", as: "b") },
            { try await client.createList("m", title: "M") },
            { _ = try await client.history(of: "l") },
            { try await client.undo(version: 2, of: "l") }, { _ = try await client.search("x") },
            { _ = try await client.shares(of: "l") },
            { _ = try await client.share("l", mayWrite: false) },
            { try await client.removeShare("s", of: "l") },
            { try await client.sort("l", by: "title") },
            { try await client.moveSection("s", of: "l", toList: "m") },
            {
                let part = ListTransfer.Part(tasks: ["a"], destination: .end(of: nil))
                _ = try await client.transfer(
                    ListTransfer(from: "l", to: "m", parts: [part], back: []))
            },
        ]
    }

    private func withClient(
        _ answer: Answer, _ body: (ReorderClient) async throws -> Void
    ) async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        server.answer("/", answer)
        try await body(ReorderClient(storage: folder, transport: server))
    }

    /// A page of something else is no refusal, whatever its status is.
    @Test(arguments: [200, 201, 204, 302, 400, 401, 403, 404, 405, 407, 409, 410, 422, 502])
    func callsAreUnreachable(status: Int) async throws {
        for type in ["text/html", "application/json"] {
            let answer = Answer(status: status, headers: ["content-type": type], body: Self.page)
            try await withClient(answer) { client in
                for (index, call) in Self.calls(client).enumerated() {
                    // The documented answer to a deletion has no content to know it by.
                    if status == 204, [2, 13].contains(index) { continue }
                    await #expect(throws: ClientError.unreachable, "\(index)") { try await call() }
                }
            }
        }
    }

    @Test func theServersRefusalsHaveReasons() async throws {
        let refusals: [(Int, String, ClientError)] = [
            (401, "unauthorized", .unauthorized), (403, "forbidden", .unauthorized),
            (404, "list_not_found", .listNotFound), (404, "share_not_found", .invalid("Why.")),
            (409, "undo_conflict", .invalid("Why.")), (422, "invalid_body", .invalid("Why.")),
            (429, "rate_limited", .unreachable), (503, "overloaded", .unreachable),
        ]
        for (status, code, error) in refusals {
            try await withClient(.problem(status, code, "Why.")) { client in
                for call in Self.calls(client) { await #expect(throws: error) { try await call() } }
            }
        }
    }

    /// The pages of a network that wants a login first: with 200, and by a redirection, which URL sessions follow.
    @Test(arguments: [200, 302, 307, 403])
    func aLoginPageLosesNothing(status: Int) async throws {
        let isLoggedIn = Lock(false)
        try await withServer { server in
            let login = Router(onFailure: { _, request in
                var headers = HeaderFields()
                headers.add("Content-Type", "text/html")
                if status == 302 || status == 307, request.rawPath != "/login" {
                    headers.add("Location", "/login")
                    return Response(status: status, headers: headers, body: Self.page)
                }
                return Response(
                    status: status == 403 ? 403 : 200, headers: headers, body: Self.page)
            })
            let portal = HTTPServer(HTTPServerConfiguration(), router: login)
            defer { portal.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(try portal.start())"))
            let captive = URLSessionTransport(server: url, headers: [:])
            let open = server.transport
            let network = SwitchedTransport { isLoggedIn.withLock(\.self) ? open : captive }
            isLoggedIn.withLock { $0 = true }
            let list = try await server.client(over: network).list("l")
            isLoggedIn.withLock { $0 = false }
            try list.move(["a"], to: .after("c"))
            try list.delete("b")
            for _ in 0..<3 { #expect(await list.runner.flush() == false) }
            #expect(list.status.pending == 2 && list.unacknowledgedRefusals.isEmpty)
            isLoggedIn.withLock { $0 = true }
            try await list.settleRetrying()
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["c", "a"])
            list.close()
        }
    }

    /// A redirection that arrives after the request was cancelled.
    @MainActor @Test func aCancelledRequestIsNotRedirected() async throws {
        let moved = Lock(0)
        let login = Router(onFailure: { _, request in
            guard request.rawPath == "/moved" else { return Response(status: 200) }
            moved.withLock { $0 += 1 }
            var headers = HeaderFields()
            headers.add("Location", "/login")
            return Response(status: 302, headers: headers)
        })
        let portal = HTTPServer(HTTPServerConfiguration(), router: login)
        defer { portal.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(try portal.start())"))
        let session = URLSession(configuration: .ephemeral)
        let transport = URLSessionTransport(server: url, headers: [:], session: session)
        for round in 1...10 {
            // No event is delivered until the redirection has arrived.
            let (isBusy, isFree) = (Lock(false), DispatchSemaphore(value: 0))
            let ended = Lock(0)
            _ = transport.start(ClientRequest(method: "GET", target: "/")) { event in
                if case .head = event {
                    isBusy.withLock { $0 = true }
                    isFree.wait()
                }
                if case .end = event { ended.withLock { $0 += 1 } }
            }
            try await eventually { isBusy.withLock(\.self) }
            let cancel = transport.start(ClientRequest(method: "GET", target: "/moved")) { event in
                if case .end = event { ended.withLock { $0 += 1 } }
            }
            cancel()
            try await eventually { moved.withLock { $0 == round } }
            // Without this pause, the redirection rarely arrives in time to be one.
            try await Task.sleep(for: .milliseconds(20))
            isFree.signal()
            try await eventually { ended.withLock { $0 == 2 } }
        }
    }
}

/// A transport that is chosen for each request.
private struct SwitchedTransport: Transport {
    let choose: @Sendable () -> any Transport

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        choose().start(request, handler)
    }
}
