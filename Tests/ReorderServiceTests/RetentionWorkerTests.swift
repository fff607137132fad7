import Foundation
import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

@Suite
struct RetentionWorkerTests {
    private static let day: Int64 = 86_400_000
    private let store = MemoryListStore()
    private let clock = ManualClock()

    /// Runs a worker until a condition holds, and stops it.
    private func run(
        _ history: HistoryRetention = .standard, until condition: () throws -> Bool
    ) throws {
        let worker = RetentionWorker(
            store: store, history: history, logger: Logger(label: "test"),
            clock: ServiceClock(clock.environment, latest: nil), secondsBetweenPasses: 0)
        worker.start()
        defer { worker.stop() }
        try waitUntil(condition)
    }

    @Test func theTimeIsStoredOnceAnHour() throws {
        let store = TimeKeepingStore()
        let worker = RetentionWorker(
            store: store, history: .standard, logger: Logger(label: "test"),
            clock: ServiceClock(clock.environment, latest: nil), secondsBetweenPasses: 0)
        let start = clock.now().milliseconds
        for _ in 0..<3 { worker.makePass() }
        #expect(store.times == [start])
        clock.advance(seconds: 3_599.999)
        worker.makePass()
        #expect(store.times == [start])
        clock.advance(seconds: 0.001)
        for _ in 0..<3 { worker.makePass() }
        #expect(store.times == [start, start + 3_600_000])
    }

    /// Each step asks whether it is time.
    @Test func theStoreIsProbedEveryTwoSeconds() {
        let uptime = Atomic<UInt64>(0)
        let probes = Atomic(0)
        let stepped = SteppedWorker(stoppingAfterLooks: .max)
        var environment = clock.environment
        environment.uptime = { uptime.load(ordering: .relaxed) }
        environment.makeWorker = { _, _ in stepped }
        let worker = RetentionWorker(
            store: store, history: .standard, logger: Logger(label: "test"),
            clock: ServiceClock(clock.environment, latest: nil), environment)
        worker.start { probes.add(1, ordering: .relaxed) }
        var counts: [Int] = []
        for second in 0..<7 as Range<UInt64> {
            uptime.store(second * 1_000_000_000, ordering: .relaxed)
            for _ in 0..<3 { stepped.step() }
            counts.append(probes.load(ordering: .relaxed))
        }
        #expect(counts == [0, 0, 1, 1, 2, 2, 3])
        stepped.runUntilEnd()
    }

    /// Appends versions of the list `a`, each with a snapshot.
    private func append(_ versions: ClosedRange<Int>, at time: (Int) -> Int64) throws {
        for version in versions {
            try store.append([
                ListCommit(
                    list: "a", version: version, at: time(version), change: [], snapshot: [],
                    stateAfter: .exists(title: "", count: 0, open: 0))
            ])
        }
    }

    @Test func oldChangesArePrunedUntilTheWorkerStops() throws {
        try append(1...2_000) { _ in 0 }
        try run(HistoryRetention(days: 30, changes: 100)) {
            try store.changes(of: "a", after: 1_899, limit: 1) == nil
        }
        try #expect(store.changes(of: "a", after: 1_900, limit: 200)?.count == 100)
    }

    /// A change was decided while the clock was ahead: ten years, or as little as is possible.
    @Test(arguments: [3_650 * day, Int64(ServiceClock.tolerance * 1_000)])
    func aChangeFromTheFutureStopsNoPruning(aheadMilliseconds: Int64) throws {
        let now = clock.now().milliseconds
        try append(1...200) { $0 == 100 ? now + aheadMilliseconds : now - 40 * Self.day }
        try run(HistoryRetention(days: 30, changes: nil)) {
            try store.changes(of: "a", after: 150, limit: 1) == nil
        }
    }

    /// A store with a list in the bin, a change, and a stored response, which expire in some days.
    private func expiring() throws -> (ClockedStore, StoredResponseKey) {
        let store = ClockedStore(time: clock.now().milliseconds)
        let now = clock.now().milliseconds
        for version in 1...3 {
            try store.append([
                ListCommit(
                    list: "a", version: version, at: now, change: [], snapshot: [],
                    stateAfter: .exists(title: "", count: 0, open: 0))
            ])
        }
        try store.append([
            ListCommit(
                list: "b", version: 1, at: now, change: [], snapshot: [],
                stateAfter: .exists(title: "", count: 0, open: 0)),
            ListCommit(
                list: "b", version: 2, at: now, change: [], stateAfter: .deleted,
                binned: ListCommit.Binned(title: "", count: 0)),
        ])
        let key = StoredResponseKey(.list, of: "a", "k")
        try store.append(
            [],
            responses: [
                StoredResponse(key: key, at: now, expires: now + 20 * Self.day, bytes: [])
            ])
        return (store, key)
    }

    private func makePass(on store: any ListStore) {
        RetentionWorker(
            store: store, history: HistoryRetention(days: 30, changes: nil),
            logger: Logger(label: "test"),
            clock: ServiceClock(
                clock.environment, latest: store.latestTime ?? clock.now().milliseconds,
                trusted: store.trustedTime)
        ).makePass()
    }

    private func isComplete(_ store: ClockedStore, _ key: StoredResponseKey) throws -> Bool {
        let isBinned = try store.deletedList("b", withContent: false) != nil
        #expect(try (store.prunedVersion(of: "a") == 0) == isBinned)
        #expect(try (store.responses(to: [key]).count == 1) == isBinned)
        return isBinned
    }

    @Test func theTimeOfADatabaseDecidesWhatHasExpired() throws {
        let (store, key) = try expiring()
        clock.set(aheadBy: 400 * 86_400)
        makePass(on: store)
        #expect(try isComplete(store, key))
        clock.set(aheadBy: -800 * 86_400)
        store.advance(by: 31 * Self.day)
        makePass(on: store)
        #expect(try !isComplete(store, key))
    }

    @Test func aDatabaseThatDoesNotRespondDeletesNothing() throws {
        let (store, key) = try expiring()
        store.fail()
        clock.advance(seconds: 400 * 86_400)
        makePass(on: store)
        #expect(try isComplete(store, key))
    }

    /// The next start depends on no timestamp.
    @Test func theTimeIsKeptForTheNextStart() throws {
        let store = KeepingStore()
        makePass(on: store)
        let time = clock.now().milliseconds
        #expect(store.trustedTime == time)
        clock.set(aheadBy: 400 * 86_400)
        makePass(on: store)
        #expect(store.trustedTime == time)
        clock.set(aheadBy: -400 * 86_400 + 7_200)
        makePass(on: store)
        #expect(store.trustedTime == time + 7_200_000)
    }

    @Test func onlyExpiredResponsesAreRemoved() throws {
        let keys = (0..<1_000).map { StoredResponseKey(.list, of: "a", "k\($0)") }
        let now = clock.now().milliseconds
        for (index, key) in keys.enumerated() {
            let expires = index < 900 ? now : now + 1
            try store.append(
                [], responses: [StoredResponse(key: key, at: 0, expires: expires, bytes: [])])
        }
        try run { try store.responses(to: keys).count <= 100 }
        try #expect(store.responses(to: keys).count == 100)
    }

    @Test func aChangeCanBePrunedAfterItsDays() {
        #expect(HistoryRetention(days: 30, changes: nil).oldest(at: 31 * Self.day) == Self.day)
        #expect(HistoryRetention(days: nil, changes: 5).oldest(at: 31 * Self.day) == .max)
    }

    @Test func aCommitAndItsChangeHaveTheSameTimestamp() throws {
        for instant in [1_790_000_000.0004, 1_790_000_000.1235, 1_790_000_000.9999, 0.001] {
            let date = Date(timeIntervalSince1970: instant)
            let json = ChangeDocument(version: 1, at: date, client: nil, operations: []).json()
            let seconds = try ChangeDocument(json: json).at.timeIntervalSince1970
            #expect(Int64((seconds * 1_000).rounded()) == date.milliseconds, "\(instant)")
        }
    }
}

/// A memory store that keeps the trusted time, like a file.
private final class KeepingStore: ForwardingStore {
    private let memory = MemoryListStore()
    private let time = Mutex<Int64?>(nil)

    var trustedTime: Int64? { time.withLock(\.self) }

    func keep(trustedTime: Int64) throws(StoreError) { time.withLock { $0 = trustedTime } }

    func destination() throws(StoreError) -> any ListStore { memory }
}

/// A memory store with a clock, as a database has it.
private final class ClockedStore: ForwardingStore {
    private let memory = MemoryListStore()
    private let time: Mutex<Int64?>

    init(time: Int64) { self.time = Mutex(time) }

    func advance(by milliseconds: Int64) { time.withLock { $0 = $0.map { $0 + milliseconds } } }

    /// From now on, the time can't be read.
    func fail() { time.withLock { $0 = nil } }

    var latestTime: Int64? { time.withLock(\.self) }

    func currentTime() throws(StoreError) -> Int64? {
        guard let time = time.withLock(\.self) else {
            throw .unavailable(reason: "the store cannot be reached")
        }
        return time
    }

    func destination() throws(StoreError) -> any ListStore { memory }
}

/// Records the times that it is to keep.
private final class TimeKeepingStore: ForwardingStore {
    private let memory = MemoryListStore()
    private let kept = Mutex<[Int64]>([])

    var times: [Int64] { kept.withLock(\.self) }

    func keep(trustedTime: Int64) throws(StoreError) { kept.withLock { $0.append(trustedTime) } }

    func destination() throws(StoreError) -> any ListStore { memory }
}
