import ReorderAuth
import Testing

/// The routes of webhooks. `ReorderWebhooksTests` has the delivery.
@Suite struct WebhookTests {
    private static let address = "https://example.org/hook"

    @Test(arguments: Setup.all) func aWebhookIsShownUntilItIsDeleted(setup: Setup) throws {
        try withServer(setup) { server throws in
            #expect(try server.client.get("/webhooks").json["webhooks"]?.array.count == 0)
            try server.make(["l": draft([])])
            let new = try server.client.post(
                "/webhooks", #"{"url":"\#(Self.address)","lists":["a-*","b"]}"#)
            #expect(new.status == 201, "\(new.text)")
            let id = try #require(new.json["id"]?.string)
            #expect(new["Location"] == "/webhooks/\(id)")
            #expect(new.json["secret"]?.string?.hasPrefix("whsec_") == true)
            let shown = try server.client.get("/webhooks/\(id)")
            #expect(shown.json["secret"] == nil)
            #expect(shown.json["url"]?.string == Self.address)
            #expect(shown.json["lists"]?.array.compactMap(\.string) == ["a-*", "b"])
            #expect(shown.json["status"]?.string == "active")
            #expect(shown.json["position"]?.int == 1)
            #expect(try server.client.get("/webhooks").text == #"{"webhooks":[\#(shown.text)]}"#)
            #expect(try server.client.post("/webhooks/\(id)/resume").text == shown.text)
            #expect(try server.client.delete("/webhooks/\(id)").status == 204)
            for (method, target) in [
                ("GET", ""), ("DELETE", ""), ("POST", "/resume"), ("POST", "/test"),
                ("POST", "/rotate"),
            ] {
                try server.refused(404, "webhook_not_found", method, "/webhooks/\(id)\(target)", "")
            }
            for (method, target, body) in [
                ("PATCH", "", "{}"), ("POST", "/skip", #"{"event":"p1"}"#),
            ] {
                try server.refused(
                    404, "webhook_not_found", method, "/webhooks/\(id)\(target)", body)
            }
        }
    }

    @Test(arguments: Setup.once) func aSecretCanBeGiven(setup: Setup) throws {
        try withServer(setup) { server throws in
            let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            let new = try server.client.post(
                "/webhooks", #"{"url":"\#(Self.address)","secret":"\#(secret)"}"#)
            #expect(new.json["secret"]?.string == secret)
            #expect(new.json["lists"]?.array.compactMap(\.string) == ["*"])
        }
    }

    @Test(arguments: Setup.once) func wrongBodiesAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft([])])
            let longest = "https://e.org/".padded(to: 2_048)
            let long = longest + "x"
            #expect(try server.client.post("/webhooks", #"{"url":"\#(longest)"}"#).status == 201)
            for body in [
                "{}", #"{"url":1}"#, #"{"url":""}"#, #"{"url":"ftp://e.org/"}"#,
                #"{"url":"http://e.org/"}"#, #"{"url":"https://e.org/#x"}"#,
                #"{"url":"\#(long)"}"#, #"{"url":"\#(Self.address)","lists":[]}"#,
                #"{"url":"\#(Self.address)","lists":["a*b"]}"#,
                #"{"url":"\#(Self.address)","lists":"a"}"#,
                #"{"url":"\#(Self.address)","secret":"x"}"#, #"{"url":"\#(Self.address)","x":1}"#,
            ] {
                try server.refused(422, "invalid_body", "POST", "/webhooks", body)
            }
        }
    }

    @Test(arguments: Setup.once) func aServerHasAtMost50Webhooks(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft([])])
            let body = #"{"url":"\#(Self.address)"}"#
            for _ in 0..<50 { #expect(try server.client.post("/webhooks", body).status == 201) }
            try server.refused(409, "webhook_limit", "POST", "/webhooks", body)
        }
    }

    /// A token with the scope `admin` for some lists has no access to the changes of others.
    @Test(arguments: Setup.once) func anAdministratorOfSomeListsHasTheirWebhooksOnly(
        setup: Setup
    ) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let (all, some) = (server.client(with: "admin"), server.client(with: "admin:mine*,l"))
            func body(_ lists: String) -> String {
                #"{"url":"\#(Self.address)","lists":[\#(lists)]}"#
            }
            for lists in [#""*""#, #""other""#, #""l","other""#, #""m*""#, #""l*""#] {
                #expect(try some.post("/webhooks", body(lists)).status == 403, "\(lists)")
            }
            let other = try all.post("/webhooks", body(#""l","other""#))
            let own = try some.post("/webhooks", body(#""mine-1","l""#))
            let standard = try some.post("/webhooks", #"{"url":"\#(Self.address)"}"#)
            #expect(standard.json["lists"]?.array.compactMap(\.string) == ["l", "mine*"])
            let shown = try some.get("/webhooks").json["webhooks"]?.array.compactMap {
                $0["id"]?.string
            }
            #expect(shown == [own, standard].compactMap { $0.json["id"]?.string })
            let authors = try all.get("/webhooks").json["webhooks"]?.array.map {
                $0["createdBy"]?.string
            }
            #expect(authors == ["admin", "admin:mine*,l", "admin:mine*,l"])
            let target = "/webhooks/\(try #require(other.json["id"]?.string))"
            #expect(try some.get(target).code == "webhook_not_found")
            #expect(try some.delete(target).code == "webhook_not_found")
            #expect(try some.post(target + "/resume").code == "webhook_not_found")
            #expect(try all.get(target).status == 200)
            for _ in 3...10 { #expect(try some.post("/webhooks", body(#""l""#)).status == 201) }
            #expect(try some.post("/webhooks", body(#""l""#)).code == "webhook_limit")
            #expect(try all.post("/webhooks", body(#""l""#)).status == 201)
        }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "x", count: count - utf8.count)
    }
}
