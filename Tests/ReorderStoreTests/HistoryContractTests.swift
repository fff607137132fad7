import ReorderStore
import Testing

/// The contract's rules about pruning that `RandomOperationTests` does not compare with a model, for every store.
@Suite
struct HistoryContractTests {

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
            #expect(try test.store.prunedVersion(of: list) == first)
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
