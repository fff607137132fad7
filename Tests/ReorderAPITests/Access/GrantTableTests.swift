import ReorderAuth
import Testing

@testable import ReorderAPI

/// Clients with one and with several grants, of every scope for every pattern, compared with what grants mean.
@Suite struct GrantTableTests {
    /// Each pattern covers another set of these lists.
    private static let lists = ["a", "ab", "b", "c"]
    private static let patterns = ["*", "a", "a*", "b"]
    private static let scopes: [AccessScope] = [.metrics, .read, .write, .purge, .admin]

    /// The grants of a client, and what they mean.
    private struct Rights: CustomStringConvertible {
        var forms: [(scope: AccessScope, pattern: String)]

        var description: String {
            forms.map { "\($0.scope.name):\($0.pattern)" }.joined(separator: ";")
        }

        var json: String {
            forms.map { #"{"scope":"\#($0.scope.name)","lists":["\#($0.pattern)"]}"# }
                .joined(separator: ",")
        }

        func allow(_ scope: AccessScope, _ list: String) -> Bool {
            forms.contains { grant in
                let isCovered =
                    grant.pattern.hasSuffix("*")
                    ? list.hasPrefix(grant.pattern.dropLast()) : list == grant.pattern
                return isCovered && grant.scope > .metrics && grant.scope >= scope
            }
        }

        var allowMetrics: Bool { forms.contains { [.metrics, .admin].contains($0.scope) } }
        var isAdmin: Bool { forms.contains { $0.scope == .admin } }

        func allowed(_ scope: AccessScope) -> [String] { lists.filter { allow(scope, $0) } }

        func include(_ other: Rights) -> Bool {
            (allowMetrics || !other.allowMetrics)
                && scopes.dropFirst().allSatisfy { scope in
                    other.allowed(scope).allSatisfy { allow(scope, $0) }
                }
        }

        func grants() throws -> Grants {
            try Grants(forms: forms.map { GrantForm($0.scope, [$0.pattern]) })
        }
    }

    private static let single = scopes.flatMap { scope in
        patterns.map { Rights(forms: [(scope, $0)]) }
    }
    private static let pairs = single.indices.flatMap { index in
        single[..<index].map { Rights(forms: $0.forms + single[index].forms) }
    }

    @Test func grantsAllowWhatOneOfThemAllows() throws {
        let all = try (Self.single + Self.pairs).map { ($0, try $0.grants()) }
        for (rights, grants) in all {
            for list in Self.lists {
                for scope in Self.scopes.dropFirst() {
                    #expect(
                        grants.include(scope, for: list) == rights.allow(scope, list), "\(rights)")
                }
                #expect(grants.readableLists.allow(list) == rights.allow(.read, list))
                #expect(grants.writableLists.allow(list) == rights.allow(.write, list))
                #expect(grants.administeredLists.allow(list) == rights.allow(.admin, list))
            }
            #expect(grants.include(.metrics) == rights.allowMetrics, "\(rights)")
            #expect(grants.include(.admin) == rights.isAdmin, "\(rights)")
        }
        for (maker, grants) in all {
            for (made, others) in all
            where grants.include(all: others) != maker.include(made) {
                Issue.record("\(maker) makes \(made): \(!maker.include(made))")
            }
        }
    }

    private func withLists(
        _ body: (ServerUnderTest, _ root: TokenClient) throws -> Void
    ) throws {
        try withServer(.inProcess, access: TestTokens.control(TestTokens.keys.get())) {
            server throws in
            let root = TokenClient(server.uncheckedClient, "admin")
            for list in Self.lists {
                #expect(try root.put("/lists/\(list)", draft(["\(list)-t"])).status == 201)
            }
            try body(server, root)
        }
    }

    /// What a client can do with each list, and with the server.
    private func check(_ client: TokenClient, _ rights: Rights) throws {
        let readable = rights.allowed(.read)
        func expect(_ answer: APIResponse, _ isAllowed: Bool, line: Int = #line) {
            let isDone = (200..<300).contains(answer.status)
            #expect(isDone == isAllowed, "line \(line), \(rights): \(answer.text)")
            #expect(isDone || answer.code == "forbidden", "line \(line), \(rights)")
        }
        let index = try client.get("/lists")
        expect(index, !readable.isEmpty)
        #expect((index.json["lists"]?.array ?? []).compactMap { $0["id"]?.string } == readable)
        for list in Self.lists {
            expect(try client.get("/lists/\(list)"), rights.allow(.read, list))
            let title = #"{"title":"\#(rights)"}"#
            expect(try client.send("PATCH", "/lists/\(list)", title), rights.allow(.write, list))
            expect(
                try client.post("/lists/\(list)/shares", #"{"scope":"write"}"#),
                rights.allow(.write, list))
            // Checked before the condition, which does not hold.
            let purged = try client.send(
                "DELETE", "/lists/\(list)?permanent=true", nil, ["If-Match": entityTag(0)])
            #expect(
                purged.code == (rights.allow(.purge, list) ? "version_mismatch" : "forbidden"),
                "\(rights), \(list): \(purged.text)")
        }
        expect(try client.get("/metrics"), rights.allowMetrics)
        expect(try client.get("/tokens"), rights.isAdmin)
        let own = try client.post("/webhooks", #"{"url":"https://example.org"}"#)
        expect(own, rights.isAdmin)
        if let id = own.json["id"]?.string {
            let lists = own.json["lists"]?.array.compactMap(\.string) ?? []
            let granted = rights.forms.filter { $0.scope == .admin }.map(\.pattern)
            #expect(Set(lists).isSubset(of: granted) && !lists.isEmpty, "\(rights): \(lists)")
            #expect(try client.delete("/webhooks/\(id)").status == 204)
        }
        for pattern in Self.patterns {
            let made = try client.post(
                "/webhooks", #"{"url":"https://example.org","lists":["\#(pattern)"]}"#)
            let wanted = Rights(forms: [(.admin, pattern)])
            expect(made, rights.isAdmin && rights.include(wanted))
            if let id = made.json["id"]?.string { _ = try client.delete("/webhooks/\(id)") }
        }
    }

    /// Administrators of some lists, with each grant beside that.
    private static let administrators = pairs.filter { rights in
        rights.isAdmin && rights.forms.contains { $0.pattern != "*" && $0.scope == .admin }
    }

    @Test func aClientDoesWhatItsGrantsAllow() throws {
        try withLists { server, _ throws in
            for rights in Self.single + Self.administrators {
                try check(TokenClient(server.uncheckedClient, "jwt \(rights)"), rights)
            }
        }
    }

    @Test func aClientMakesSeesAndRemovesTokensWithinItsGrants() throws {
        let wanted =
            Self.single
            + [
                Rights(forms: [(.admin, "a"), (.read, "*")]),
                Rights(forms: [(.write, "b"), (.read, "a*")]),
                Rights(forms: [(.metrics, "b"), (.purge, "a")]),
            ]
        try withLists { server, root throws in
            func body(_ rights: Rights) -> String {
                #"{"name":"\#(rights)","grants":[\#(rights.json)]}"#
            }
            var all: [String: Rights] = [:]
            for rights in wanted {
                let made = try root.post("/tokens", body(rights))
                all[try #require(made.json["id"]?.string)] = rights
                let secret = try #require(made.json["token"]?.string)
                try check(
                    TokenClient(
                        server.uncheckedClient, fields: ["Authorization": "Bearer \(secret)"]),
                    rights)
            }
            for maker in Self.administrators + Self.single.filter({ !$0.isAdmin }) {
                let client = TokenClient(server.uncheckedClient, "jwt \(maker)")
                for rights in wanted {
                    let isAllowed = maker.isAdmin && maker.include(rights)
                    let made = try client.post("/tokens", body(rights))
                    #expect(
                        made.status == (isAllowed ? 201 : 403), "\(maker) makes \(rights)")
                    guard let id = made.json["id"]?.string else { continue }
                    #expect(try client.delete("/tokens/\(id)").status == 204)
                }
                let seen = try tokens(client)
                let visible = all.filter { maker.isAdmin && maker.include($0.value) }
                #expect(seen == Set(visible.keys), "\(maker)")
                for (id, rights) in all where visible[id] == nil {
                    let refused = try client.delete("/tokens/\(id)")
                    #expect(
                        refused.code == (maker.isAdmin ? "token_not_found" : "forbidden"),
                        "\(maker) removes \(rights)")
                }
            }
            #expect(try tokens(root) == Set(all.keys))
        }
    }

    /// The ids of the tokens that a client sees, without links.
    private func tokens(_ client: TokenClient) throws -> Set<String> {
        let all = try client.get("/tokens?limit=1000").json["tokens"]?.array ?? []
        return Set(all.filter { $0["link"] == .null }.compactMap { $0["id"]?.string })
    }
}
