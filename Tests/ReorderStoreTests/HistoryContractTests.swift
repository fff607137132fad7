import ReorderStore
import Testing

/// The contract's rules about snapshots and pruning, for every store.
@Suite
struct HistoryContractTests {
    // MARK: Snapshots

    @Test(arguments: StoreKind.all)
    func theNewestTwoSnapshotsAreKept(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try #expect(test.store.snapshots(of: "a") == [])
            try test.store.append([.exists("a", 1, snapshot: true), .exists("a", 2)])
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 1)])
            for version in 3...6 {
                try test.store.append([.exists("a", version, snapshot: version != 5)])
            }
            try test.reopen()
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 4), .expected("a", 6)])
            try #expect(test.store.load("a")?.content?.snapshotVersion == 6)
        }
    }

    @Test(arguments: StoreKind.all)
    func ofThreeSnapshotsInOneAppendTheLastTwoAreKept(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append((1...3).map { .exists("a", $0, snapshot: true) })
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 2), .expected("a", 3)])
        }
    }

    @Test(arguments: StoreKind.all)
    func aDeletedListHasNoSnapshotAndARecreatedOneHasOne(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true), .exists("a", 2, snapshot: true),
            ])
            try test.store.append([.deleted("a", 3)])
            try #expect(test.store.snapshots(of: "a") == [])
            try test.store.append([.exists("a", 4, snapshot: true)])
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 4)])
            try test.store.append([.deleted("a", 5), .exists("a", 6, snapshot: true)])
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 6)])
        }
    }

    // MARK: Retention

    /// A clock was ten years ahead for some changes.
    @Test(arguments: StoreKind.all)
    func changesFromTheFutureDoNotHoldUpLaterOnes(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            for version in 1...300 {
                let at = (100..<103).contains(version) ? 10_000_000 : Int64(version)
                try test.store.append([
                    .exists("a", version, snapshot: [1, 250, 290].contains(version), at: at)
                ])
            }
            try test.store.pass(olderThan: 50, orFrom: 5_000_000, keepingLast: 0)
            try expectHistory(of: "a", 50...300, in: &test)
            // If their times are trusted, they and all changes after them are retained.
            try test.store.pass(olderThan: 200, keepingLast: 0)
            try expectHistory(of: "a", 100...300, in: &test)
            try test.store.pass(olderThan: 200, orFrom: 10_000_001, keepingLast: 0)
            try expectHistory(of: "a", 100...300, in: &test)
            try test.store.pass(olderThan: 50, orFrom: 10_000_000, keepingLast: 0)
            try expectHistory(of: "a", 103...300, in: &test)
            try test.store.pass(olderThan: 200, orFrom: 5_000_000, keepingLast: 0)
            try expectHistory(of: "a", 200...300, in: &test)
        }
    }

    /// Changes from the future are retained if they are among the last `keepingLast`.
    @Test(arguments: StoreKind.all)
    func theLastChangesAreRetainedEvenIfFromTheFuture(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append(
                (1...20).map { .exists("a", $0, snapshot: [1, 18, 19].contains($0), at: 10_000) })
            try test.store.pass(olderThan: 50, orFrom: 5_000, keepingLast: 5)
            try expectHistory(of: "a", 16...20, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func oldChangesThatAreNotAmongTheLastArePruned(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.appendAged("a", 1...300, snapshots: [1, 250, 290])
            try test.store.pass(olderThan: 100, keepingLast: 0)
            try expectHistory(of: "a", 100...300, in: &test)
            try test.store.pass(olderThan: 200, keepingLast: 150)
            try expectHistory(of: "a", 151...300, in: &test)
            try test.store.pass(olderThan: 160, keepingLast: 1)
            try expectHistory(of: "a", 160...300, in: &test)
            try test.store.pass(olderThan: 10, keepingLast: 0)
            try expectHistory(of: "a", 160...300, in: &test)
            try #expect(test.store.load("a")?.version == 300)
        }
    }

    @Test(arguments: StoreKind.all)
    func withoutAnAgeLimitOnlyTheLastChangesAreRetained(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true, at: .max - 1)])
            try test.store.append((2...9).map { .exists("a", $0, snapshot: true, at: .max - 1) })
            try test.store.pass(olderThan: .max, keepingLast: 5)
            try expectHistory(of: "a", 5...9, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func theChangesAfterTheOlderSnapshotAreRetained(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.appendAged("a", 1...200, snapshots: [1, 70, 180])
            try test.store.pass(olderThan: .max, keepingLast: 0)
            try expectHistory(of: "a", 71...200, in: &test)
            try #expect(test.store.snapshots(of: "a") == [.expected("a", 70), .expected("a", 180)])
            let content = try #require(try test.store.load("a")?.content)
            #expect(content.changes == StoredChange.expected("a", 181...200))
        }
    }

    @Test(arguments: StoreKind.all)
    func aListsLastChangeIsRetainedEvenIfTheListIsDeleted(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.appendAged("a", 1...1, snapshots: [1])
            try test.store.appendAged("b", 1...99, snapshots: [1])
            try test.store.append([.deleted("b", 100)])
            try test.store.pass(olderThan: .max, keepingLast: 0)
            try expectHistory(of: "a", 1...1, in: &test)
            try expectHistory(of: "b", 100...100, in: &test)
            try test.store.append([.exists("b", 101, snapshot: true)])
            try test.store.pass(olderThan: .max, keepingLast: 0)
            try expectHistory(of: "b", 101...101, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func retainedChangesHaveNoGapsEvenIfTheClockWasSetBack(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let times: [Int64] = [10, 20, 90, 30, 40, 95, 50]
            try test.store.append(
                times.enumerated().map {
                    .exists("a", $0.offset + 1, snapshot: true, at: $0.element)
                })
            try test.store.pass(olderThan: 80, keepingLast: 0)
            try expectHistory(of: "a", 3...7, in: &test)
            try test.store.pass(olderThan: 91, keepingLast: 0)
            try expectHistory(of: "a", 6...7, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func pruningDoesNotAffectVersionsTasksAndSummaries(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, count: 1, snapshot: true, inserting: ["t"])])
            try test.store.append((2...9).map { .exists("a", $0, count: 1, snapshot: $0 > 7) })
            let (list, summaries) = try (
                test.store.load("a"), test.store.summaries(after: nil, limit: 9)
            )
            try test.store.pass(olderThan: .max, keepingLast: 0)
            for _ in 0..<2 {
                try #expect(test.store.load("a") == list)
                try #expect(test.store.summaries(after: nil, limit: 9) == summaries)
                try #expect(test.store.lists(containing: ["t"]) == ["t": "a"])
                try test.reopen()
            }
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append([.exists("a", 9)])
            }
            try test.store.append([.exists("a", 10)])
        }
    }

    // MARK: Bounded calls

    @Test(arguments: StoreKind.all)
    func aCallPrunesAtMostItsLimitAndAPassPrunesAll(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let lists = (0..<5).map { "list-\($0)" }
            for list in lists { try test.store.appendAged(list, 1...100, snapshots: [99, 100]) }
            func kept() throws -> Int {
                try lists.reduce(0) { try $0 + test.store.keptVersions(of: $1).count }
            }
            var before = try kept()
            #expect(before == 500)
            var goesOn = true
            while goesOn {
                goesOn = try test.store.pruneChanges(olderThan: .max, keepingLast: 10, limit: 7)
                let now = try kept()
                #expect((0...7).contains(before - now))
                before = now
                if now.isMultiple(of: 10) { try test.reopen() }
            }
            try test.store.pass(olderThan: .max, keepingLast: 10)
            for list in lists { try expectHistory(of: list, 91...100, in: &test) }
        }
    }

    @Test(arguments: StoreKind.all)
    func listsCreatedOrGrownDuringAPassAreLeftToTheNext(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.appendAged("a", 1...20, snapshots: [19, 20])
            try test.store.appendAged("b", 1...20, snapshots: [19, 20])
            let goesOn = try test.store.pruneChanges(olderThan: .max, keepingLast: 5, limit: 20)
            #expect(goesOn)
            try test.store.appendAged("a", 21...30, snapshots: [29, 30])
            try test.store.appendAged("c", 1...20, snapshots: [19, 20])
            try test.store.pass(olderThan: .max, keepingLast: 5)
            try expectHistory(of: "b", 16...20, in: &test)
            try test.store.pass(olderThan: .max, keepingLast: 5)
            try expectHistory(of: "a", 26...30, in: &test)
            try expectHistory(of: "c", 16...20, in: &test)
        }
    }

    // MARK: Aids

    private func expectHistory(
        of list: String, _ versions: ClosedRange<Int>, in test: inout StoreUnderTest
    ) throws {
        let first = versions.lowerBound - 1
        for _ in 0..<2 {
            let changes = try test.store.changes(of: list, after: first, limit: .max)
            #expect(changes == StoredChange.expected(list, versions))
            if first > 0 {
                for version in [0, first - 1] {
                    try #expect(test.store.changes(of: list, after: version, limit: 1) == nil)
                }
            }
            try test.reopen()
        }
    }
}

extension StoredSnapshot {
    static func expected(_ list: String, _ version: Int) -> StoredSnapshot {
        StoredSnapshot(version: version, bytes: ListCommit.snapshot(list, version))
    }
}

extension ListStore {
    /// Appends versions whose time equals their number; the first creates the list.
    func appendAged(_ list: String, _ versions: ClosedRange<Int>, snapshots: Set<Int>) throws {
        try append(
            versions.map {
                .exists(
                    list, $0, snapshot: $0 == 1 || snapshots.contains($0), at: Int64($0))
            })
    }

    /// Prunes until a pass is complete.
    func pass(
        olderThan time: Int64, orFrom future: Int64 = .max, keepingLast: Int, limit: Int = 50
    ) throws {
        while try pruneChanges(
            olderThan: time, orFrom: future, keepingLast: keepingLast, limit: limit)
        {}
    }

    func keptVersions(of list: String) throws -> [Int] {
        let last = try load(list)?.version ?? 0
        for version in 0...last {
            if let kept = try changes(of: list, after: version, limit: .max) {
                return kept.map(\.version)
            }
        }
        return []
    }
}
