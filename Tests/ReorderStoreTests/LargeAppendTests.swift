import Foundation
import GRDB
import ReorderStore
import Synchronization
import Testing

@testable import SQLiteStore

/// Large appends to a file are many small transactions: other appends come between them, and a
/// crash at any point leaves the whole change or nothing.
@Suite
struct LargeAppendTests {
    private static let limits = StepLimits(rows: 7, bytes: 100)
    private static let tasks = (0..<40).map { "t\($0)" }

    private static func open(
        _ path: String, onStep: @escaping @Sendable (LargeStep) -> Void = { _ in }
    ) throws -> SQLiteListStore {
        try SQLiteListStore(
            path: path, large: LargeCommit(tasks: 10, bytes: 250), steps: limits, onStep: onStep)
    }

    /// Opens a store whose steps call the hook that the body sets.
    private func withStore(
        _ body: (_ path: String, _ store: SQLiteListStore, _ hook: Hook) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let hook = Hook()
            let store = try Self.open(path) { hook.run($0) }
            try body(path, store, hook)
            try store.close()
        }
    }

    private final class Hook: Sendable {
        private let body = Mutex<(@Sendable (LargeStep) throws -> Void)?>(nil)
        let steps = Mutex<[LargeStep]>([])

        func set(_ body: (@Sendable (LargeStep) throws -> Void)?) {
            self.body.withLock { $0 = body }
        }

        func run(_ step: LargeStep) {
            steps.withLock { $0.append(step) }
            do {
                try body.withLock(\.self)?(step)
            } catch {
                Issue.record(error)
            }
        }
    }

    private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
    }

    private static func big(_ version: Int = 1, tasks: [String] = tasks) -> ListCommit {
        ListCommit(
            list: "big", version: version, at: 0, change: bytes(450, version),
            snapshot: bytes(730, version),
            stateAfter: .exists(title: "big", count: tasks.count, open: 0),
            insertedTasks: tasks)
    }

    /// All tasks but one go from "big" to "other", which exists.
    private static let transfer = [
        ListCommit(
            list: "big", version: 2, at: 0, change: bytes(300, 2),
            stateAfter: .exists(title: "big", count: 1, open: 0),
            deletedTasks: Array(tasks.dropFirst())),
        ListCommit(
            list: "other", version: 2, at: 0, change: bytes(300, 3),
            stateAfter: .exists(title: "other", count: tasks.count - 1, open: 0),
            insertedTasks: Array(tasks.dropFirst())),
    ]
    private static let deletion = ListCommit.deleted("big", 2)

    private func expectSound(_ store: SQLiteListStore) throws {
        try store.verify { Issue.record("\($0): \($1)") }
    }

    // MARK: Steps

    @Test func eachStepIsBounded() throws {
        try withStore { _, store, hook in
            try store.append([Self.big(), .exists("other", 1, snapshot: true)])
            try store.append(Self.transfer)
            try store.tidy { true }
            let steps = hook.steps.withLock { $0 }
            for kind in [LargeStep.Kind.stage, .piece, .merge] {
                #expect(steps.contains { $0.kind == kind })
            }
            for step in steps {
                #expect(step.rows <= Self.limits.rows && step.bytes <= Self.limits.bytes)
            }
            #expect(steps.filter { $0.kind == .validate }.count == 2)
            try expectSound(store)
        }
    }

    /// Each of them is small.
    @Test func changesThatAreLargeTogetherAreWrittenInSteps() throws {
        try withStore { _, store, hook in
            func deletion(_ index: Int) -> ListCommit {
                let left = 40 - 10 * (index + 1)
                return .exists(
                    "big", index + 2, count: left,
                    deleting: Array(Self.tasks[10 * index..<10 * index + 10]))
            }
            try store.append([.exists("big", 1, count: 40, snapshot: true, inserting: Self.tasks)])
            hook.steps.withLock { $0 = [] }
            try store.append([deletion(0)])
            #expect(hook.steps.withLock { $0 }.isEmpty)
            try store.append([deletion(1), deletion(2), deletion(3)])
            #expect(hook.steps.withLock { $0.contains { $0.kind == .stage } })
            try store.tidy { true }
            #expect(try store.lists(containing: Self.tasks).isEmpty)
            try expectSound(store)
        }
    }

    @Test func otherListsAreAppendedBetweenTheSteps() throws {
        try withStore { _, store, hook in
            try store.append([.exists("small", 1, snapshot: true)])
            let version = Mutex(1)
            hook.set { [weak store] step in
                guard let store else { return }
                let next = version.withLock { version in
                    version += 1
                    return version
                }
                try store.append([.exists("small", next, count: next - 1, inserting: ["s\(next)"])])
                guard step.kind == .stage || step.kind == .piece else { return }
                // Nothing of the large append is visible.
                #expect(try store.load("big") == nil)
                #expect(try store.lists(containing: Self.tasks) == [:])
                #expect(try store.summaries(after: nil, limit: 9).map(\.id) == ["small"])
            }
            try store.append([Self.big()])
            try store.tidy { true }
            hook.set(nil)
            #expect(version.withLock(\.self) > 20)
            #expect(try store.load("small")?.version == version.withLock(\.self))
            #expect(try store.load("big")?.content?.snapshot == Self.bytes(730, 1))
            #expect(try store.lists(containing: Self.tasks).count == Self.tasks.count)
            try expectSound(store)
        }
    }

    @Test func aStagedTaskCanBeChangedAtOnce() throws {
        try withStore { _, store, _ in
            try store.append([Self.big(), .exists("other", 1, snapshot: true)])
            // Its changes of tasks are not in the index yet.
            try store.append([
                .exists("big", 2, count: 38, deleting: ["t1", "t2"]),
                .exists("other", 2, count: 1, inserting: ["t1"]),
            ])
            #expect(throws: StoreError.taskTaken(id: "t3")) {
                try store.append([.exists("other", 3, count: 2, inserting: ["t3"])])
            }
            let expected = Dictionary(
                uniqueKeysWithValues: Self.tasks.filter { $0 != "t2" }
                    .map { ($0, $0 == "t1" ? "other" : "big") })
            #expect(try store.lists(containing: Self.tasks) == expected)
            try store.tidy { true }
            #expect(try store.lists(containing: Self.tasks) == expected)
            try expectSound(store)
        }
    }

    @Test func aSmallListOfStagedTasksIsDeletedWithThem() throws {
        try withStore { _, store, _ in
            try store.append([Self.big()])
            for (version, first) in zip(2..., stride(from: 0, to: 35, by: 5)) {
                let left = 35 - first
                try store.append([
                    .exists(
                        "big", version, count: left, deleting: Array(Self.tasks[first..<first + 5]))
                ])
            }
            try store.append([.deleted("big", 9)])
            #expect(try store.lists(containing: Self.tasks) == [:])
            try expectSound(store)
        }
    }

    @Test func theTasksOfADeletedListDoNotReturnToTheirFormerList() throws {
        try withStore { _, store, hook in
            try store.append([Self.big(), .exists("other", 1, snapshot: true)])
            try store.append(Self.transfer)
            // In the index, the tasks are still in "big", where they were before the transfer.
            for (version, first) in zip(3..., stride(from: 1, to: 31, by: 5)) {
                try store.append([
                    .exists(
                        "other", version, count: 34 - first,
                        deleting: Array(Self.tasks[first..<first + 5]))
                ])
            }
            try store.append([.deleted("other", 9)])
            #expect(!hook.steps.withLock { $0 }.suffix(7).contains { $0.kind == .merge })
            #expect(try store.lists(containing: Self.tasks) == ["t0": "big"])
            try expectSound(store)
            #expect(try store.lists(containing: Self.tasks) == ["t0": "big"])
        }
    }

    // MARK: Failures

    @Test func ofTwoAppendsThatInsertATaskTheFirstOneWins() throws {
        try withStore { _, store, hook in
            try store.append([.exists("small", 1, snapshot: true)])
            hook.set { [weak store] step in
                let holder = try store?.lists(containing: ["t7"])
                guard step.kind == .stage, holder == [:] else { return }
                try store?.append([.exists("small", 2, count: 1, inserting: ["t7"])])
            }
            #expect(throws: StoreError.taskTaken(id: "t7")) { try store.append([Self.big()]) }
            hook.set(nil)
            #expect(try store.load("big") == nil)
            #expect(try store.lists(containing: Self.tasks) == ["t7": "small"])
            try store.append([Self.big(tasks: Self.tasks.filter { $0 != "t7" })])
            try expectSound(store)
        }
    }

    @Test func aFailureOfTheLastStepLeavesNothing() throws {
        try withStore { _, store, hook in
            let key = StoredResponseKey(.list, of: "big", "k")
            try store.append([], responses: [.to(key)])
            #expect(throws: StoreError.conflict(list: "big")) {
                try store.append([Self.big()], responses: [.to(key)])
            }
            #expect(hook.steps.withLock { $0 }.contains { $0.kind == .piece })
            #expect(try store.load("big") == nil)
            #expect(try store.lists(containing: Self.tasks) == [:])
            try store.append([.exists("small", 1, count: 1, snapshot: true, inserting: ["t7"])])
            try expectSound(store)
        }
    }

    // MARK: Removal

    @Test func piecesGoWithTheirBodies() throws {
        try withStore { _, store, hook in
            try store.append([Self.big()])
            for version in 2...4 {
                try store.append([Self.big(version, tasks: [])])
            }
            #expect(try store.snapshots(of: "big").map(\.version) == [3, 4])
            try store.pass(olderThan: .max, keepingLast: 1)
            #expect(try store.changes(of: "big", after: 3, limit: 9)?.count == 1)
            try store.append([.deleted("big", 5)])
            try store.pass(olderThan: .max, keepingLast: 1)
            try expectSound(store)
            #expect(hook.steps.withLock { $0 }.contains { $0.kind == .remove })
            var rows: [Int] = []
            try store.withWriter { journal in
                for table in ["piece", "long_body"] {
                    rows += try Int.fetchAll(
                        journal.sql.database, sql: "SELECT count(*) FROM \(table)")
                }
            }
            #expect(rows == [0, 0])
        }
    }

    // MARK: Crashes

    /// The files after each step are what a crash at that point leaves.
    @Test(arguments: ["creation", "transfer", "deletion"])
    func aCrashAtAnyStepLeavesAllOrNothing(kind: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("lists.db").path
            let copies = Mutex(0)
            let isCopying = Mutex(false)
            let store = try Self.open(path) { _ in
                guard isCopying.withLock(\.self) else { return }
                let number = copies.withLock { count in
                    count += 1
                    return count
                }
                for suffix in ["", "-wal", "-mark"] {
                    try? FileManager.default.copyItem(
                        atPath: path + suffix, toPath: "\(path).\(number)\(suffix)")
                }
            }
            try store.append([.exists("other", 1, snapshot: true)])
            let commits: [ListCommit]
            if kind == "creation" {
                commits = [Self.big()]
            } else {
                try store.append([Self.big()])
                try store.tidy { true }
                commits = kind == "transfer" ? Self.transfer : [Self.deletion]
            }
            let before = try State(store)
            isCopying.withLock { $0 = true }
            try store.append(commits)
            try store.tidy { true }
            isCopying.withLock { $0 = false }
            let after = try State(store)
            try store.close()

            let count = copies.withLock(\.self)
            #expect(before != after && count > 10)
            var wasValid = false
            for number in 1...count {
                let copy = try Self.open("\(path).\(number)")
                let state = try State(copy)
                #expect(state == after || (state == before && !wasValid), "step \(number)")
                wasValid = state == after
                // The interrupted append does not prevent the next change.
                if !wasValid { try copy.append(commits) }
                #expect(try State(copy) == after, "step \(number)")
                try expectSound(copy)
                #expect(try State(copy) == after, "step \(number)")
                try copy.close()
            }
            #expect(wasValid)
        }
    }

    private struct State: Equatable {
        var lists: [LoadedList?]
        var holders: [String: String]
        var summaries: [IndexedList]

        init(_ store: SQLiteListStore) throws {
            lists = try ["big", "other"].map { try store.load($0) }
            holders = try store.lists(containing: LargeAppendTests.tasks)
            summaries = try store.summaries(after: nil, limit: 9)
        }
    }
}
