import Foundation
import ReorderAuth
import Testing

@testable import ReorderAPI

/// Streams that are opened with a ticket instead of a token.
@Suite struct EventTicketTests {
    /// Keys of their own, because a test revokes them.
    private static func makeKeys() throws -> JSONWebKeys {
        try JSONWebKeys(json: Data(TestTokens.keySet.utf8))
    }

    private func withControl(
        _ body: (ServerUnderTest, AccessControl, TestClock) throws -> Void
    ) throws {
        let clock = TestClock.stopped
        let control = AccessControl(
            tokens: try TestTokens.table(), keys: try Self.makeKeys(), clock: clock.now)
        try withServer(.inProcess, access: control) { server throws in
            let owner = server.client(with: "write")
            for list in ["l", "other"] {
                #expect(try owner.put("/lists/\(list)", draft(["\(list)-a"])).status == 201)
            }
            try body(server, control, clock)
        }
    }

    private func ticket(_ server: ServerUnderTest, _ token: String) throws -> String {
        let answer = try server.client(with: token).post("/event-tickets")
        #expect(answer.status == 201)
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer.json["expiresInSeconds"] == 60)
        return try #require(answer.json["ticket"]?.string)
    }

    @Test(arguments: ["read:mine*,l", "jwt read:mine*,l", "admin:mine*,l"])
    func aTicketOpensTheStreamsOfItsToken(token: String) throws {
        try withControl { server, _, _ in
            let ticket = try ticket(server, token)
            #expect(!ticket.contains("rdr_"))
            let list = try server.client.watch("l", "?ticket=\(ticket)")
            try list.expect("hello")
            let feed = try server.client.watchFeed("?ticket=\(ticket)")
            try feed.expect("hello")
            let owner = server.client(with: "write")
            for id in ["other", "l"] {
                _ = try owner.post("/lists/\(id)/tasks", #"{"title":"x"}"#)
            }
            try list.expect("change", id: 2)
            #expect(try feed.expect("change").data["list"] == "l")
            // Not of other lists, and nothing else.
            #expect(
                try server.client.watch("other", "?ticket=\(ticket)").answer.code == "forbidden")
            for target in ["/lists", "/lists/l", "/changes", "/lists/l/changes", "/metrics"] {
                #expect(
                    try server.client.get("\(target)?ticket=\(ticket)").status == 401, "\(target)")
            }
            for target in ["/lists/l/tasks", "/event-tickets"] {
                let answer = try server.client.post("\(target)?ticket=\(ticket)", #"{"title":"x"}"#)
                #expect(answer.status == 401, "\(target)")
            }
            let field = ["Authorization": "Bearer \(ticket)"]
            #expect(try server.client.get("/lists/l", field).status == 401)
        }
    }

    @Test func aTicketExpires() throws {
        try withControl { server, _, clock in
            let ticket = try ticket(server, "read")
            clock.advance(seconds: 58)
            let stream = try server.client.watchFeed("?ticket=\(ticket)")
            try stream.expect("hello")
            clock.advance(seconds: 3)
            let answer = try server.client.watchFeed("?ticket=\(ticket)").answer
            #expect(answer.status == 401 && answer.code == "unauthorized")
            #expect(answer.json["detail"]?.string?.contains("POST /event-tickets") == true)
            // The stream does not end with the ticket.
            _ = try server.client(with: "write").post("/lists/l/tasks", #"{"title":"x"}"#)
            try stream.expect("change")
        }
    }

    @Test(arguments: ["read", "jwt read"])
    func aTicketAndItsStreamsEndWithTheToken(token: String) throws {
        try withControl { server, control, _ in
            let ticket = try ticket(server, token)
            let stream = try server.client.watchFeed("?ticket=\(ticket)")
            try stream.expect("hello")
            let isSigned = token.hasPrefix("jwt")
            if isSigned {
                let secret = Data((0..<40).map { _ in 7 }).base64EncodedString()
                    .replacing("=", with: "")
                control.use(
                    try JSONWebKeys(
                        json: Data(#"{"keys":[{"kty":"oct","kid":"k","k":"\#(secret)"}]}"#.utf8)))
            } else {
                control.use(try TestTokens.table(["write"]))
            }
            #expect(try stream.next() == nil)
            #expect(try server.client.watchFeed("?ticket=\(ticket)").answer.status == 401)
        }
    }

    /// Tokens of each kind that expires, and streams that are opened with them or with their tickets.
    @Test(arguments: ["signed", "issued", "link"], [false, true])
    func aStreamEndsWhenItsTokenExpires(kind: String, hasTicket: Bool) throws {
        try withControl { server, _, clock in
            let end = clock.now().addingTimeInterval(30)
            let secret: String?
            switch kind {
            case "signed":
                secret = TestTokens.signed(
                    #"{"exp":\#(Int(end.timeIntervalSince1970)),"sub":"x","scope":"reorderd:read"}"#
                )
            default:
                let path = kind == "link" ? "/lists/l/shares" : "/tokens"
                let rights =
                    kind == "link"
                    ? #""scope":"read""# : #""name":"x","grants":[{"scope":"read"}]"#
                let made = try server.client(with: "admin").post(
                    path, #"{\#(rights),"expiresAt":"\#(end.ISO8601Format())"}"#)
                secret = made.json["token"]?.string
            }
            var fields = ["Authorization": "Bearer \(try #require(secret))"]
            var query = ""
            if hasTicket {
                let answer = try server.client.post("/event-tickets", nil, fields)
                query = "?ticket=\(try #require(answer.json["ticket"]?.string))"
                fields = [:]
            }
            let streams = [
                try server.client.watch("l", query, fields),
                try server.client.watchFeed(query, fields),
            ]
            for stream in streams { try stream.expect("hello") }
            func change() throws {
                _ = try server.client(with: "write").post("/lists/l/tasks", #"{"title":"x"}"#)
            }
            clock.advance(seconds: 28)
            try change()
            for stream in streams { try stream.expect("change") }
            // Signed tokens are accepted for another minute, because the clocks of servers differ.
            clock.advance(seconds: 63)
            try change()
            for stream in streams { #expect(try stream.next() == nil) }
            #expect(try server.client.watch("l", query, fields).answer.status == 401)
        }
    }

    @Test func changedTicketsAreRefused() throws {
        try withControl { server, _, _ in
            let ticket = try ticket(server, "read")
            let dot = try #require(ticket.firstIndex(of: "."))
            var cases = ["", ".", "x", String(ticket[..<dot]), ticket + ".", ticket + "A"]
            for index in [ticket.startIndex, ticket.index(after: dot)] {
                var changed = Array(ticket)
                let place = ticket.distance(from: ticket.startIndex, to: index)
                changed[place] = changed[place] == "A" ? "B" : "A"
                cases.append(String(changed))
            }
            for text in cases {
                #expect(
                    try server.client.watchFeed("?ticket=\(text)").answer.status == 401, "\(text)")
            }
        }
    }

    /// Servers of one store have the same secret.
    @Test func aTicketIsValidOnServersWithTheSameSecret() throws {
        let controls = try (0..<3).map { _ in
            AccessControl(tokens: try TestTokens.table(), keys: try Self.makeKeys())
        }
        for control in controls.prefix(2) {
            control.useTicketSecret(Array(repeating: 9, count: 32))
        }
        for token in ["read:mine*,l", "jwt read:mine*,l"] {
            let field = TestTokens.field(token)["Authorization"] ?? ""
            let grant = try controls[0].access(for: [field]).get()
            let ticket = try #require(controls[0].ticket(for: grant))
            let other = try controls[1].access(forTicket: ticket).get()
            #expect(other.identity == grant.identity && other.grants == grant.grants)
            #expect(throws: Denial.unknownTicket) {
                try controls[2].access(forTicket: ticket).get()
            }
        }
    }

    @Test func aServerWithoutTokensIgnoresTickets() throws {
        try withServer(.inProcess) { server throws in
            let answer = try server.client.post("/event-tickets")
            let ticket = try #require(answer.json["ticket"]?.string)
            try server.client.watchFeed("?ticket=\(ticket)").expect("hello")
        }
    }

    /// A client never receives a name or a change of a list that its token does not cover.
    @Test(arguments: Setup.memory)
    func aFeedHasOnlyTheListsOfTheToken(setup: Setup) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let owner = server.client(with: "write")
            let client = server.client(with: "read:mine*,l")
            let streams = try ["", "?prefix=o", "?prefix=m"].map {
                let stream = try client.watchFeed($0)
                try stream.expect("hello")
                return stream
            }
            for list in ["other", "l", "mine-1", "minor"] {
                #expect(try owner.put("/lists/\(list)", draft(["\(list)-a"])).status == 201)
            }
            _ = try owner.delete("/lists/other")
            _ = try owner.delete("/lists/mine-1")
            #expect(try streams[0].expect("created").data["list"] == "l")
            for stream in [streams[0], streams[2]] {
                #expect(try stream.expect("created").data["list"] == "mine-1")
                #expect(try stream.expect("deleted").data["list"] == "mine-1")
            }
            // Tasks that move to and from another list do not show its name.
            #expect(try owner.put("/lists/other", draft(["o"])).status == 201)
            let transfers = [("/lists/l/move", "l-a", "other"), ("/lists/other/move", "o", "l")]
            for (path, task, list) in transfers {
                let body = #"{"task":"\#(task)","toList":"\#(list)"}"#
                #expect(try owner.post(path, body).status == 200)
                let event = try streams[0].expect("change")
                #expect(event.data["list"] == "l" && !event.text.contains("other"))
            }
            #expect(try owner.put("/lists/mine-2", draft()).status == 201)
            for stream in [streams[0], streams[2]] { try stream.expect("created") }
            let inside = #"{"task":"o","toList":"mine-2"}"#
            #expect(try owner.post("/lists/l/move", inside).status == 200)
            #expect(try streams[0].expect("change").data["change"]?["toList"] == "mine-2")
            for query in [
                "since=p\(versionToken(0))", "since=p\(versionToken(99))",
                "since=p\(versionToken(0))&prefix=o", "since=p\(versionToken(99))&prefix=m",
            ] {
                let page = try client.get("/changes?\(query)")
                #expect(page.status == 200)
                #expect(!page.text.contains("other") && !page.text.contains("minor"), "\(query)")
            }
            for query in ["lists=other", "lists=l,other", "lists=nowhere"] {
                #expect(try client.get("/changes?\(query)").code == "forbidden")
                #expect(try client.watchFeed("?\(query)").answer.code == "forbidden")
            }
        }
    }
}
