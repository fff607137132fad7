import Dispatch
import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Notifying watchers of another server's changes while reads of the store fail.
@Suite struct RemoteChangeMonitorTests {
    let hub = SharedMemory()
    let other: ListService

    init() { other = .quiet(SharedFront(hub)) }

    /// Watches a list at version 1, runs `body`, and waits until the watch shows version 2.
    private func watch(
        _ list: String, on front: SharedFront,
        _ body: (ListService, _ isKnown: () -> Bool) throws -> Void
    ) throws {
        let service = ListService.quiet(front)
        let news = DispatchSemaphore(value: 0)
        let channel = service.channel(of: list)
        let watch = channel.watch { news.signal() }
        defer { withExtendedLifetime(watch) {} }
        let position = service.position(of: list)
        #expect(try position.value() == ListPosition(version: 1, exists: true))
        try body(service) { channel.position.version == 2 }
        while channel.position.version < 2 { try news.waitForSignal() }
        try service.stopIdle()
    }

    @Test func aFailedPollIsRepeatedBeforeTheNextRegularOne() throws {
        try other.make("l", ["a"])
        // The next regular read does not occur during the test.
        let front = SharedFront(hub, secondsBetweenPolls: 3_600)
        try watch("l", on: front) { _, _ in
            front.setAway(true)
            _ = try other.ask(.create("b", in: "l")).value()
            try waitUntil { front.failedPollCount.load(ordering: .sequentiallyConsistent) > 0 }
            front.setAway(false)
        }
        try other.stopIdle()
    }

    @Test func notificationsDontDelayTheRegularPoll() throws {
        try other.make("l", ["a"])
        try other.make("m", ["x", "y"])
        let silent = ListService.quiet(SharedFront(hub, tells: false))
        let front = SharedFront(hub, secondsBetweenPolls: 1)
        try watch("l", on: front) { service, isKnown in
            let channel = service.channel(of: "m")
            defer { withExtendedLifetime(channel) {} }
            _ = try silent.ask(.create("b", in: "l")).value()
            var position = 0
            try waitUntil {
                position = 1 - position
                _ = try other.ask(.move("x", to: position, in: "m")).value()
                return isKnown()
            }
        }
        try silent.stopIdle()
        try other.stopIdle()
    }
}
