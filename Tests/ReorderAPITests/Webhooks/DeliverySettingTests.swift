import ReorderWebhooks
import Synchronization
import Testing
import Waiting

/// What administrators and receivers can do about the delivery, in simulated time.
@Suite struct DeliverySettingTests {
    /// Within the limits of the server's own pauses.
    @Test(arguments: [(1, 5.0), (60, 60), (3_600, 3_600), (1_000_000, 3_600)])
    func aReceiverChoosesThePause(wanted: Int, pause: Double) throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(429, retryAfter: wanted) }
            _ = try rig.hook("w")
            try rig.make("l")
            for count in 1...3 {
                try waitUntil { rig.receivers.requests.count == count }
                try waitUntil { rig.webhooks.metrics.failed == count }
                rig.clock.advance(seconds: pause - 0.1)
                #expect(rig.receivers.requests.count == count)
                rig.clock.advance(seconds: pause * 0.2 + 0.2)
            }
        }
    }

    @Test func anEventThatFailsIsSkipped() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(400) }
            let id = try rig.hook("w")
            try rig.make("l")
            try rig.rename("l", 1)
            try rig.advance(bySeconds: 500) { try !rig.webhooks.webhook(id).progress.isEnabled }
            let event = "p1-\(rig.service.epoch)"
            #expect(throws: Webhooks.ChangeError.self) {
                try rig.webhooks.skip("p2-\(rig.service.epoch)", of: id)
            }
            rig.receivers.behave { _ in .response(204) }
            #expect(try rig.webhooks.skip(event, of: id).progress.isEnabled)
            try waitUntil { rig.receivers.accepted.count == 1 }
            #expect(rig.receivers.accepted.first?.id == "p2-\(rig.service.epoch)")
            // A repetition changes nothing.
            _ = try rig.webhooks.skip(event, of: id)
            try rig.rename("l", 2)
            try rig.advance { try rig.webhooks.webhook(id).progress.position == 3 }
            #expect(rig.receivers.accepted.count == 2)
        }
    }

    @Test func aNewSecretAndTheFormerOneSignForADay() throws {
        try withDelivery { rig throws in
            let id = try rig.hook("w")
            let second = WebhookSecret()
            let first = try rig.webhooks.webhook(id).secret
            _ = try rig.webhooks.rotate(id, to: second)
            try rig.make("l")
            try waitUntil { rig.receivers.accepted.count == 1 }
            rig.clock.advance(seconds: 86_401)
            try rig.rename("l", 1)
            try waitUntil { rig.receivers.accepted.count == 2 }
            for (request, secrets) in zip(rig.receivers.accepted, [[second, first], [second]]) {
                let signatures = secrets.map {
                    $0.signature(of: Array(request.body.utf8), id: request.id, time: request.time)
                }
                #expect(request.signature == signatures.joined(separator: " "))
            }
        }
    }

    /// An administrator who did not get a response rotates again.
    @Test func allSecretsOfADaySign() throws {
        try withDelivery { rig throws in
            let id = try rig.hook("w")
            var secrets = [try rig.webhooks.webhook(id).secret]
            for _ in 0..<3 {
                secrets.insert(WebhookSecret(), at: 0)
                // A repetition changes nothing.
                for _ in 0..<2 { _ = try rig.webhooks.rotate(id, to: secrets[0]) }
                rig.clock.advance(seconds: 36_000)
            }
            try rig.make("l")
            try waitUntil { rig.receivers.accepted.count == 1 }
            let request = try #require(rig.receivers.accepted.first)
            // The first one was replaced 30 hours ago.
            let signatures = secrets.prefix(3).map {
                $0.signature(of: Array(request.body.utf8), id: request.id, time: request.time)
            }
            #expect(request.signature == signatures.joined(separator: " "))
        }
    }

    @Test func aNewReceiverContinuesAtOnce() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { $0 == "w" ? .response(500) : .response(204) }
            let id = try rig.hook("w", ["l"])
            try rig.make("l")
            try rig.make("m")
            try waitUntil { rig.webhooks.metrics.failed == 1 }
            _ = try rig.webhooks.update(id, url: "new", lists: nil)
            try waitUntil { rig.receivers.accepted.count == 1 }
            #expect(rig.receivers.accepted.first?.url == "new")
            _ = try rig.webhooks.update(id, url: nil, lists: ["m"])
            try rig.rename("l", 1)
            try rig.rename("m", 1)
            try rig.advance { try rig.webhooks.webhook(id).progress.position == 4 }
            #expect(rig.receivers.accepted.last?.body.contains(#""list":"m""#) == true)
            #expect(
                !rig.receivers.accepted.contains {
                    $0.body.contains(#""title":"1"}"#) && $0.body.contains(#""list":"l""#)
                })
        }
    }

    /// Also while an attempt for an event goes on.
    @Test func aTestIsSentAtOnce() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in nil }
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { rig.receivers.hanging.count == 1 }
            rig.receivers.behave { _ in .response(418) }
            let answer = try rig.client.post("/webhooks/\(id)/test")
            #expect(answer.json["status"] == 418)
            #expect(answer.json["error"] == "The status is not 2xx.")
            let request = try #require(rig.receivers.requests.first)
            #expect(request.body == #"{"event":"test","webhook":"w"}"#)
            #expect(answer.json["event"]?.string == request.id)
            #expect(!request.signature.isEmpty)
            #expect(try rig.webhooks.webhook(id).progress.failed == 0)
        }
    }

    @Test func aTestEndsWithItsServer() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in nil }
            let id = try rig.hook("w")
            let client = rig.client
            let error = Mutex<JSONValue?>(nil)
            let test = Background {
                let answer = try? client.post("/webhooks/\(id)/test")
                error.withLock { $0 = answer?.json["error"] }
            }
            try waitUntil { rig.receivers.hanging.count == 1 }
            rig.restart(killing: false)
            try test.wait()
            #expect(error.withLock(\.self) == "The test was interrupted. Repeat it.")
        }
    }

    @Test func aReceiverThatFailsIsLoggedOnceAndCounted() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(500) }
            let id = try rig.webhooks.create(
                id: "w", url: "https://app.example:1/secret", lists: ["*"], secret: WebhookSecret()
            ).id
            for title in 0..<12 {
                if title == 0 { try rig.make("l") } else { try rig.rename("l", title) }
            }
            try rig.advance(bySeconds: 20) { rig.receivers.requests.count >= 3 }
            let failing = "the receiver of a webhook fails; its events are sent again"
            try waitUntil { !rig.log.lines.isEmpty }
            #expect(
                rig.log.lines == [
                    failing + " error=The status is not 2xx. receiver=app.example webhook=w"
                ])
            try rig.advance { rig.webhooks.metrics.receivers.first?.failedAttempts ?? 0 >= 3 }
            let text = try rig.client.get("/metrics").text
            let name = "reorderd_webhook_failed_attempts"
            #expect(text.contains(#"\#(name){webhook="w",receiver="app.example"} "#), "\(text)")
            rig.receivers.behave { _ in .response(204) }
            try rig.advance(bySeconds: 600) {
                try rig.webhooks.webhook(id).progress.delivered == 12
            }
            #expect(rig.log.lines.count == 2)
            #expect(rig.log.lines.last?.hasPrefix("the receiver of a webhook works again") == true)
            try waitUntil { rig.webhooks.metrics.delivered >= 12 }
            let metrics = rig.webhooks.metrics
            #expect(metrics.delivered == 12 && metrics.active == 1 && metrics.disabled == 0)
            #expect(metrics.receivers.first?.failedAttempts == 0)
        }
    }
}
