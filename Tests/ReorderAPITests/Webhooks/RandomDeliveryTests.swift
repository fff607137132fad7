import RandomRuns
import ReorderWebhooks
import Synchronization
import Testing
import Waiting

/// Receivers that fail at random, and servers that are stopped and killed: nothing is lost, each list's
/// changes arrive in their order, and what arrives again has the same id.
@Suite struct RandomDeliveryTests {
    @Test func nothingIsLostAndOrderIsKept() throws {
        let seed = RandomRun.seed
        var generator = SeededGenerator(seed: seed)
        try withDelivery { rig throws in
            let faults = Mutex(SeededGenerator(seed: seed &+ 1))
            rig.receivers.behave { url in
                switch faults.withLock({ $0.below(10) }) {
                case 0: .response(500)
                case 1: .failure("The connection was closed.")
                case 2 where url == "some": .response(302)
                default: .response(204)
                }
            }
            _ = try rig.hook("some", ["l-1"])
            _ = try rig.hook("all")
            var versions: [String: Int] = [:]
            for title in 0..<RandomRun.operations(200) {
                let list = "l-\(generator.below(3))"
                if versions[list] == nil { try rig.make(list) } else { try rig.rename(list, title) }
                versions[list, default: 0] += 1
                if generator.chance(20) { rig.clock.advance(seconds: 2) }
                if generator.chance(5) { rig.restart(killing: generator.chance(50)) }
            }
            rig.receivers.behave { _ in .response(204) }
            try rig.advance(bySeconds: 600) {
                try rig.webhooks.all().allSatisfy {
                    $0.progress.position == versions.values.reduce(0, +)
                        || $0.url == "some"
                            && rig.received("some", "l-1") == versions["l-1", default: 0]
                }
            }
            for (list, version) in versions {
                #expect(rig.received("all", list) == version, "\(list), seed \(seed)")
            }
            #expect(rig.received("some", "l-1") == versions["l-1", default: 0], "seed \(seed)")
            var bodies: [String: String] = [:]
            for delivery in rig.receivers.requests {
                let key = "\(delivery.url) \(delivery.id)"
                #expect(bodies[key, default: delivery.body] == delivery.body, "seed \(seed)")
                bodies[key] = delivery.body
            }
            // One id for each event.
            #expect(
                Set(bodies.values).count
                    == Set(bodies.keys.map { $0.split(separator: " ").last }).count)
        }
    }
}

extension DeliveryRig {
    /// The last version of a list that a receiver has accepted, if each one came after the one before it
    /// was accepted; otherwise -1.
    fileprivate func received(_ url: String, _ list: String) -> Int {
        var last = 0
        for delivery in receivers.accepted where delivery.url == url {
            guard delivery.body.contains(#""list":"\#(list)""#),
                let match = delivery.body.firstMatch(of: /"version":(\d+)/),
                let version = Int(match.1)
            else { continue }
            guard version <= last + 1 else { return -1 }
            last = max(last, version)
        }
        return last
    }
}
