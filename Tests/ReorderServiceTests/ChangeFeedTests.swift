import Dispatch
import Foundation
import Logging
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// The changes of all lists in memory, and when they are read.
@Suite struct ChangeFeedTests {
    private final class Observer: Sendable {
        private let notified = DispatchSemaphore(value: 0)
        func notify() { notified.signal() }
        func wait() throws { try notified.waitForSignal() }
    }

    private func withService(
        _ body: (ListService, HeldStore) throws -> Void
    ) throws {
        let store = HeldStore()
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { _ in })
        try body(service, store)
        try service.stopIdle()
    }

    /// Waits until the feed has read up to a position.
    private func wait(_ service: ListService, for position: Int, _ observer: Observer) throws {
        while true {
            if case .none = service.feed.recent(after: position, bytes: 1),
                case .entries = service.feed.recent(after: position - 1, bytes: 1)
            {
                return
            }
            try observer.wait()
        }
    }

    /// A stream that waits for news has to find out that it has to end.
    @Test func aRewindWakesTheWatchers() throws {
        try withService { service, _ in
            let observer = Observer()
            let watch = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            service.end(after: StoreRewind(reason: "test"))
            try observer.wait()
            withExtendedLifetime(watch) {}
        }
    }

    @Test func theStoreIsReadOnlyWhileSomeoneWatches() throws {
        try withService { service, store in
            try store.fill(1...3, bytes: 10)
            service.feed.changed()
            let observer = Observer()
            var watch: Watch? = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            #expect(store.readCount.load(ordering: .relaxed) == 1)
            try store.fill(4...5, bytes: 10)
            service.feed.changed()
            try wait(service, for: 5, observer)
            withExtendedLifetime(watch) {}
            watch = nil
            let count = store.readCount.load(ordering: .relaxed)
            try store.fill(6...6, bytes: 10)
            service.feed.changed()
            // The same thread makes this read after all earlier ones.
            _ = try service.pending { $0.feed.readLastPosition($1) }.value()
            #expect(store.readCount.load(ordering: .relaxed) == count + 1)
        }
    }

    /// A deletion, or a list in the place of a deleted one, can hide earlier changes, which only the store knows.
    @Test func changesThatMayBeHiddenAreNotKept() throws {
        try withService { service, store in
            let observer = Observer()
            let watch = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            /// The positions that are in memory after one; nil if the store must be read.
            func kept(after position: Int) -> [Int]? {
                switch service.feed.recent(after: position, bytes: .max) {
                case .none: []
                case .entries(let entries): entries.map(\.position)
                case .older: nil
                }
            }
            func add(_ list: String, _ version: Int, _ kind: ChangeDocument.Kind?) throws {
                let change = ChangeDocument(
                    version: version, at: Date(), client: nil, kind: kind,
                    operations: kind == nil ? [] : [.replace])
                try store.memory.append([
                    ListCommit(
                        list: list, version: version, at: 0, change: change.json(),
                        snapshot: kind == .created ? [] : nil,
                        stateAfter: kind == .deleted
                            ? .deleted : .exists(title: "", count: 0, open: 0))
                ])
                service.feed.changed()
                try wait(service, for: store.memory.lastPosition(), observer)
            }
            // A new list hides nothing.
            try add("l", 1, .created)
            try add("l", 2, nil)
            try add("m", 1, .created)
            #expect((0...3).map(kept) == [[1, 2, 3], [2, 3], [3], []])
            try add("l", 3, .deleted)
            #expect((0...4).map(kept) == [nil, nil, nil, [4], []])
            try add("l", 4, .created)
            try add("m", 2, nil)
            #expect((2...6).map(kept) == [nil, nil, [5, 6], [6], []])
            withExtendedLifetime(watch) {}
        }
    }

    @Test func theMemoryIsBounded() throws {
        try withService { service, store in
            let observer = Observer()
            let watch = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            for first in stride(from: 1, through: 5_000, by: 500) {
                try store.fill(first...first + 499, bytes: 1_000)
                service.feed.changed()
                try wait(service, for: first + 499, observer)
            }
            guard case .older = service.feed.recent(after: 0, bytes: 1) else {
                Issue.record("the first changes are still in memory")
                return
            }
            let kept = (0..<5_000).count { position in
                if case .older = service.feed.recent(after: position, bytes: 1) {
                    false
                } else {
                    true
                }
            }
            #expect(kept > 0 && kept * 1_000 <= ChangeFeed.maximumBytes)
            // A single larger change is kept.
            try store.fill(5_001...5_001, bytes: ChangeFeed.maximumBytes + 1)
            service.feed.changed()
            try wait(service, for: 5_001, observer)
            guard case .older = service.feed.recent(after: 4_999, bytes: 1) else {
                Issue.record("more changes than the large one are in memory")
                return
            }
            withExtendedLifetime(watch) {}
        }
    }

    @Test func afterAFailureTheChangesAreReadAgain() throws {
        try withService { service, store in
            let observer = Observer()
            let watch = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            store.fails.store(true, ordering: .sequentiallyConsistent)
            try store.fill(1...1, bytes: 10)
            service.feed.changed()
            let page = service.pending { $0.feed.read(after: 0, bytes: 10, $1) }
            #expect(try page.failure() == "unavailable")
            store.fails.store(false, ordering: .sequentiallyConsistent)
            // Nothing reports this change again.
            try wait(service, for: 1, observer)
            withExtendedLifetime(watch) {}
        }
    }

    @Test(arguments: 1...2)
    func aChangeDuringAReadOfTheNewsIsReadNext(read: Int) throws {
        try withService { service, store in
            let observer = Observer()
            let watch = service.feed.watch(onNews: observer.notify)
            try observer.wait()
            store.hold(read: read)
            try store.fill(1...1, bytes: 10)
            service.feed.changed()
            try store.nextRead()
            try store.fill(2...2, bytes: 10)
            service.feed.changed()
            store.pass()
            try wait(service, for: 2, observer)
            withExtendedLifetime(watch) {}
        }
    }

    /// A request that arrives during a read may need a later change.
    @Test func requestsForThePageThatIsReadNextShareOneRead() throws {
        try withService { service, store in
            try store.fill(1...3, bytes: 10)
            let request = { service.pending { $0.feed.read(after: 0, bytes: 1_000, $1) } }
            store.hold()
            let first = request()
            try store.nextRead()
            let later = (0..<100).map { _ in request() }
            store.pass()
            for page in [first] + later {
                guard case .entries(let entries, isLast: true, end: 3) = try page.value() else {
                    Issue.record("no entries")
                    return
                }
                #expect(entries.count == 3)
            }
            // Each page asks the store twice: for the first changes, and whether more follow.
            #expect(store.readCount.load(ordering: .relaxed) == 2 * 2)
        }
    }

    @Test func aWatcherThatIsTooFarBehindGetsAGap() throws {
        try withService { service, store in
            try store.fill(1...PieceSizes().feedDistance + 1, bytes: 10)
            guard case .gap(from: 1, let end) = try page(service, after: 0) else {
                Issue.record("no gap")
                return
            }
            #expect(end == PieceSizes().feedDistance + 1)
            guard
                case .entries(let entries, isLast: false, end: 1_001) = try page(service, after: 1)
            else {
                Issue.record("no entries")
                return
            }
            #expect(entries.count == PieceSizes().feedChanges)
        }
    }

    @Test(arguments: [1, 2, 100])
    func afterAGapEachListThatHasChangedIsRead(limit: Int) throws {
        try withService { service, store in
            let changes = ["b", "a", "c", "a", "b", "d", "c", "a"]
            var versions: [String: Int] = [:]
            for list in changes {
                let version = (versions[list] ?? 0) + 1
                versions[list] = version
                try store.fill(version...version, of: list, bytes: 10)
            }
            for place in 0...changes.count {
                var found: [String] = []
                var last: String?
                repeat {
                    let page = try service.pending { [last] in
                        $0.feed.readHeads(
                            of: nil, after: last, changedFrom: place + 1, limit: limit, $1)
                    }.value()
                    found += page.heads.map(\.list)
                    last = page.cursor
                } while last != nil
                #expect(found == Set(changes[place...]).sorted(), "after \(place)")
            }
        }
    }

    private func page(
        _ service: ListService, after position: Int, bytes: Int = 1 << 20
    ) throws -> FeedPage {
        try service.pending { $0.feed.read(after: position, bytes: bytes, $1) }.value()
    }

    @Test(arguments: [(1, 1), (999, 1), (1_999, 1), (2_000, 2), (8_999, 8), (9_000, 9)])
    func aPageHasTheChangesThatFit(bytes: Int, count: Int) throws {
        try withService { service, store in
            try store.fill(1...9, bytes: 1_000)
            guard
                case .entries(let entries, let isLast, let end) =
                    try page(service, after: 0, bytes: bytes)
            else {
                Issue.record("no entries")
                return
            }
            #expect(entries.map(\.position) == Array(1...count))
            #expect(end == count)
            #expect(isLast == (count == 9))
        }
    }

    @Test func aPageBeforeAPrunedChangeIsNotTheLast() throws {
        try withService { service, store in
            try store.fill(1...20, bytes: 10)
            store.pruned.store(4, ordering: .sequentiallyConsistent)
            guard case .entries(let entries, isLast: false, end: 3) = try page(service, after: 0)
            else {
                Issue.record("no entries")
                return
            }
            #expect(entries.count == 3)
            guard case .gap(from: 4, end: 20) = try page(service, after: 3) else {
                Issue.record("no gap")
                return
            }
        }
    }
}
