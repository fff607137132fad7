import Foundation
import ReorderAuth
import ReorderStore
import Testing

@testable import ReorderAPI

/// Links to a list.
@Suite struct ShareTests {
    private func withLists(
        _ setup: Setup = .inProcess, tokenLimit: Int = 10_000,
        _ body: (ServerUnderTest, _ owner: TokenClient, TestClock) throws -> Void
    ) throws {
        let clock = TestClock.stopped
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try TestTokens.keys.get(), clock: clock.now)
        try withServer(setup, access: control, tokenLimit: tokenLimit, clock: clock) {
            server throws in
            let owner = server.client(with: "write")
            for list in ["l", "other"] {
                #expect(try owner.put("/lists/\(list)", draft(["\(list)-a"])).status == 201)
            }
            try body(server, owner, clock)
        }
    }

    private func field(_ made: APIResponse) throws -> [String: String] {
        ["Authorization": "Bearer \(try #require(made.json["token"]?.string))"]
    }

    private static let shares = "/lists/l/shares"

    @Test(arguments: Setup.all)
    func aLinkOpensItsListUntilItIsTakenBack(setup: Setup) throws {
        try withLists(setup) { server, owner, _ throws in
            let made = try owner.post(Self.shares, #"{"scope":"write","name":"Zoë"}"#)
            #expect(made.status == 201 && made["Cache-Control"] == "no-store", "\(made.text)")
            let token = try #require(made.json["token"]?.string)
            let id = try #require(made.json["id"]?.string)
            #expect(made.json["path"]?.string == "/#l/\(token)")
            #expect(made.json["name"] == "Zoë (link)" && made.json["scope"] == "write")
            #expect(made.json["createdBy"] == "write")
            let field = try field(made)
            for _ in 0..<2 {
                let me = try server.client.get("/me", field)
                #expect(me.json["author"] == "Zoë (link)" && me.json["link"] == "l")
                #expect(me.json["createdBy"] == "write")
                #expect(me.json["grants"] == [["scope": "write", "lists": ["l"]]])
                let title = #"{"title":"x"}"#
                let task = try server.client.send("PATCH", "/tasks/l-a", title, field)
                #expect(task.json["task"]?["updatedBy"] == "Zoë (link)")
                #expect(try server.client.get("/lists/other", field).status == 403)
                let index = try server.client.get("/lists", field)
                #expect(index.listIDs == ["l"])
                let listed = try server.client(with: "write").get(Self.shares)
                #expect(listed.json["shares"]?.array.map { $0["id"] } == [.string(id)])
                #expect(!listed.text.contains("rdr_") && !listed.text.contains("sha256"))
                try server.reopen()
            }
            // Whoever may change the list can take it back.
            let other = server.client(with: "write:mine*,l")
            #expect(try other.delete("/lists/other/shares/\(id)").status == 403)
            let reader = server.client(with: "read")
            #expect(try reader.delete("\(Self.shares)/\(id)").code == "forbidden")
            #expect(
                try server.client(with: "write").delete("/lists/other/shares/\(id)").code
                    == "share_not_found")
            #expect(try other.delete("\(Self.shares)/\(id)").status == 204)
            for _ in 0..<2 {
                #expect(try server.client.get("/lists/l", field).status == 401)
                let again = try server.client(with: "write").delete("\(Self.shares)/\(id)")
                #expect(again.code == "share_not_found")
                try server.reopen()
            }
        }
    }

    @Test(arguments: Setup.memory)
    func streamsEndWithTheirLinkAndItsList(setup: Setup) throws {
        try withLists(setup) { server, owner, _ throws in
            for deletesList in [false, true] {
                let made = try owner.post(Self.shares, #"{"scope":"read"}"#)
                let field = try field(made)
                let ticket = try server.client.post("/event-tickets", nil, field).json["ticket"]
                let streams = [
                    try server.client.watch("l", "", field),
                    try server.client.watchFeed("", field),
                    try server.client.watch("l", "?ticket=\(ticket?.string ?? "")"),
                ]
                for stream in streams { try stream.expect("hello") }
                let id = made.json["id"]?.string ?? ""
                let end = deletesList ? "/lists/l" : "\(Self.shares)/\(id)"
                #expect(try owner.delete(end).status == 204)
                for stream in streams {
                    // The deletion itself can be the last event.
                    while try stream.next() != nil {}
                }
            }
        }
    }

    /// Two people can have the same name, and choose the same key.
    @Test(arguments: Setup.memory)
    func linksWithTheSameNameDoNotShareKeys(setup: Setup) throws {
        try withLists(setup) { server, owner, _ throws in
            for title in ["one", "two"] {
                let made = try owner.post(Self.shares, #"{"scope":"write","name":"Guest"}"#)
                let fields = try field(made).merging(["Idempotency-Key": "k"]) { $1 }
                let task = try server.client.post(
                    "/lists/l/tasks", #"{"title":"\#(title)"}"#, fields)
                #expect(task.status == 201 && task.json["task"]?["title"]?.string == title)
            }
        }
    }

    /// A link is for other people, not for the list itself, and it makes no links.
    @Test func aLinkChangesOnlyWhatIsInTheList() throws {
        try withLists { server, owner, _ throws in
            let made = try owner.post(Self.shares, #"{"scope":"write"}"#)
            let (field, id) = (try field(made), made.json["id"]?.string ?? "")
            for (method, path, body) in [
                ("POST", Self.shares, #"{"scope":"read"}"#), ("GET", Self.shares, nil),
                ("DELETE", "\(Self.shares)/\(id)", nil), ("DELETE", "/lists/l", nil),
                ("DELETE", "/lists/l?permanent=true", nil), ("PUT", "/lists/l", draft(["b"])),
                ("POST", "/lists", #"{"id":"l","title":""}"#), ("POST", "/lists", "{}"),
                ("POST", "/lists/l/restore", nil), ("GET", "/bin", nil),
                ("POST", "/lists/l/copy", #"{"id":"l2"}"#), ("POST", "/lists/l/copy", "{}"),
                ("POST", "/lists/l/copy", #"{"id":"l"}"#),
                ("POST", "/lists/l/move", #"{"task":"l-a","toList":"other"}"#),
                ("POST", "/tasks/l-a/copy", #"{"toList":"other"}"#),
                ("POST", "/tokens", #"{"name":"x","grants":[{"scope":"read","lists":["l"]}]}"#),
                ("POST", "/webhooks", #"{"url":"https://example.org/","lists":["l"]}"#),
                ("GET", "/metrics", nil),
            ] {
                let answer = try server.client.send(method, path, body, field)
                #expect(answer.code == "forbidden", "\(method) \(path): \(answer.text)")
            }
            #expect(try server.client.get("/tasks/other-a", field).code == "task_not_found")
            #expect(try owner.get("/lists/l").json["version"] == 1)
            #expect(try owner.get("/lists/other").json["version"] == 1)
        }
    }

    /// Another list could get its id.
    @Test(arguments: Setup.all, [false, true])
    func theDeletionOfAListEndsItsLinks(setup: Setup, isPermanent: Bool) throws {
        try withLists(setup) { server, _, _ throws in
            let owner = server.client(with: "purge")
            let field = try field(try owner.post(Self.shares, #"{"scope":"write"}"#))
            // A deletion that is refused ends none.
            let stale = ["If-Match": "\"7-0123456789ab\""]
            #expect(try owner.delete("/lists/l", stale).status == 412)
            #expect(try server.client.get("/lists/l", field).status == 200)
            let query = isPermanent ? "?permanent=true" : ""
            #expect(try owner.delete("/lists/l\(query)").status == 204)
            #expect(try server.client.get("/lists/l", field).status == 401)
            #expect(try owner.put("/lists/l", draft(["new"])).status == 201)
            #expect(try server.client.get("/lists/l", field).status == 401)
            #expect(try owner.get(Self.shares).json["shares"] == [])
        }
    }

    /// Another list may have got the id since the deletion.
    @Test(arguments: Setup.all) func aRepeatedDeletionEndsNoNewLinks(setup: Setup) throws {
        try withLists(setup) { server, owner, _ throws in
            let key = ["Idempotency-Key": "once"]
            #expect(try owner.delete("/lists/l", key).status == 204)
            #expect(try owner.put("/lists/l", draft(["new"])).status == 201)
            let field = try field(try owner.post(Self.shares, #"{"scope":"read"}"#))
            let again = try owner.delete("/lists/l", key)
            #expect(again.status == 204 && again["Idempotent-Replay"] == "true")
            #expect(try server.client.get("/lists/l", field).status == 200)
        }
    }

    /// The server can be started with tokens again.
    @Test(arguments: Setup.memory) func aServerWithoutTokensEndsLinksToo(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"]), "m": draft(["b"])])
            for list in ["l", "m"] {
                let share = IssuedToken(
                    id: list, name: "x (link)", digest: NewToken().digest,
                    grants: [GrantForm(.write, [list])], createdAt: 0, createdBy: nil,
                    expiresAt: .max, link: list)
                let token = StoredToken(id: share.id, bytes: share.bytes, list: list)
                #expect(try server.memory.addToken(token))
            }
            #expect(try server.client.delete("/lists/l").status == 204)
            #expect(try server.memory.tokens().map(\.id) == ["m"])
        }
    }

    @Test(arguments: Setup.all) func aListWithoutExistenceHasNoLinks(setup: Setup) throws {
        try withLists(setup) { server, owner, _ throws in
            let made = try owner.post("/lists/none/shares", #"{"scope":"read"}"#)
            #expect(made.status == 404 && made.code == "list_not_found")
            #expect(try owner.get("/lists/none/shares").json["shares"] == [])
            #expect(try server.client(with: "admin").get("/tokens").json["tokens"] == [])
        }
    }

    /// As a pattern, the text would open other lists, if only until the server finds that there is no such list.
    @Test func aPatternIsNoList() throws {
        // Without room for links, only what is refused before a link is stored has another code.
        try withLists(tokenLimit: 0) { server, _, _ throws in
            let client = server.client(with: "write:mine*,l")
            let body = #"{"scope":"read"}"#
            #expect(try client.post("/lists/mine*/shares", body).code == "list_not_found")
            #expect(try client.post(Self.shares, body).code == "share_limit")
        }
    }

    @Test func aLinkExpires() throws {
        try withLists { server, owner, clock throws in
            func post(_ seconds: Double) throws -> APIResponse {
                let text = clock.now().addingTimeInterval(seconds).formatted(.iso8601)
                return try owner.post(Self.shares, #"{"scope":"read","expiresAt":"\#(text)"}"#)
            }
            let longest = 366.0 * 86_400
            #expect(try post(0).json["pointer"] == "/expiresAt")
            #expect(try post(longest + 1).json["pointer"] == "/expiresAt")
            #expect(try post(longest).status == 201)
            let short = try field(try post(60))
            let standard = try field(try owner.post(Self.shares, #"{"scope":"read"}"#))
            clock.advance(seconds: 61)
            #expect(try server.client.get("/lists/l", short).status == 401)
            #expect(try owner.get(Self.shares).json["shares"]?.array.count == 2)
            clock.advance(seconds: 30 * 86_400 - 62)
            #expect(try server.client.get("/lists/l", standard).status == 200)
            clock.advance(seconds: 2)
            #expect(try server.client.get("/lists/l", standard).status == 401)
        }
    }

    @Test func theNumberOfLinksIsLimited() throws {
        try withLists(tokenLimit: 101) { server, owner, _ throws in
            let body = #"{"scope":"read"}"#
            for _ in 0..<100 { #expect(try owner.post(Self.shares, body).status == 201) }
            #expect(try owner.post(Self.shares, body).code == "share_limit")
            #expect(try owner.post("/lists/other/shares", body).status == 201)
            #expect(try owner.post("/lists/other/shares", body).code == "share_limit")
            // They leave room for tokens.
            let token = #"{"name":"x","grants":[{"scope":"read"}]}"#
            #expect(try server.client(with: "admin").post("/tokens", token).status == 201)
        }
    }

    /// So nobody can use up the links of the server.
    @Test func theNumberOfLinksOfAClientIsLimited() throws {
        try withLists { server, owner, _ throws in
            let body = #"{"scope":"read"}"#
            for list in 0..<10 {
                #expect(try owner.put("/lists/m\(list)", draft()).status == 201)
                for _ in 0..<100 {
                    #expect(try owner.post("/lists/m\(list)/shares", body).status == 201)
                }
            }
            #expect(try owner.post(Self.shares, body).code == "share_limit")
            #expect(try server.client(with: "admin").post(Self.shares, body).status == 201)
            #expect(try owner.delete("/lists/m0").status == 204)
            #expect(try owner.post(Self.shares, body).status == 201)
        }
    }

    @Test func wrongBodiesAreRefused() throws {
        try withLists { server, owner, _ throws in
            func name(_ text: String) -> String { #"{"scope":"read","name":"\#(text)"}"# }
            for body in [
                "{}", #"{"scope":"purge"}"#, #"{"scope":"admin"}"#, #"{"scope":"none"}"#,
                #"{"scope":null}"#, name(""), name(String(repeating: "x", count: 51)),
                name("a\\nb"), name("\u{202E}a"),
                name("a\u{2028}b"), name("a\u{85}"),
                #"{"scope":"read","lists":["other"]}"#, #"{"scope":"read","expiresAt":"soon"}"#,
            ] {
                #expect(try owner.post(Self.shares, body).status == 422, "\(body)")
            }
            #expect(
                try owner.post(Self.shares, name(String(repeating: "x", count: 50))).status == 201)
            // Nobody else gets the name of a link.
            let token = #"{"name":"Zoë (link)","grants":[{"scope":"read"}]}"#
            #expect(try server.client(with: "admin").post("/tokens", token).status == 422)
        }
    }
}
