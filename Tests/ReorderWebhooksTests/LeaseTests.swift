import Testing

@testable import ReorderWebhooks

/// Which of several servers delivers. Each has a clock of its own.
@Suite struct LeaseTests {
    private func seconds(_ count: Double) -> UInt64 { UInt64(count * 1e9) }

    @Test func theFirstServerTakesItAndCountsUp() {
        var lease = DeliveryLease(name: "a")
        var shouldWrite: Bool
        #expect(!lease.isHeld(at: 0))
        shouldWrite = lease.shouldWrite(over: nil, at: 0)
        #expect(shouldWrite)
        lease.hold(from: 0)
        #expect(lease.isHeld(at: seconds(14.9)) && !lease.isHeld(at: seconds(15)))
        shouldWrite = lease.shouldWrite(over: .init(name: "a", beat: 1), at: seconds(5))
        #expect(shouldWrite)
    }

    @Test func anotherServerTakesOverWhenTheCountStandsStill() {
        var lease = DeliveryLease(name: "b")
        var shouldWrite: Bool
        let first = WebhookSet.Sender(name: "a", beat: 1)
        shouldWrite = lease.shouldWrite(over: first, at: seconds(100))
        #expect(!shouldWrite)
        shouldWrite = lease.shouldWrite(over: first, at: seconds(139.9))
        #expect(!shouldWrite)
        let second = WebhookSet.Sender(name: "a", beat: 2)
        shouldWrite = lease.shouldWrite(over: second, at: seconds(140))
        #expect(!shouldWrite)
        shouldWrite = lease.shouldWrite(over: second, at: seconds(179.9))
        #expect(!shouldWrite)
        shouldWrite = lease.shouldWrite(over: second, at: seconds(180))
        #expect(shouldWrite)
    }

    @Test func aServerThatLostItBeginsNoAttempt() {
        var lease = DeliveryLease(name: "a")
        var shouldWrite: Bool
        lease.hold(from: 0)
        shouldWrite = lease.shouldWrite(over: .init(name: "b", beat: 2), at: seconds(1))
        #expect(!shouldWrite)
        #expect(!lease.isHeld(at: seconds(1)))
    }

    /// An attempt has ended before another server begins one.
    @Test func theTimesFitTogether() {
        let last = DeliveryLease.validSeconds + WebhookMessage.limitSeconds
        #expect(last < DeliveryLease.takeoverSeconds)
        #expect(DeliveryLease.renewalSeconds * 2 < DeliveryLease.validSeconds)
    }
}
