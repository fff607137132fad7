import Foundation
import MicroHTTP
import ReorderAuth
import ReorderService
import ReorderStore
import Synchronization
import Testing

@testable import ReorderAPI

/// Cases that the matrix of routes and credentials does not cover.
@Suite struct AccessTests {
    private static let lists = [
        "l": draft(["a", "b"]), "mine-1": draft(["m"]), "other": draft(["o"]),
    ]

    private func withLists(
        _ setup: Setup, _ control: AccessControl, _ body: (ServerUnderTest) throws -> Void
    ) throws {
        try withServer(setup, access: control) { server throws in
            for (list, document) in Self.lists {
                let owner = server.client(with: "write")
                #expect(try owner.put("/lists/\(list)", document).status == 201)
            }
            try body(server)
        }
    }

    @Test(arguments: Setup.once)
    func aClientReadsWhatItsTokenAllows(setup: Setup) throws {
        try withLists(setup, TestTokens.control(TestTokens.keys.get())) { server throws in
            for (token, scope, lists) in [
                ("read", "read", ["*"]), ("write:mine*,l", "write", ["l", "mine*"]),
                ("admin:mine*,l", "admin", ["l", "mine*"]),
                ("jwt read:mine*,l", "read", ["l", "mine*"]),
            ] {
                let answer = try server.client(with: token).get("/me")
                #expect(answer.status == 200 && answer["Cache-Control"] == "no-store")
                let patterns = JSONValue.array(lists.map { .string($0) })
                #expect(answer.json["name"]?.string == token.replacing("jwt ", with: ""))
                #expect(
                    answer.json["grants"] == [["scope": .string(scope), "lists": patterns]],
                    "\(token)")
                #expect((answer.json["expiresAt"] == .null) == !token.hasPrefix("jwt"))
            }
            #expect(try server.client.get("/me").status == 401)
        }
        try withServer(setup) { server throws in
            #expect(
                try server.client.get("/me").json
                    == [
                        "name": nil, "author": nil, "grants": [["scope": "admin", "lists": ["*"]]],
                        "link": nil, "createdBy": nil, "expiresAt": nil,
                    ])
        }
    }

    /// The claim `exp` can have any number. The server accepts a token for 60 seconds longer.
    @Test(arguments: Setup.once)
    func aClientReadsWhenItsTokenExpires(setup: Setup) throws {
        let control = try TestTokens.control(TestTokens.keys.get())
        try withServer(setup, access: control) { server throws in
            for (claim, time) in [
                ("4102444800", "2100-01-01T00:01:00.000Z"),
                ("4102444800.25", "2100-01-01T00:01:00.250Z"),
                ("1e15", "9999-12-31T23:59:59.999Z"), ("1e300", "9999-12-31T23:59:59.999Z"),
            ] {
                let token = TestTokens.signed(
                    #"{"exp":\#(claim),"sub":"x","scope":"reorderd:read"}"#)
                let answer = try server.client.get("/me", ["Authorization": "Bearer \(token)"])
                #expect(answer.json["expiresAt"]?.string == time, "\(claim)")
            }
        }
    }

    /// The reason names the missing member, and must not end the field's quoted text.
    @Test func theChallengeOfATokenWithoutAClaimIsWellFormed() throws {
        let control = try TestTokens.control(TestTokens.keys.get())
        try withServer(.inProcess, access: control) { server throws in
            for claims in [
                #"{"sub":"x","scope":"reorderd:read"}"#, #"{"exp":"\r\nX: 1","é\"":1}"#,
            ] {
                let token = TestTokens.signed(claims)
                let answer = try server.client.get("/me", ["Authorization": "Bearer \(token)"])
                #expect(answer.status == 401)
                let challenge = try #require(answer["WWW-Authenticate"])
                #expect(challenge.filter { $0 == "\"" }.count == 6, "\(challenge)")
                #expect(challenge.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(challenge)")
            }
        }
    }

    @Test(arguments: Setup.once)
    func aKeyBelongsToItsClient(setup: Setup) throws {
        try withLists(setup, TestTokens.control()) { server throws in
            let key = ["Idempotency-Key": "k"]
            let (all, some) = (server.client(with: "write"), server.client(with: "write:other"))
            let mine = server.client(with: "write:mine*,l")
            let patch = #"{"title":"x"}"#
            #expect(try all.send("PATCH", "/tasks/o", patch, key).status == 200)
            let again = try all.send("PATCH", "/tasks/o", patch, key)
            #expect(again["Idempotent-Replay"] == "true")
            // A client without access to the list does not get the stored response.
            #expect(try mine.send("PATCH", "/tasks/o", patch, key).code == "task_not_found")
            // For another client with access, the same key is a different request.
            let own = try some.send("PATCH", "/tasks/o", patch, key)
            #expect(own.status == 200 && own["Idempotent-Replay"] == nil)
            #expect(own.json["changed"] == false)
            // The stored response is also repeated after the task has moved out of the client's
            // lists.
            #expect(try some.send("PATCH", "/tasks/o", patch, key)["Idempotent-Replay"] == "true")
            #expect(
                try all.post("/lists/other/move", #"{"task":"o","toList":"l"}"#).status == 200)
            #expect(try some.send("PATCH", "/tasks/o", patch, key).code == "task_not_found")
            // The same applies to ids that the server generates.
            let made = try all.post("/lists", #"{"title":"x"}"#, key)
            #expect(made.status == 201)
            #expect(try mine.post("/lists", #"{"title":"x"}"#, key).code == "forbidden")
            #expect(try all.post("/lists", #"{"title":"x"}"#, key)["Idempotent-Replay"] == "true")
        }
    }

    @Test func theAccessLogNamesTheClient() throws {
        let names = Mutex<[String?]>([])
        let service = ListService.quiet(MemoryListStore())
        let control = try TestTokens.control(TestTokens.keys.get())
        let router = ReorderAPI(service: service, access: control).makeRouter()
        router.accessLog = AccessLog(logsAll: true, slowSeconds: nil) { entry in
            names.withLock { $0.append(entry.principal) }
        }
        let client = InProcessClient(router: router)
        for token in ["read", "jwt write", "unknown"] {
            _ = try TokenClient(client, token).get("/me")
        }
        let made = try TokenClient(client, "read").post("/event-tickets", "{}")
        let ticket = try #require(made.json["ticket"]?.string)
        try client.watchFeed("?ticket=\(ticket)").expect("hello")
        #expect(names.withLock(\.self) == ["read", "write", nil, "read", "read"])
        try service.stopIdle()
    }

    @Test func ratesAreCountedForEachClient() {
        func counted(_ kind: String, _ name: String) -> String? {
            TokenAccess(kind: kind, name: name, grants: Grants(.read)).principalName
        }
        #expect(counted("token", "ann") == counted("token", "ann"))
        #expect(counted("token", "ann") != counted("jwt https://a.example", "ann"))
        let long = String(repeating: "x", count: 64)
        #expect(counted("jwt -", long + "a") != counted("jwt -", long + "b"))
    }

    @Test(arguments: Setup.once)
    func theIndexHasOnlyAllowedListsInFullPages(setup: Setup) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let owner = server.client(with: "write")
            let lists =
                ["a", "l", "l0", "mine", "mine-", "mine0", "minf", "mind", "z"]
                + (1...7).map { "mine-\($0)" }
            for list in lists { _ = try owner.put("/lists/\(list)", #"{"title":""}"#) }
            let allowed = lists.filter { $0 == "l" || $0.hasPrefix("mine") }.sorted()
            let client = server.client(with: "read:mine*,l")
            for limit in [1, 2, 3, 10, 11, 100] {
                let pages = try client.pages("/lists?limit=\(limit)").map(\.listIDs)
                #expect(pages.dropLast().allSatisfy { $0.count == limit })
                #expect(pages.flatMap(\.self) == allowed, "limit \(limit)")
            }
            // A cursor that is not the id of one of these lists.
            #expect(try client.get("/lists?cursor=zz").json["lists"]?.array.isEmpty == true)
            #expect(try client.get("/lists?cursor=m&limit=1").json["cursor"] == "mine")
        }
    }

    @Test(arguments: Setup.memory)
    func removingATokenEndsOnlyItsStreams(setup: Setup) throws {
        let control = try TestTokens.control()
        try withLists(setup, control) { server throws in
            let goes = try server.client(with: "read:mine*,l").watch("l")
            let stays = try server.client(with: "read").watch("l")
            for stream in [goes, stays] { try stream.expect("hello", id: 1) }
            control.use(try TestTokens.table(TestTokens.all.filter { $0 != "read:mine*,l" }))
            // The stream ends although the list does not change.
            #expect(try goes.next() == nil)
            #expect(try server.client(with: "read:mine*,l").get("/lists/l").status == 401)
            let title = #"{"title":"x"}"#
            #expect(try server.client(with: "write").send("PATCH", "/lists/l", title).status == 200)
            try stays.expect("change", id: 2)
        }
    }

    @Test(arguments: Setup.memory)
    func aPollReturnsNoChangesAfterItsTokenWasRemoved(setup: Setup) throws {
        let control = try TestTokens.control()
        try withLists(setup, control) { server throws in
            let waiting = TokenClient(try server.anotherClient(), "read:mine*,l")
            // The response is the same whether the poll arrives before or after the change.
            let poll = Pending {
                try waiting.get("/lists/l/changes?since=\(versionToken(1))&wait=60")
            }
            control.use(try TestTokens.table(TestTokens.all.filter { $0 != "read:mine*,l" }))
            let title = #"{"title":"x"}"#
            #expect(try server.client(with: "write").send("PATCH", "/lists/l", title).status == 200)
            #expect(try poll.get().code == "unauthorized")
        }
    }

    @Test(arguments: Setup.sockets)
    func anUploadIsRefusedIfItsTokenWasRemovedMeanwhile(setup: Setup) throws {
        let control = try TestTokens.control()
        try withServer(setup, access: control) { server throws in
            let checked = try #require(try server.anotherClient() as? CheckedClient)
            let socket = try #require(checked.client as? SocketClient)
            let connection = try socket.connect()
            let body = Array("{\"title\":\"L\"}\n{\"id\":\"a\",\"title\":\"A\"}\n".utf8)
            let token = TestTokens.field("write")["Authorization"] ?? ""
            connection.write(
                Array(
                    """
                    PUT /lists/l HTTP/1.1\r
                    Host: localhost\r
                    Authorization: \(token)\r
                    Content-Type: application/x-ndjson\r
                    Content-Length: \(body.count)\r
                    Expect: 100-continue\r
                    \r

                    """.utf8))
            // The server has accepted the head.
            #expect(try connection.readHead().status == 100)
            control.use(try TestTokens.table(TestTokens.all.filter { $0 != "write" }))
            connection.write(body)
            #expect(try connection.readAnswer().code == "unauthorized")
            #expect(try server.client(with: "read").get("/lists/l").status == 404)
        }
    }

    @Test func aStreamEndsWhenItsSignedTokenExpires() throws {
        let clock = TestClock.stopped
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try TestTokens.keys.get(), clock: clock.now)
        let server = try OneLoopServer(access: control, clock: clock)
        let owner = TokenClient(server.client, "write")
        #expect(try owner.put("/lists/l", draft(["a"])).status == 201)
        let end = Int(clock.now().timeIntervalSince1970) + 3_600
        let token = TestTokens.signed(#"{"exp":\#(end),"scope":"reorderd:read"}"#)
        let field = ["Authorization": "Bearer \(token)"]
        let ends = try server.client.watch("l", "", field)
        try ends.expect("hello", id: 1)
        // The list does not change. A heartbeat ten seconds before the token expires is the last one.
        try server.advance(seconds: 3_650)
        #expect(try server.client.get("/lists/l", field).status == 200)
        try server.advance(seconds: 10)
        #expect(try ends.next() == nil)
        #expect(try server.client.get("/lists/l", field).status == 401)
        try server.stop()
    }

    /// A page can take long: the list is loaded, or a worker reads it.
    @Test func noPageIsReturnedAfterItsTokenHasExpired() throws {
        let end = Date(timeIntervalSince1970: 2_000_000_000)
        // How often the clock is read before the token expires.
        let reads = Mutex(Int.max)
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try TestTokens.keys.get(),
            clock: {
                reads.withLock { reads in
                    reads -= 1
                    return end + (reads < 0 ? 3_600 : -3_600)
                }
            })
        let claims = #"{"exp":\#(Int(end.timeIntervalSince1970)),"scope":"reorderd:read"}"#
        let field = ["Authorization": "Bearer \(TestTokens.signed(claims))"]
        try withLists(.inProcess, control) { server throws in
            for path in [
                "/lists/l/tasks", "/lists/l/tasks?order=data.n", "/lists/l/sections",
                "/lists/l/entries", "/lists/l/changes?order=desc",
                "/lists/l/changes?since=\(versionToken(1))", "/tasks", "/tasks?ids=a",
                "/changes",
            ] {
                reads.withLock { $0 = 2 }
                #expect(try server.client.get(path, field).status == 200, "\(path)")
                reads.withLock { $0 = 1 }
                #expect(try server.client.get(path, field).code == "unauthorized", "\(path)")
            }
            reads.withLock { $0 = .max }
        }
    }

    @Test(arguments: Setup.memory)
    func cachedResponsesRequireReadAccess(setup: Setup) throws {
        try withLists(setup, TestTokens.control()) { server throws in
            // The second read is served from the response cache.
            for _ in 1...3 {
                #expect(try server.client(with: "read").get("/lists/other").status == 200)
                #expect(try server.client.get("/lists/other").status == 401)
                let client = server.client(with: "read:mine*,l")
                #expect(try client.get("/lists/other").code == "forbidden")
                let seen = ["If-None-Match": entityTag(1)]
                #expect(try client.get("/lists/other", seen).code == "forbidden")
                #expect(try server.client.get("/lists/other", seen).status == 401)
                #expect(try client.get("/lists/l", seen).status == 304)
            }
        }
    }

    @Test(arguments: Setup.once)
    func aTakenIdRevealsNothingElse(setup: Setup) throws {
        try withLists(setup, TestTokens.control()) { server throws in
            let client = server.client(with: "write:mine*,l")
            let answer = try client.post("/lists/l/tasks", #"{"id":"o","title":"x"}"#)
            #expect(answer.code == "id_taken")
            #expect(!answer.text.contains("other\""))
            #expect(try client.post("/lists", #"{"id":"other","title":""}"#).code == "forbidden")
        }
    }
}
