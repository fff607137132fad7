import Foundation
import MicroHTTP
import ReorderAuth
import Testing

@testable import ReorderAPI

/// Every route with every kind of credentials.
@Suite struct AccessMatrixTests {
    /// Creates the lists `l` and `other` with corresponding tasks and a drag on each.
    static func prepare(_ server: ServerUnderTest) throws -> [String: RouteCalls] {
        let owner = server.client(with: "write")
        var calls: [String: RouteCalls] = [:]
        for list in ["l", "other"] {
            let tasks = ["\(list)-a@s", "\(list)-b@s"]
            #expect(try owner.put("/lists/\(list)", draft(tasks)).status == 201)
            let section = #"{"title":"Section"}"#
            _ = try owner.send("PATCH", "/lists/\(list)/sections/s", section)
            let drag = try owner.post("/lists/\(list)/drags", #"{"task":"\#(list)-a"}"#)
            let webhook = try server.client(with: "admin").post(
                "/webhooks", #"{"url":"https://example.org","lists":["\#(list)"]}"#)
            calls[list] = RouteCalls(
                list: list, task: "\(list)-a", other: "\(list)-b", section: "s",
                drag: try #require(drag.json["drag"]?.string),
                webhook: try #require(webhook.json["id"]?.string))
            let token = try server.client(with: "admin").post(
                "/tokens", #"{"name":"x","grants":[{"scope":"read","lists":["\#(list)"]}]}"#)
            calls[list]?.token = try #require(token.json["id"]?.string)
            let share = try owner.post("/lists/\(list)/shares", #"{"scope":"read"}"#)
            calls[list]?.share = try #require(share.json["id"]?.string)
        }
        return calls
    }

    /// Calls `body` once for each route, with a new server, and with valid requests for the list
    /// `l`.
    static func forEachRoute(
        _ body: (ServerUnderTest, Route, RouteAccess, [String: RouteCalls]) throws -> Void
    ) async throws {
        let keys = try TestTokens.keys.get()
        var routes: [Route] = []
        try withServer(.inProcess) { routes = $0.routes }
        #expect(routes.count >= 30)
        for route in routes {
            let needed = try #require(
                route.access, "\(route) says nothing of who may use it")
            try withServer(.inProcess, access: TestTokens.control(keys)) { server throws in
                try body(server, route, needed, try prepare(server))
            }
        }
    }

    static func states(_ server: ServerUnderTest) throws -> [String] {
        try ["l", "other"].map { try server.client(with: "read").get("/lists/\($0)").text }
    }

    @Test func anonymousClientsGetPublicRoutesOnly() async throws {
        let long = String(repeating: "x", count: 9_000)
        let now = Int(Date().timeIntervalSince1970)
        let (scope, end) = (#""scope":"reorderd:admin""#, #""exp":\#(now + 3_600)"#)
        let signed = [
            TestTokens.signed(#"{"exp":\#(now - 61),\#(scope)}"#),
            TestTokens.signed(#"{\#(end),"nbf":\#(now + 3_000),\#(scope)}"#),
            TestTokens.signed(#"{\#(scope)}"#),
            TestTokens.signed(#"{\#(end),\#(scope)}"#, algorithm: "none"),
            TestTokens.signed(#"{\#(end),\#(scope)}"#, algorithm: "HS512"),
            TestTokens.signed(#"{\#(end),\#(scope)}"#, algorithm: "RS256"),
            TestTokens.signed(#"{\#(end),\#(scope)}"#, secret: Array(repeating: 0, count: 32)),
            TestTokens.signed(#"{\#(end),"aud":"another server",\#(scope)}"#),
            TestTokens.signed(#"{\#(end),\#(scope),"lists":[]}"#),
        ]
        let twice = TestTokens.field("admin").map { (name: $0.key, value: $0.value) }
        var bad: [(fields: [(name: String, value: String)], error: String?)] = [
            ([], nil),
            ([("Authorization", "Basic d3JpdGU6eA==")], nil),
            ([("Authorization", "")], nil),
            ([("Authorization", "Bearer")], "invalid_token"),
            ([("Authorization", "Bearer a b")], "invalid_token"),
            ([("Authorization", "Bearer rdr_unknown")], "invalid_token"),
            ([("Authorization", "Bearer \(long)")], "invalid_token"),
            (twice + [("Authorization", "Bearer x")], "invalid_token"),
        ]
        for token in signed {
            bad.append(([("Authorization", "Bearer \(token)")], "invalid_token"))
        }
        try await Self.forEachRoute { server, route, needed, calls throws in
            let before = try Self.states(server)
            for (fields, error) in bad {
                var call = try #require(calls["l"]?.call(route))
                call.fields += fields
                let answer = try server.ask(call)
                guard needed != .nothing else {
                    #expect(answer.status == 200, "\(route) \(answer.text)")
                    continue
                }
                #expect(answer.status == 401, "\(route) \(fields)")
                #expect(answer.code == "unauthorized")
                let challenge = try #require(answer["WWW-Authenticate"])
                #expect(challenge.hasPrefix(#"Bearer realm="reorderd""#))
                #expect(challenge.contains("error=") == (error != nil), "\(challenge)")
                if let error { #expect(challenge.contains(#"error="\#(error)""#)) }
                #expect(!answer.text.contains("rdr_"), "the response contains a token")
            }
            #expect(try Self.states(server) == before)
        }
    }

    @Test func eachRouteNeedsItsScope() async throws {
        try await Self.forEachRoute { server, route, needed, calls throws in
            let call = try #require(calls["l"]?.call(route))
            let less = AccessScope.allCases.filter {
                !$0.includes(needed.scope) && $0 > .none
            }
            let before = try Self.states(server)
            for scope in less {
                for token in ["", ":mine*,l"].flatMap({
                    [scope.name + $0, "jwt " + scope.name + $0]
                }) + ["jwt \(scope.name):l;\(scope.name):mine*"] {
                    let answer = try server.ask(call, token)
                    #expect(answer.status == 403, "\(route) with \(token): \(answer.text)")
                    #expect(answer.code == "forbidden")
                    let challenge =
                        #"error="insufficient_scope", scope="reorderd:\#(needed.scope)""#
                    #expect(answer["WWW-Authenticate"]?.contains(challenge) == true)
                }
            }
            #expect(try Self.states(server) == before)
        }
    }

    @Test func clientsWithAccessGetAResponse() async throws {
        for (kind, suffix) in [
            ("", ""), ("", ":mine*,l"), ("jwt ", ""), ("jwt ", ":mine*,l"),
            ("jwt ", ":mine*,l;read:other"), ("jwt read:other;", ":mine*,l"),
        ] {
            try await Self.forEachRoute { server, route, needed, calls throws in
                let token = kind + (needed.scope == .none ? .read : needed.scope).name + suffix
                var valid = try #require(calls["l"])
                if needed.list == .ofDrag {
                    try valid.startDrag(with: TestTokens.field(token), server)
                }
                var call = valid.call(route)
                if ["/lists", "/imports"].contains(route.pattern), call.method == "POST" {
                    call.body = Array(#"{"id":"mine-2","title":"x"}"#.utf8)
                }
                if route.pattern == "/lists/:id/restore" {
                    let list = APIRequest(method: "DELETE", target: "/lists/l")
                    #expect(try server.ask(list, "write").status == 204)
                }
                let answer = try server.ask(call, token)
                // No event of this webhook fails.
                let isRefused = answer.code == "event_not_failing"
                #expect(
                    (200..<300).contains(answer.status) || isRefused,
                    "\(route) \(suffix): \(answer.text)")
            }
        }
    }

    @Test func otherListsAreOutOfReach() async throws {
        try await Self.forEachRoute { server, route, needed, calls throws in
            let call = try #require(calls["other"]?.call(route))
            let nowhere = RouteCalls(
                list: "nowhere", task: "nothing", other: "none", section: "s", drag: "no-drag",
                webhook: "no-webhook")
            let missing = nowhere.call(route)
            let before = try Self.states(server)
            for token in [
                "admin:mine*,l", "write:mine*,l", "jwt write:mine*,l", "jwt write:mine*;read:l",
            ] where AccessScope.write.includes(needed.scope) {
                let answer = try server.ask(call, token)
                // The response must not reveal whether the resource exists.
                let same = try server.ask(missing, token)
                #expect(answer.status == same.status && answer.code == same.code, "\(route)")
                switch needed.list {
                case .none: #expect((200..<300).contains(answer.status), "\(route)")
                case .index where route.pattern != "/lists": #expect(answer.status == 200)
                case .index:
                    #expect(answer.listIDs == ["l"])
                case .inPath, .sourceInPath, .inBody:
                    #expect(answer.code == "forbidden", "\(route)")
                case .inBodyOrContainingTask:
                    let isNamed = call.text.contains(#""list""#)
                    #expect(answer.code == (isNamed ? "forbidden" : "task_not_found"), "\(route)")
                case .containingTask, .containingSource:
                    #expect(answer.code == "task_not_found", "\(route)")
                case .ofDrag: #expect(answer.code == "drag_not_found", "\(route)")
                }
                guard answer.status >= 400 else { continue }
                #expect(
                    answer.text.replacing("other-a", with: "nothing").replacing(
                        "other", with: "nowhere"
                    ).replacing(calls["other"]?.drag ?? "", with: "no-drag") == same.text,
                    "\(route)")
            }
            #expect(try Self.states(server) == before)
        }
    }

    /// The token may change one of the lists, and read the other one.
    @Test(arguments: [
        (TestTokens.writer, "other"), ("jwt " + TestTokens.writer, "other"),
        (TestTokens.reader, "l"), ("jwt write:other;" + TestTokens.reader, "l"),
    ])
    func eachListHasItsOwnScope(token: String, readOnly: String) async throws {
        try await Self.forEachRoute { server, route, needed, calls throws in
            let call = try #require(calls[readOnly]?.call(route))
            let before = try Self.states(server)
            let answer = try server.ask(call, token)
            switch (needed.scope, needed.list) {
            case (.metrics, _), (.admin, _):
                #expect(answer.code == "forbidden", "\(route)")
            case (.write, .inPath), (.write, .inBody), (.write, .containingTask),
                (.write, .containingSource), (.write, .inBodyOrContainingTask), (.write, .ofDrag):
                #expect(answer.status == 403 && answer.code == "forbidden", "\(route)")
                let challenge = #"error="insufficient_scope", scope="reorderd:write""#
                #expect(answer["WWW-Authenticate"]?.contains(challenge) == true, "\(route)")
            default:
                #expect((200..<300).contains(answer.status), "\(route): \(answer.text)")
            }
            #expect(try Self.states(server) == before, "\(route)")
        }
    }

    /// Requests whose effect can't be taken back.
    private static let irreversible = ReorderAPI.endpoints.compactMap { endpoint in
        endpoint.irreversible.map {
            (route: Route(method: endpoint.method, pattern: endpoint.pattern), query: $0)
        }
    }

    @Test(arguments: Setup.once)
    func irreversibleRequestsNeedTheScopePurge(setup: Setup) throws {
        #expect(
            Self.irreversible.map { "\($0.route.method) \($0.route.pattern)?\($0.query)" } == [
                "DELETE /lists/:id?permanent"
            ])
        let keys = try TestTokens.keys.get()
        for (route, query) in Self.irreversible {
            for (allowed, isInBin) in [
                ("admin:mine*,l", false), ("purge:mine*,l;write:other", false),
                ("jwt purge:l", true),
            ] {
                try withServer(setup, access: TestTokens.control(keys)) { server throws in
                    let calls = try Self.prepare(server)
                    var call = try #require(calls["l"]?.call(route))
                    call.target += "?\(query)=true"
                    if isInBin {
                        #expect(try server.client(with: "write").delete("/lists/l").status == 204)
                    }
                    for token in [
                        "read", "write", "write:mine*,l", "jwt write", "jwt write:mine*,l",
                        "jwt write:l;purge:other",
                    ] {
                        let answer = try server.ask(call, token)
                        #expect(answer.status == 403, "\(token): \(answer.text)")
                        let scope = token.contains("read") ? "write" : "purge"
                        let challenge = #"error="insufficient_scope", scope="reorderd:\#(scope)""#
                        #expect(answer["WWW-Authenticate"]?.contains(challenge) == true)
                    }
                    for token in ["jwt admin:other", "jwt purge:other;read:l"] {
                        #expect(try server.ask(call, token).code == "forbidden")
                    }
                    #expect(try server.ask(call).status == 401)
                    let bin = try server.client(with: "write").get("/bin").json["lists"]?.array
                    #expect(bin?.count == (isInBin ? 1 : 0))
                    let done = try server.ask(call, allowed)
                    #expect(done.status == 204, "\(done.text)")
                    #expect(
                        try server.client(with: "write").get("/bin").json["lists"]?.array.count == 0
                    )
                }
            }
            try withServer(setup, access: TestTokens.control(keys)) { server throws in
                var call = try #require(try Self.prepare(server)["l"]?.call(route))
                call.target += "?\(query)=false"
                #expect(try server.ask(call, "write").status == 204)
            }
        }
    }

    @Test func headNeedsTheAccessOfGet() async throws {
        try await Self.forEachRoute { server, route, needed, calls throws in
            guard route.method == .get, needed != .nothing else { return }
            var call = try #require(calls["l"]?.call(route))
            call.method = "HEAD"
            #expect(try server.ask(call).status == 401, "\(route)")
            let none = needed.scope == .read ? 200 : 403
            let elsewhere: [RouteAccess.List: Int] = [
                .none: none, .index: 200, .containingTask: 404,
            ]
            let answer = try server.ask(call, "write:other")
            #expect(answer.status == elsewhere[needed.list] ?? 403, "\(route)")
            #expect(try server.ask(call, needed.scope.name).status == 200)
        }
    }
}

extension APIRequest {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}

extension ServerUnderTest {
    /// The response; for a stream, its head.
    func ask(_ call: APIRequest, _ token: String? = nil) throws -> APIResponse {
        var call = call
        if let token { call.fields += TestTokens.field(token).map { ($0.key, $0.value) } }
        guard call.method == "GET", call.target.hasSuffix("/events") else {
            return try client.send(call)
        }
        return try client.open(call).answer
    }
}
