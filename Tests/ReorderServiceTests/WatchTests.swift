import ReorderEngine
import ReorderJSON
import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// When watchers are notified, and of what.
@Suite struct WatchTests {
    private let gated = GatedService()
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    private func position(_ list: String) throws -> ListPosition {
        let pending = service.position(of: list)
        return try pending.value()
    }

    private func changes(
        _ list: String, after version: Int, limit: Int = 1_000, bytes: Int = 1 << 20
    ) throws -> [Int]? {
        let pending = service.changes(of: list, after: version, limit: limit, bytes: bytes)
        return try pending.value()?.map(\.version)
    }

    @Test func watchersAreNotifiedAfterTheSync() throws {
        try service.make("l", ["a"])
        let notifications = Atomic<Int>(0)
        let channel = service.channel(of: "l")
        let watch = channel.watch { notifications.add(1, ordering: .relaxed) }
        #expect(try position("l") == ListPosition(version: 1, exists: true))
        store.hold()
        let before = notifications.load(ordering: .relaxed)
        let write = service.ask(.create("b", in: "l"))
        _ = try store.nextBatch()
        #expect(notifications.load(ordering: .relaxed) == before)
        #expect(channel.position.version == 1)
        #expect(try changes("l", after: 1) == [])
        store.pass()
        _ = try write.value()
        #expect(notifications.load(ordering: .relaxed) == before + 1)
        withExtendedLifetime(watch) {}
        #expect(channel.pendingUpdates(after: 1, notice: 0, bytes: 1).versions == [2])
    }

    /// Another server's change can be in a position that was read before it arrives. Without it, the changes in memory are
    /// incomplete.
    @Test func changesUpToAKnownVersionAreCompleteOrReadFromTheStore() throws {
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        _ = try position("l")
        _ = try service.ask(.create("b", in: "l")).value()
        guard case .changes = channel.pendingUpdates(after: 1, notice: 0, bytes: 1) else {
            Issue.record("the change is not in memory")
            return
        }
        service.channels.existing("l")?.learn(ListPosition(version: 3, exists: true))
        guard case .older = channel.pendingUpdates(after: 1, notice: 0, bytes: 1) else {
            Issue.record("the changes are incomplete")
            return
        }
    }

    /// Each new watcher reads the list's state. If all watchers were notified each time, the cost
    /// would grow with the square of their number.
    @Test func readingThePositionNotifiesNoOtherWatcher() throws {
        try service.make("l", ["a"])
        let notifications = Atomic<Int>(0)
        let channel = service.channel(of: "l")
        let watch = channel.watch { notifications.add(1, ordering: .relaxed) }
        _ = try position("l")
        let before = notifications.load(ordering: .relaxed)
        for _ in 0..<10 { _ = try position("l") }
        #expect(notifications.load(ordering: .relaxed) == before)
        _ = try service.ask(.create("b", in: "l")).value()
        #expect(notifications.load(ordering: .relaxed) == before + 1)
        withExtendedLifetime(watch) {}
    }

    @Test func aFailedChangeNotifiesNoWatcher() throws {
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        _ = try position("l")
        store.hold()
        let write = service.ask(.create("b", in: "l"))
        _ = try store.nextBatch()
        store.fail()
        #expect(try write.failure() == "unavailable")
        store.open()
        #expect(channel.position.version == 1)
        _ = try service.ask(.create("c", in: "l")).value()
        #expect(channel.pendingUpdates(after: 1, notice: 0, bytes: 1).versions == [2])
    }

    /// A watch that begins while a change waits for its commit.
    @Test func noChangeIsMissedBetweenHistoryAndNewChanges() throws {
        try service.make("l", ["a"])
        for number in 0..<10 { _ = try service.ask(.create("t\(number)", in: "l")).value() }
        store.hold()
        let running = service.ask(.create("u", in: "l"))
        _ = try store.nextBatch()
        let channel = service.channel(of: "l")
        let pending = service.position(of: "l")
        let waiting = service.ask(.create("v", in: "l"))
        store.pass()
        _ = try running.value()
        _ = try store.nextBatch()
        store.pass()
        _ = try waiting.value()
        _ = try pending.value()
        var seen: [Int] = []
        while seen.count < 13 {
            let last = seen.last ?? 0
            switch channel.pendingUpdates(after: last, notice: 0, bytes: 200) {
            case .changes(let changes): seen += changes.map(\.version)
            case .older: seen += try #require(try changes("l", after: last, bytes: 200))
            case .none, .deleted, .notices: Issue.record("nothing after \(last)")
            }
        }
        #expect(seen == Array(1...13))
    }

    @Test func recentChangesAreBoundedAndOlderOnesAreInTheHistory() throws {
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        _ = try position("l")
        let title = String(repeating: "t", count: 4_000)
        for number in 0...2 * ListChannel.maximumBytes / title.utf8.count {
            let content = TaskContent(id: "t\(number)", title: title)
            let create = Command.create(content, at: Destination())
            _ = try service.ask(WriteRequest(list: "l", action: .command(create))).value()
        }
        let last = channel.position.version
        guard case .older = channel.pendingUpdates(after: 1, notice: 0, bytes: 1 << 30) else {
            Issue.record("all changes are in memory")
            return
        }
        #expect(try changes("l", after: last - 3) == [last - 2, last - 1, last])
        #expect(try changes("l", after: 1, limit: 3) == [2, 3, 4])
        #expect(try changes("l", after: 1, bytes: 1) == [2])
        #expect(try changes("l", after: 0) == Array(1...min(last, 1_000)))
    }

    @Test func prunedChangesAreReported() throws {
        try service.make("l", ["a"])
        for number in 0..<20 { _ = try service.ask(.create("t\(number)", in: "l")).value() }
        _ = try service.ask(
            WriteRequest(
                list: "l", action: .put(try .flat(["b"])), precondition: .exists)
        ).value()
        _ = try service.ask(
            WriteRequest(
                list: "l", action: .put(try .flat(["c"])), precondition: .exists)
        ).value()
        while try store.pruneChanges(olderThan: .max, keepingLast: 1, limit: 100) {}
        #expect(try changes("l", after: 0) == nil)
        #expect(try changes("l", after: 22) == [23])
    }

    @Test func theDeletionIsTheLastUpdate() throws {
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        _ = try position("l")
        _ = try service.ask(WriteRequest(list: "l", action: .deleteList())).value()
        #expect(channel.pendingUpdates(after: 1, notice: 0, bytes: 1).versions == [2])
        guard case .deleted = channel.pendingUpdates(after: 2, notice: 0, bytes: 1) else {
            Issue.record("the list is still there")
            return
        }
        try service.make("l", ["b"])
        #expect(channel.pendingUpdates(after: 2, notice: 0, bytes: 1).versions == [3])
    }

    @Test func noticesFollowChangesAndReachCurrentWatchersOnly() throws {
        try service.make("l", ["a"])
        service.channels.existing("l")?.announce(Array("{}".utf8))
        let channel = service.channel(of: "l")
        _ = try position("l")
        #expect(channel.lastNotice == 0)
        _ = try service.ask(.create("b", in: "l")).value()
        for _ in 0..<3 { service.channels.existing("l")?.announce(Array("{}".utf8)) }
        service.channels.existing("other")?.announce(Array("{}".utf8))
        #expect(channel.pendingUpdates(after: 1, notice: 0, bytes: 1).versions == [2])
        guard case .notices(let notices) = channel.pendingUpdates(after: 2, notice: 1, bytes: 1)
        else {
            Issue.record("no notice was received")
            return
        }
        #expect(notices.map(\.number) == [2, 3])
    }

    @Test(arguments: [
        (count: 9, bytes: ListChannel.maximumBytes / 4, kept: 6...9),
        (ListChannel.keptNotices + 3, 1, 4...ListChannel.keptNotices + 3),
    ])
    func recentNoticesAreBounded(count: Int, bytes: Int, kept: ClosedRange<Int>) throws {
        try service.make("l", ["a"])
        let channel = service.channel(of: "l")
        _ = try position("l")
        let data = [UInt8](repeating: 0, count: bytes)
        for _ in 0..<count { service.channels.existing("l")?.announce(data) }
        guard case .notices(let notices) = channel.pendingUpdates(after: 1, notice: 0, bytes: 1)
        else {
            Issue.record("no notice was received")
            return
        }
        #expect(notices.map(\.number) == Array(kept))
    }

    @Test func aChannelExistsWhileItHasWatchers() throws {
        try service.make("l", ["a"])
        do {
            let first = service.channel(of: "l").watch {}
            let second = service.channel(of: "l").watch {}
            #expect(!service.channels.isEmpty)
            withExtendedLifetime((first, second)) {}
        }
        #expect(service.channels.isEmpty)
        // Many threads begin and end watches at once.
        try onThreads(4) { [service] thread in
            for number in 0..<500 {
                let watch = service.channel(of: "l\((thread + number) % 3)").watch {}
                service.channels.existing("l\(number % 2)")?.announce([])
                withExtendedLifetime(watch) {}
            }
        }
        #expect(service.channels.isEmpty)
    }
}

extension PendingUpdates {
    /// The versions of the changes.
    fileprivate var versions: [Int] {
        if case .changes(let changes) = self { changes.map(\.version) } else { [] }
    }
}
