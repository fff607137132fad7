import ReorderStore
import ReorderWebhooks
import StoreTesting
import Synchronization
import Testing
import Waiting

/// The delivery of changes, in simulated time.
@Suite struct DeliveryTests {
    @Test func changesOfItsListsArriveInOrder() throws {
        try withDelivery { rig throws in
            _ = try rig.hook("some", ["a-*"])
            _ = try rig.hook("all")
            for list in ["a-1", "b", "a-2"] { try rig.make(list) }
            try rig.rename("a-1", 1)
            try waitUntil { rig.receivers.accepted.count == 7 }
            let some = rig.receivers.accepted.filter { $0.url == "some" }
            #expect(some.map(\.id) == [1, 3, 4].map { "p\($0)-\(rig.service.epoch)" })
            // The form of a page of the feed.
            let page = try rig.client.get("/changes?prefix=a-&since=p0-\(rig.service.epoch)")
            let events = some.map(\.body).joined(separator: ",")
            #expect(page.text.hasPrefix(#"{"events":[\#(events)]"#), "\(page.text)")
            let all = rig.receivers.accepted.filter { $0.url == "all" }
            #expect(all.map(\.id) == (1...4).map { "p\($0)-\(rig.service.epoch)" })
        }
    }

    /// A move to another list would name a list that the receiver has nothing to do with.
    @Test func anEventDoesNotNameListsOfOthers() throws {
        try withDelivery { rig throws in
            for list in ["mine", "secret"] { try rig.make(list) }
            _ = try rig.client.post("/lists/mine/tasks", #"{"id":"t","title":"T"}"#)
            _ = try rig.hook("some", ["mine"])
            _ = try rig.client.post("/lists/mine/move", #"{"task":"t","toList":"secret"}"#)
            try waitUntil { rig.receivers.accepted.count == 1 }
            #expect(rig.receivers.accepted.first?.body.contains("secret") == false)
        }
    }

    @Test func aFailedAttemptIsRepeatedAfterGrowingPausesWithTheSameID() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(500) }
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { rig.receivers.requests.count == 1 }
            // No pause has passed yet.
            for pause in [5.0, 10, 20, 40, 80] {
                let count = rig.receivers.requests.count
                // The pause begins when the sender has the outcome.
                try waitUntil { rig.webhooks.metrics.failed == count }
                rig.clock.advance(seconds: pause - 0.1)
                #expect(rig.receivers.requests.count == count)
                rig.clock.advance(seconds: pause * 0.2 + 0.2)
                try waitUntil { rig.receivers.requests.count == count + 1 }
            }
            #expect(Set(rig.receivers.requests.map(\.id)).count == 1)
            rig.receivers.behave { _ in .response(204) }
            try rig.advance(bySeconds: 60) { rig.receivers.accepted.count == 1 }
            try rig.advance { try rig.webhooks.webhook(id).progress.delivered == 1 }
            let progress = try rig.webhooks.webhook(id).progress
            #expect(progress.failed == 6 && progress.failedAttempts == 0)
            #expect(progress.failingSince == nil && progress.position == 1)
            #expect(progress.results.map(\.status) == [500, 500, 500, 500, 500, 500, 204])
        }
    }

    @Test func aDayOfFailuresDisablesAWebhookUntilItIsResumed() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .failure("No.") }
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { rig.receivers.requests.count == 1 }
            for count in 2...DeliverySchedule.fewestAttempts {
                try rig.advance(bySeconds: 500) { rig.receivers.requests.count >= count }
            }
            #expect(try rig.webhooks.webhook(id).progress.isEnabled)
            try rig.advance(bySeconds: 500) { try !rig.webhooks.webhook(id).progress.isEnabled }
            let progress = try rig.webhooks.webhook(id).progress
            let first = try #require(progress.failingSince)
            let last = try #require(progress.results.last?.at)
            // The pause before the last attempt is up to 72 minutes.
            #expect((86_400_000..<86_400_000 + 5_400_000).contains(last - first))
            #expect(try rig.webhooks.webhook(id).progress.position == 0)
            try waitUntil { rig.webhooks.metrics.disabled == 1 }
            #expect(rig.webhooks.metrics.active == 0)
            let count = rig.receivers.requests.count
            rig.receivers.behave { _ in .response(204) }
            rig.clock.advance(seconds: 86_400)
            try rig.rename("l", 1)
            #expect(rig.receivers.requests.count == count)
            _ = try rig.webhooks.resume(id)
            try waitUntil { rig.receivers.accepted.count == 2 }
            #expect(
                rig.receivers.accepted.map(\.id) == [1, 2].map { "p\($0)-\(rig.service.epoch)" })
        }
    }

    /// The server may have been stopped between the attempts.
    @Test func aDayWithFewAttemptsDisablesNothing() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .failure("No.") }
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { rig.receivers.requests.count == 1 }
            rig.clock.advance(seconds: 200_000)
            try rig.advance { try rig.webhooks.webhook(id).progress.failed >= 2 }
            #expect(try rig.webhooks.webhook(id).progress.isEnabled)
            rig.receivers.behave { _ in .response(204) }
            try rig.advance { rig.receivers.accepted.count == 1 }
        }
    }

    @Test func aReceiverThatIsGoneGetsNoMore() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(410) }
            let id = try rig.hook("w")
            try rig.make("l")
            try rig.advance { try !rig.webhooks.webhook(id).progress.isEnabled }
            #expect(rig.receivers.requests.count == 1)
        }
    }

    @Test func aDeadReceiverDoesNotDelayOthers() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { $0 == "live" ? .response(204) : nil }
            for number in 0..<10 { _ = try rig.hook("dead-\(number)") }
            _ = try rig.hook("live")
            try rig.make("l")
            for title in 0..<20 { try rig.rename("l", title) }
            try waitUntil { rig.receivers.accepted.count == 21 }
            // The clock stands still.
            #expect(Set(rig.receivers.accepted.map(\.time)).count == 1)
            // Each of the others has one request.
            try waitUntil { rig.receivers.hanging.count == 10 }
        }
    }

    @Test func aDeletedWebhookGetsNoMore() throws {
        try withDelivery { rig throws in
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { rig.receivers.accepted.count == 1 }
            try rig.webhooks.delete(id)
            _ = try rig.hook("x")
            try rig.rename("l", 1)
            try waitUntil { rig.receivers.accepted.contains { $0.url == "x" } }
            #expect(rig.receivers.accepted.filter { $0.url == "w" }.count <= 2)
        }
    }

    @Test func pruningIsReportedWithTheListsToFetch() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(503) }
            let id = try rig.hook("w", ["a", "b"])
            for list in ["a", "b", "c"] { try rig.make(list) }
            for title in 0..<5 { for list in ["a", "c"] { try rig.rename(list, title) } }
            try waitUntil { rig.receivers.requests.count >= 1 }
            while try rig.store.pruneChanges(olderThan: .max, keepingLast: 1, limit: 100) {}
            rig.receivers.behave { _ in .response(204) }
            try rig.advance { rig.receivers.accepted.count >= 2 }
            #expect(
                rig.receivers.accepted.map(\.body)
                    == [("a", 6), ("b", 1)].map {
                        #"{"event":"refetch","list":"\#($0)","version":\#($1),"epoch":"#
                            + #""\#(rig.service.epoch)"}"#
                    })
            #expect(Set(rig.receivers.accepted.map(\.id)).count == 2)
            try rig.rename("b", 1)
            try waitUntil { rig.receivers.accepted.count == 3 }
            #expect(rig.receivers.accepted.last?.body.contains(#""event":"change""#) == true)
            try rig.advance { try rig.webhooks.webhook(id).progress.position == 14 }
        }
    }

    /// The receiver has changes that the store has lost, and ignores others with their versions.
    /// How a delivery continues after the first lists of a gap.
    enum Interruption: CaseIterable { case none, restart, kill, update, resume }

    /// Whatever happens between two lists, the position is not beyond a list that the receiver does not have.
    @Test(arguments: 0...4, Interruption.allCases)
    func afterAGapEachListArrives(accepted: Int, _ interruption: Interruption) throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(500) }
            let lists = (0..<5).map { "l-\($0)" }
            let id = try rig.hook("w", ["l-*"])
            for list in lists { try rig.make(list) }
            for list in lists { try rig.rename(list, 1) }
            while try rig.store.pruneChanges(olderThan: .max, keepingLast: 1, limit: .max) {}
            let got = Mutex(0)
            rig.receivers.behave { _ in
                got.withLock { got in
                    guard got < accepted else { return .response(503) }
                    got += 1
                    return .response(204)
                }
            }
            let end = try rig.store.lastPosition()
            try rig.advance(bySeconds: 60) {
                let progress = try rig.webhooks.webhook(id).progress
                #expect(progress.position < end)
                return progress.delivered == accepted && progress.results.last?.status == 503
            }
            switch interruption {
            case .none: break
            case .restart: rig.restart(killing: false)
            case .kill: rig.restart(killing: true)
            case .update: _ = try rig.webhooks.update(id, url: "w2", lists: nil)
            case .resume: _ = try rig.webhooks.resume(id)
            }
            #expect(try rig.webhooks.webhook(id).progress.position < end)
            rig.receivers.behave { _ in .response(204) }
            try rig.advance(bySeconds: 60) {
                try rig.webhooks.webhook(id).progress.position == end
            }
            for list in lists {
                let newest = rig.receivers.accepted.last { $0.body.contains(#""list":"\#(list)""#) }
                #expect(newest?.body.contains(#""version":2"#) == true, "\(list)")
            }
        }
    }

    @Test func aNewEpochIsReportedWithTheListsToFetch() throws {
        let store = MemoryListStore()
        try withDelivery(store) { rig throws in
            _ = try rig.hook("w", ["a", "b"])
            for list in ["a", "b", "c"] { try rig.make(list) }
            try rig.advance { try rig.webhooks.webhook("w").progress.position >= 2 }
        }
        let restored = RestoredStore(store)
        try withDelivery(restored) { rig throws in
            try waitUntil { rig.receivers.accepted.count == 2 }
            try rig.rename("b", 1)
            try waitUntil { rig.receivers.accepted.count == 3 }
            #expect(
                rig.receivers.accepted.prefix(2).map(\.body)
                    == ["a", "b"].map {
                        #"{"event":"refetch","list":"\#($0)","version":1,"epoch":"\#(restored.epoch)"}"#
                    })
            #expect(rig.receivers.accepted.last?.id == "p4-\(restored.epoch)")
            // Only once.
            rig.restart(killing: false)
            try rig.rename("b", 2)
            try waitUntil { rig.receivers.accepted.count == 4 }
            #expect(rig.receivers.accepted.last?.id == "p5-\(restored.epoch)")
        }
    }

    private final class RestoredStore: ForwardingStore {
        private let store: MemoryListStore
        let epoch = StoreEpoch.makeName()

        init(_ store: MemoryListStore) { self.store = store }

        func destination() -> any ListStore { store }
    }

    /// It would be a gap for a client of the feed.
    @Test func aWebhookThatIsFarBehindGetsEveryChange() throws {
        try withDelivery { rig throws in
            rig.receivers.behave { _ in .response(503) }
            _ = try rig.hook("w", ["a"])
            try rig.make("a")
            try waitUntil { rig.receivers.requests.count == 1 }
            let commits = (1...10_100).map { version in
                ListCommit(
                    list: "b", version: version, at: 0, change: Array("{}".utf8),
                    snapshot: version == 1 ? [] : nil,
                    stateAfter: .exists(title: "", count: 0, open: 0))
            }
            try rig.store.append(commits)
            rig.receivers.behave { _ in .response(204) }
            try rig.advance { rig.receivers.accepted.count == 1 }
            #expect(rig.receivers.accepted.first?.body.contains("created") == true)
        }
    }

    /// A kill repeats the deliveries of a second at most.
    @Test func progressIsStoredASecondAfterTheLastTime() throws {
        try withDelivery { rig throws in
            let id = try rig.hook("w")
            try rig.make("l")
            try waitUntil { try rig.webhooks.webhook(id).progress.position == 1 }
            try rig.rename("l", 1)
            try waitUntil { rig.receivers.accepted.count == 2 }
            rig.clock.advance(seconds: 1)
            try waitUntil { try rig.webhooks.webhook(id).progress.position == 2 }
        }
    }

    @Test func aStoppedServerContinuesWithoutRepeating() throws {
        try withDelivery { rig throws in
            _ = try rig.hook("w")
            try rig.make("l")
            for title in 0..<5 { try rig.rename("l", title) }
            try waitUntil { rig.receivers.accepted.count == 6 }
            rig.restart(killing: false)
            try rig.rename("l", 9)
            try waitUntil { rig.receivers.accepted.count == 7 }
            #expect(Set(rig.receivers.accepted.map(\.id)).count == 7)
        }
    }
}
