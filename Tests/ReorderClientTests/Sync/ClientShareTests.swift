import Foundation
import ReorderAuth
import ReorderEngine
import Testing

@testable import ReorderClient

/// Links to a list.
@Suite struct ClientShareTests {
    private func control() throws -> AccessControl {
        let tokens = try [("anna", AccessScope.write), ("reader", .read)].map { name, scope in
            let digest = TokenDigest(of: Array(name.utf8))
            return try TokenLine(name: name, digest: digest, grants: [GrantForm(scope)]).json
        }
        return AccessControl(tokens: try TokenTable(tokens.joined(separator: "\n")))
    }

    private func client(_ server: ServerUnderTest, _ token: String) -> ReorderClient {
        server.client(over: TokenTransport(transport: server.transport) { token })
    }

    @Test func aLinkOpensItsListUntilItIsTakenBack() async throws {
        try await withServer(access: try control(), overSockets: true) { server async throws in
            let anna = client(server, "anna")
            let end = Date(timeIntervalSinceNow: 86_400)
            let share = try await anna.share("l", mayWrite: true, name: "Zoë", until: end)
            #expect(share.name == "Zoë (link)" && share.mayWrite && share.author == "anna")
            #expect(abs(share.expiresAt.timeIntervalSince(end)) < 1)
            let token = try #require(share.token)
            #expect(share.path == "/#l/\(token)")
            let zoe = server.client(
                "tablet", over: TokenTransport(transport: server.transport) { token })
            let rights = try await zoe.me()
            #expect(rights.link == "l" && rights.author == "Zoë (link)" && rights.mayWrite("l"))
            #expect(rights.createdBy == "anna")
            let list = try await zoe.list("l")
            try list.move(["a"], to: .after("c"))
            await list.settle()
            #expect(try await server.snapshot().list.tasks.map(\.id) == ["b", "c", "a"])
            list.close()
            let listed = try await anna.shares(of: "l")
            #expect(listed.map(\.id) == [share.id] && listed[0].token == nil)
            await #expect(throws: ClientError.unauthorized) { try await zoe.shares(of: "l") }
            try await anna.removeShare(share.id, of: "l")
            await #expect(throws: ClientError.unauthorized) { try await zoe.me() }
            #expect(try await anna.shares(of: "l") == [])
        }
    }

    @Test func refusalsHaveTheirReasons() async throws {
        try await withServer(access: try control(), overSockets: true) { server async throws in
            let (anna, reader) = (client(server, "anna"), client(server, "reader"))
            await #expect(throws: ClientError.unauthorized) {
                try await reader.share("l", mayWrite: false)
            }
            await #expect(throws: ClientError.listNotFound) {
                try await anna.share("none", mayWrite: false)
            }
            await expectInvalid { _ = try await anna.share("l", mayWrite: true, name: "") }
            await expectInvalid {
                _ = try await anna.share(
                    "l", mayWrite: true, until: Date(timeIntervalSinceNow: 4e7))
            }
            await expectInvalid { try await anna.removeShare("none", of: "l") }
        }
        try await withServer { server async throws in
            await expectInvalid { _ = try await server.client().share("l", mayWrite: true) }
        }
    }

    private func expectInvalid(_ body: () async throws -> Void) async {
        await #expect { try await body() } throws: {
            if case .invalid(let reason)? = $0 as? ClientError { !reason.isEmpty } else { false }
        }
    }
}
