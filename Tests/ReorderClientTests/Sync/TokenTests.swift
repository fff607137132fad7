import Foundation
import ReorderAuth
import ReorderEngine
import Synchronization
import Testing

@testable import ReorderClient

/// A client of a server that requires tokens.
@Suite struct TokenTests {
    private static func table(_ tokens: [String: AccessScope]) throws -> TokenTable {
        try TokenTable(
            tokens.map { token, scope in
                try TokenLine(
                    name: token, digest: TokenDigest(of: Array(token.utf8)),
                    grants: [GrantForm(scope)]
                ).json
            }.joined(separator: "\n"))
    }

    /// The app's current token.
    private final class Keychain: Sendable {
        let token: Mutex<String?>
        init(_ token: String?) { self.token = Mutex(token) }
        func set(_ token: String?) { self.token.withLock { $0 = token } }
    }

    private func client(_ server: ServerUnderTest, _ keychain: Keychain) -> ReorderClient {
        server.client(
            over: TokenTransport(transport: server.transport) { keychain.token.withLock { $0 } })
    }

    @Test func theTokenIsObtainedBeforeEachRequest() async throws {
        let control = AccessControl(tokens: try Self.table(["one": .write]))
        try await withServer(access: control, overSockets: true) { server in
            let keychain = Keychain(nil)
            let client = client(server, keychain)
            for wrong in [nil, "other", "no token at all"] {
                keychain.set(wrong)
                await #expect(throws: ClientError.unauthorized) { try await client.list("l") }
            }
            keychain.set("one")
            let list = try await client.list("l")
            try list.move(["a"], to: .after("c"))
            await list.settle()
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["b", "c", "a"])
            list.close()
        }
    }

    @Test func aClientLearnsWhatItsTokenAllows() async throws {
        let grants = [
            GrantForm(.read, nil), GrantForm(.write, ["team-*", "l"]), GrantForm(.metrics, nil),
        ]
        let line = try TokenLine(
            name: "Anna", digest: TokenDigest(of: Array("one".utf8)), grants: grants)
        let control = AccessControl(tokens: try TokenTable(line.json))
        try await withServer(access: control, overSockets: true) { server async throws in
            let rights = try await client(server, Keychain("one")).me()
            #expect(rights.name == "Anna" && rights.author == "Anna" && rights.expiresAt == nil)
            #expect(rights.grants.map(\.scope).sorted() == ["metrics", "read", "write"])
            for (list, mayWrite) in [
                ("l", true), ("team-", true), ("team-1", true), ("team", false), ("ll", false),
            ] {
                #expect(rights.mayWrite(list) == mayWrite, "\(list)")
            }
            let stranger = client(server, Keychain("two"))
            await #expect(throws: ClientError.unauthorized) { try await stranger.me() }
        }
        try await withServer { server in
            let rights = try await server.client().me()
            #expect(rights.name == nil && rights.author == nil && rights.mayWrite("any"))
        }
    }

    @Test func aTokenForReadingDeletesAndRestoresNothing() async throws {
        let control = AccessControl(tokens: try Self.table(["one": .read]))
        try await withServer(access: control, overSockets: true) { server async throws in
            let client = client(server, Keychain("one"))
            await #expect(throws: ClientError.unauthorized) { try await client.deleteList("l") }
            await #expect(throws: ClientError.unauthorized) { try await client.restoreList("l") }
            await #expect(throws: ClientError.unauthorized) { try await client.deletedLists() }
            #expect(try await server.snapshot().version == 1)
        }
    }

    @Test func operationsWaitForATokenThatMayWrite() async throws {
        let control = AccessControl(tokens: try Self.table(["one": .read, "two": .write]))
        try await withServer(access: control, overSockets: true) { server in
            let keychain = Keychain("one")
            let list = try await client(server, keychain).list("l")
            try list.move(["a"], to: .after("c"))
            for await status in list.statuses where status.connection == .unauthorized { break }
            #expect(list.status.pending == 1 && list.unacknowledgedRefusals.isEmpty)
            guard case .response(403, "forbidden", _) = list.status.problem else {
                Issue.record("\(list.status)")
                return
            }
            keychain.set("two")
            list.runner.retryNow()
            await list.settle()
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["b", "c", "a"])
            list.close()
        }
    }

    @Test func operationsWaitForATokenThatTheServerKnows() async throws {
        let control = AccessControl(tokens: try Self.table(["one": .write]))
        try await withServer(access: control, overSockets: true) { server in
            let keychain = Keychain("one")
            let list = try await client(server, keychain).list("l")
            for await status in list.statuses where status.connection == .online { break }
            control.use(try Self.table([:]))
            try list.move(["a"], to: .after("c"))
            for await status in list.statuses where status.connection == .unauthorized { break }
            #expect(list.status.pending == 1)
            #expect(list.snapshot.tasks.map(\.id) == ["b", "c", "a"])
            #expect(try await server.snapshot().version == 1)

            control.use(try Self.table(["two": .write]))
            keychain.set("two")
            list.runner.retryNow()
            await list.settle()
            #expect(list.snapshot.tasks.map(\.id) == ["b", "c", "a"])
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["b", "c", "a"])
            list.close()
        }
    }

    @Test func aRequestCancelledBeforeItsTokenIsAvailableNeverStarts() async throws {
        let (asked, given) = (
            AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self)
        )
        let started = Mutex(0)
        let transport = TokenTransport(transport: Counting { started.withLock { $0 += 1 } }) {
            asked.continuation.yield()
            for await _ in given.stream { break }
            return "token"
        }
        let cancel = transport.start(ClientRequest(method: "GET", target: "/")) { _ in }
        for await _ in asked.stream { break }
        cancel()
        given.continuation.yield()
        // Another request, which is not cancelled and starts later.
        _ = transport.start(ClientRequest(method: "GET", target: "/")) { _ in }
        for await _ in asked.stream { break }
        given.continuation.yield()
        while started.withLock(\.self) == 0 { await Task.yield() }
        #expect(started.withLock(\.self) == 1)
    }

    private struct Counting: Transport {
        let start: @Sendable () -> Void
        func start(
            _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
        ) -> @Sendable () -> Void {
            start()
            return {}
        }
    }
}
