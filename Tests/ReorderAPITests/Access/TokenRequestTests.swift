import Foundation
import ReorderAuth
import Testing

@testable import ReorderAPI

/// Tokens that are made and removed over HTTP.
@Suite struct TokenRequestTests {
    private func withControl(
        _ setup: Setup = .inProcess, tokenLimit: Int = 10_000,
        _ body: (ServerUnderTest, _ admin: TokenClient, TestClock) throws -> Void
    ) throws {
        let clock = TestClock.stopped
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try TestTokens.keys.get(), clock: clock.now)
        try withServer(setup, access: control, tokenLimit: tokenLimit, clock: clock) {
            server throws in
            let admin = server.client(with: "admin")
            for list in ["l", "other"] {
                #expect(try admin.put("/lists/\(list)", draft(["\(list)-a"])).status == 201)
            }
            try body(server, admin, clock)
        }
    }

    private func field(_ made: APIResponse) throws -> [String: String] {
        ["Authorization": "Bearer \(try #require(made.json["token"]?.string))"]
    }

    private static let guest = #"{"name":"guest","grants":[{"scope":"read","lists":["l"]}]}"#

    @Test(arguments: Setup.all)
    func aTokenWorksUntilItIsRemoved(setup: Setup) throws {
        try withControl(setup) { server, admin, _ throws in
            let body = """
                {"name":"Ärger","grants":[{"scope":"read"},{"scope":"write","lists":["l","m*"]}],\
                "expiresAt":null}
                """
            let made = try admin.post("/tokens", body)
            #expect(made.status == 201, "\(made.text)")
            #expect(made["Cache-Control"] == "no-store")
            let id = try #require(made.json["id"]?.string)
            #expect(made["Location"] == "/tokens/\(id)")
            #expect(made.json["name"] == "Ärger")
            #expect(made.json["createdBy"] == "admin")
            #expect(made.json["expiresAt"] == .null)
            #expect(
                made.json["grants"] == [
                    ["scope": "read", "lists": ["*"]], ["scope": "write", "lists": ["l", "m*"]],
                ])
            let field = try field(made)
            for _ in 0..<2 {
                let me = try server.client.get("/me", field)
                #expect(me.json["name"] == "Ärger" && me.json["author"] == "Ärger")
                #expect(try server.client.get("/lists/other", field).status == 200)
                let title = #"{"title":"x"}"#
                #expect(try server.client.send("PATCH", "/lists/l", title, field).status == 200)
                #expect(
                    try server.client.send("PATCH", "/lists/other", title, field).status == 403)
                #expect(try server.client.get("/tokens", field).status == 403)
                let list = try server.client(with: "admin").get("/tokens")
                #expect(list.json["tokens"]?.array.map { $0["id"] } == [.string(id)])
                #expect(list.json["cursor"] == .null)
                #expect(!list.text.contains("rdr_") && !list.text.contains("sha256"))
                try server.reopen()
            }
            #expect(try server.client(with: "admin").delete("/tokens/\(id)").status == 204)
            for _ in 0..<2 {
                let denied = try server.client.get("/me", field)
                #expect(denied.status == 401 && denied.code == "unauthorized")
                #expect(
                    try server.client(with: "admin").delete("/tokens/\(id)").code
                        == "token_not_found")
                #expect(try server.client(with: "admin").get("/tokens").json["tokens"] == [])
                try server.reopen()
            }
        }
    }

    @Test(arguments: Setup.memory)
    func openStreamsEndWithTheirToken(setup: Setup) throws {
        try withControl(setup) { server, admin, _ throws in
            let made = try admin.post("/tokens", Self.guest)
            let field = try field(made)
            let ticket = try #require(
                try server.client.post("/event-tickets", nil, field).json["ticket"]?.string)
            let streams = [
                try server.client.watch("l", "", field), try server.client.watchFeed("", field),
                try server.client.watch("l", "?ticket=\(ticket)"),
            ]
            for stream in streams { try stream.expect("hello") }
            #expect(
                try admin.delete("/tokens/\(made.json["id"]?.string ?? "")").status == 204)
            for stream in streams { #expect(try stream.next() == nil) }
            let answer = try server.client.watch("l", "?ticket=\(ticket)").answer
            #expect(answer.status == 401)
        }
    }

    /// `GrantTableTests` has the grants of every scope for every pattern.
    @Test(arguments: ["", "jwt "])
    func nobodyGivesMoreThanHeHas(kind: String) throws {
        try withControl { server, _, _ throws in
            let limited = server.client(with: kind + "admin:mine*,l")
            func answer(_ grants: String) throws -> APIResponse {
                try limited.post("/tokens", #"{"name":"x","grants":[\#(grants)]}"#)
            }
            // Without lists, a grant is for all.
            for grants in [
                #"{"scope":"read"}"#,
                #"{"scope":"write","lists":["l"]},{"scope":"read","lists":["other"]}"#,
            ] {
                #expect(try answer(grants).code == "forbidden", "\(grants)")
            }
            for grants in [
                #"{"scope":"admin","lists":["l","mine*"]}"#, #"{"scope":"metrics"}"#,
                #"{"scope":"read","lists":["mine-2*"]},{"scope":"write","lists":["mine"]}"#,
            ] {
                #expect(try answer(grants).status == 201, "\(grants)")
            }
            // An administrator for some lists can remove its own token, and then makes no others.
            let made = try answer(#"{"scope":"admin","lists":["l"]}"#)
            let field = try field(made)
            let own = try #require(made["Location"])
            #expect(try server.client.delete(own, field).status == 204)
            #expect(try server.client.post("/tokens", Self.guest, field).status == 401)
        }
    }

    @Test func invalidBodiesAreRefused() throws {
        try withControl { _, admin, _ throws in
            func status(_ body: String) throws -> Int { try admin.post("/tokens", body).status }
            func body(_ members: String, grants: String = #"[{"scope":"read"}]"#) -> String {
                #"{\#(members),"grants":\#(grants)}"#
            }
            func patterns(_ count: Int) -> String {
                let lists = (0..<count).map { "\"a\($0)\"" }.joined(separator: ",")
                return #"[{"scope":"read","lists":[\#(lists)]}]"#
            }
            let name = #""name":"x""#
            let grant = #"{"scope":"read","lists":["a"]}"#
            let many = Array(repeating: grant, count: 100).joined(separator: ",")
            for body in [
                "{}", #"{"name":"x"}"#, #"{"grants":[{"scope":"read"}]}"#,
                body(#""name":"""#), body(#""name":"\#(String(repeating: "x", count: 65))""#),
                body(#""name":"a\nb""#), body(#""name":null"#),
                body(#""name":"\u202eann""#), body(#""name":"a\u2066b""#),
                body(#""name":"\u200fa""#),
                body(#""name":"a\u0085""#), body(#""name":"a\u2028b""#),
                body(name, grants: "[]"), body(name, grants: "null"),
                body(name, grants: #"[{"scope":"none"}]"#), body(name, grants: "[{}]"),
                body(name, grants: #"[{"scope":"read","lists":[]}]"#),
                body(name, grants: #"[{"scope":"read","lists":null}]"#),
                body(name, grants: #"[{"scope":"read","list":["a"]}]"#),
                body(name, grants: #"[{"scope":"read","lists":["a/b"]}]"#),
                body(name, grants: patterns(101)), body(name, grants: "[\(many),\(grant)]"),
                body(name + #","scope":"read""#), body(name + #","sha256":"00""#),
                body(name + #","expiresAt":"tomorrow""#), body(name + #","expiresAt":7"#),
            ] {
                #expect(try status(body) == 422, "\(body)")
            }
            for body in [
                body(#""name":"\#(String(repeating: "x", count: 64))""#),
                body(name, grants: patterns(100)), body(name, grants: "[\(many)]"),
            ] {
                #expect(try status(body) == 201, "\(body)")
            }
        }
    }

    @Test func aTokenExpires() throws {
        try withControl(tokenLimit: 1) { server, admin, clock throws in
            let time = ISO8601DateFormatter()
            func post(expiry seconds: Double) throws -> APIResponse {
                let text = time.string(from: clock.now().addingTimeInterval(seconds))
                return try admin.post(
                    "/tokens",
                    #"{"name":"x","grants":[{"scope":"read"}],"expiresAt":"\#(text)"}"#)
            }
            #expect(try post(expiry: -1).json["pointer"] == "/expiresAt")
            let made = try post(expiry: 60)
            #expect(made.status == 201)
            let field = try field(made)
            #expect(try server.client.get("/lists/l", field).status == 200)
            #expect(try post(expiry: 60).code == "token_limit")
            clock.advance(seconds: 61)
            let denied = try server.client.get("/lists/l", field)
            #expect(denied.status == 401)
            #expect(denied.json["detail"] == "The token has expired.")
            #expect(try admin.get("/tokens").json["tokens"] == [])
            // Expired tokens do not count.
            #expect(try post(expiry: 60).status == 201)
        }
    }

    @Test(arguments: Setup.once)
    func aServerWithoutAccessControlRefuses(setup: Setup) throws {
        try withServer(setup) { server throws in
            for (method, path, body) in [
                ("POST", "/tokens", Self.guest), ("GET", "/tokens", nil),
                ("DELETE", "/tokens/x", nil), ("GET", "/lists/l/shares", nil),
                ("POST", "/lists/l/shares", #"{"scope":"read"}"#),
                ("DELETE", "/lists/l/shares/x", nil),
            ] {
                let answer = try server.client.send(method, path, body)
                #expect(answer.status == 409 && answer.code == "no_access_control")
            }
        }
    }
}
