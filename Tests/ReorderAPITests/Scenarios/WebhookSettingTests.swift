import Testing

/// Changes of webhooks, over each store and from each of several servers.
@Suite struct WebhookSettingTests {
    private static let address = "https://example.org/hook"

    private func make(_ server: ServerUnderTest) throws -> (id: String, secret: String) {
        try server.make(["l": draft([])])
        let new = try server.client.post("/webhooks", #"{"url":"\#(Self.address)"}"#)
        #expect(new.status == 201, "\(new.text)")
        return (try #require(new.json["id"]?.string), try #require(new.json["secret"]?.string))
    }

    @Test(arguments: Setup.all) func theURLAndTheListsCanBeChanged(setup: Setup) throws {
        try withServer(setup) { server throws in
            let (id, _) = try make(server)
            let before = try server.client.get("/webhooks/\(id)").json
            let moved = try server.client.send(
                "PATCH", "/webhooks/\(id)", #"{"url":"HTTPS://Example.ORG:443/x"}"#)
            #expect(moved.status == 200, "\(moved.text)")
            #expect(moved.json["url"] == "https://example.org:443/x")
            #expect(moved.json["lists"] == before["lists"])
            #expect(moved.json["position"] == before["position"])
            let narrowed = try server.client.send(
                "PATCH", "/webhooks/\(id)", #"{"lists":["a-*"]}"#)
            #expect(narrowed.json["lists"] == ["a-*"])
            #expect(try server.client.get("/webhooks/\(id)").text == narrowed.text)
            #expect(try server.client.send("PATCH", "/webhooks/\(id)", "{}").text == narrowed.text)
            for body in [
                #"{"url":null}"#, #"{"lists":[]}"#, #"{"secret":"x"}"#, #"{"url":"http://e.org/"}"#,
            ] {
                try server.refused(422, "invalid_body", "PATCH", "/webhooks/\(id)", body)
            }
        }
    }

    @Test(arguments: Setup.all) func aSecretIsRotated(setup: Setup) throws {
        try withServer(setup) { server throws in
            let (id, first) = try make(server)
            let second = try server.client.post("/webhooks/\(id)/rotate")
            #expect(second.status == 200, "\(second.text)")
            #expect(second["Cache-Control"] == "no-store")
            #expect(second.json["secret"]?.string?.hasPrefix("whsec_") == true)
            #expect(second.json["secret"]?.string != first)
            #expect(second.json["formerSecretUntil"]?.string != nil)
            let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            let third = try server.client.post(
                "/webhooks/\(id)/rotate", #"{"secret":"\#(secret)"}"#)
            #expect(third.json["secret"]?.string == secret)
            #expect(try server.client.get("/webhooks/\(id)").json["secret"] == nil)
            try server.refused(
                422, "invalid_body", "POST", "/webhooks/\(id)/rotate", #"{"secret":"x"}"#)
        }
    }

    @Test(arguments: Setup.all) func onlyAnEventThatFailsIsSkipped(setup: Setup) throws {
        try withServer(setup) { server throws in
            let (id, _) = try make(server)
            try server.refused(
                409, "event_not_failing", "POST", "/webhooks/\(id)/skip", #"{"event":"p1"}"#)
            try server.refused(422, "invalid_body", "POST", "/webhooks/\(id)/skip", "{}")
        }
    }

    /// These servers have no way to receivers.
    @Test(arguments: Setup.all) func aTestSaysItsResult(setup: Setup) throws {
        try withServer(setup) { server throws in
            let (id, _) = try make(server)
            let before = try server.client.get("/webhooks/\(id)").text
            for _ in 0..<2 {
                let result = try server.client.post("/webhooks/\(id)/test")
                #expect(result.status == 200, "\(result.text)")
                #expect(result.json["event"]?.string?.hasPrefix("t-") == true)
                #expect(result.json["status"]?.int == nil)
                #expect(result.json["error"] == "This server sends no events.")
            }
            #expect(try server.client.get("/webhooks/\(id)").text == before)
        }
    }

    @Test(arguments: Setup.memory) func anAdministratorOfSomeListsStaysWithThem(
        setup: Setup
    ) throws {
        try withServer(setup, access: TestTokens.control()) { server throws in
            let (all, some) = (server.client(with: "admin"), server.client(with: "admin:mine*,l"))
            let own = try some.post("/webhooks", #"{"url":"\#(Self.address)","lists":["l"]}"#)
            let other = try all.post("/webhooks", #"{"url":"\#(Self.address)","lists":["other"]}"#)
            let target = "/webhooks/\(try #require(own.json["id"]?.string))"
            #expect(try some.send("PATCH", target, #"{"lists":["other"]}"#).status == 403)
            #expect(try some.send("PATCH", target, #"{"lists":["mine-1"]}"#).status == 200)
            let foreign = "/webhooks/\(try #require(other.json["id"]?.string))"
            #expect(try some.send("PATCH", foreign, "{}").code == "webhook_not_found")
            for action in ["test", "rotate"] {
                #expect(try some.post("\(foreign)/\(action)").code == "webhook_not_found")
            }
            let skipped = try some.post("\(foreign)/skip", #"{"event":"p1"}"#)
            #expect(skipped.code == "webhook_not_found")
        }
    }
}
