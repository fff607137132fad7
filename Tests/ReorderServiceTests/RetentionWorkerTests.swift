import Foundation
import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore
import Testing

@testable import ReorderService

@Suite
struct RetentionWorkerTests {
    @Test func oldChangesArePrunedUntilTheWorkerStops() throws {
        let store = MemoryListStore()
        for version in 1...2_000 {
            try store.append([
                ListCommit(
                    list: "a", version: version, at: 0, change: [], snapshot: [],
                    outcome: .exists(title: "", count: 0))
            ])
        }
        let retentionWorker = RetentionWorker(
            store: store, history: HistoryRetention(days: 30, changes: 100),
            logger: Logger(label: "test"), clock: ServiceClock(.system, latest: nil),
            secondsBetweenPasses: 0)
        retentionWorker.start()
        // A long limit that is only reached if the event never happens.
        let deadline = Date(timeIntervalSinceNow: 60)
        while try store.changes(of: "a", after: 1_899, limit: 1) != nil, Date() < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        retentionWorker.stop()
        try #expect(store.changes(of: "a", after: 1_899, limit: 1) == nil)
        try #expect(store.changes(of: "a", after: 1_900, limit: 200)?.count == 100)
    }

    /// A change was decided while the clock was ahead: ten years, or as little as is possible.
    @Test(arguments: [Int64(3_650 * 86_400_000), Int64(ServiceClock.tolerance * 1_000)])
    func aChangeFromTheFutureStopsNoPruning(aheadMilliseconds: Int64) throws {
        let (store, clock) = (MemoryListStore(), ManualClock())
        let now = clock.now().milliseconds
        for version in 1...200 {
            let at = version == 100 ? now + aheadMilliseconds : now - 40 * 86_400_000
            try store.append([
                ListCommit(
                    list: "a", version: version, at: at, change: [], snapshot: [],
                    outcome: .exists(title: "", count: 0))
            ])
        }
        let retentionWorker = RetentionWorker(
            store: store, history: HistoryRetention(days: 30, changes: nil),
            logger: Logger(label: "test"), clock: ServiceClock(clock.environment, latest: nil),
            secondsBetweenPasses: 0)
        retentionWorker.start()
        // A long limit that is only reached if the event never happens.
        let deadline = Date(timeIntervalSinceNow: 60)
        while try store.changes(of: "a", after: 150, limit: 1) != nil, Date() < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        retentionWorker.stop()
        try #expect(store.changes(of: "a", after: 150, limit: 1) == nil)
    }

    @Test func onlyExpiredResponsesAreRemoved() throws {
        let store = MemoryListStore()
        let keys = (0..<1_000).map { StoredResponseKey(.list, of: "a", "k\($0)") }
        let clock = ManualClock()
        let now = clock.now().milliseconds
        for (index, key) in keys.enumerated() {
            let expires = index < 900 ? now : now + 1
            try store.append(
                [], responses: [StoredResponse(key: key, at: 0, expires: expires, bytes: [])])
        }
        let retentionWorker = RetentionWorker(
            store: store, history: .standard, logger: Logger(label: "test"),
            clock: ServiceClock(clock.environment, latest: nil), secondsBetweenPasses: 0)
        retentionWorker.start()
        // A long limit that is only reached if the event never happens.
        let deadline = Date(timeIntervalSinceNow: 60)
        while try store.responses(to: keys).count > 100, Date() < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        retentionWorker.stop()
        try #expect(store.responses(to: keys).count == 100)
    }

    @Test func aChangeCanBePrunedAfterItsDays() {
        let day: Int64 = 86_400_000
        #expect(HistoryRetention(days: 30, changes: nil).oldest(at: 31 * day) == day)
        #expect(HistoryRetention(days: nil, changes: 5).oldest(at: 31 * day) == .max)
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
