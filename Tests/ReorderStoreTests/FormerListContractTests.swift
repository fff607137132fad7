import ReorderStore
import Testing

/// The contract's rules about ids that another list had before, for every store.
@Suite struct FormerListContractTests {
    private static let binned = ListCommit.Binned(title: "t", count: 0)

    /// - Parameters:
    ///   - shown: the versions whose changes are shown.
    private func expect(
        _ shown: ClosedRange<Int>, of list: String = "a", in test: inout StoreUnderTest,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<2 {
            let first = shown.lowerBound - 1
            let changes = try test.store.changes(of: list, after: first, limit: .max)
            #expect(changes == StoredChange.expected(list, shown), sourceLocation: location)
            try #expect(test.store.prunedVersion(of: list) == first, sourceLocation: location)
            for version in 0..<first {
                let hidden = try test.store.changes(of: list, after: version, limit: 1)
                #expect(hidden == nil, sourceLocation: location)
            }
            let journal = try #require(try test.store.journal(after: 0, limit: 99))
            try #expect(journal.count == test.store.lastPosition(), sourceLocation: location)
            for entry in journal where entry.list == list {
                #expect(
                    entry.isHidden == !shown.contains(entry.change.version),
                    sourceLocation: location)
            }
            try test.reopen()
        }
    }

    @Test(arguments: StoreKind.all, [nil, binned])
    func aNewListShowsNothingOfTheOneBefore(kind: StoreKind, binned: ListCommit.Binned?) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("other", 1, snapshot: true), .exists("a", 1, snapshot: true),
                .exists("a", 2),
            ])
            try test.store.append([.deleted("a", 3, binned: binned)])
            try expect(binned == nil ? 3...3 : 1...3, in: &test)
            try test.store.append([.exists("a", 4, snapshot: true), .exists("other", 2)])
            try test.store.append([.exists("a", 5)])
            try expect(4...5, in: &test)
            try expect(1...2, of: "other", in: &test)
            try #expect(test.store.load("a")?.content?.changes.map(\.version) == [5])
        }
    }

    @Test(arguments: StoreKind.all)
    func aRestoredListHasItsHistory(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true), .exists("a", 2)])
            try test.store.append([.deleted("a", 3, binned: Self.binned)])
            try test.store.append([.exists("a", 4, snapshot: true, isRestored: true)])
            try expect(1...4, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func aListThatLeavesTheBinIsHidden(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true), .exists("a", 2)])
            try test.store.append([.deleted("a", 3, at: 5, binned: Self.binned)])
            while try test.store.pruneBin(deletedBefore: 5, limit: 1) {}
            try expect(1...3, in: &test)
            while try test.store.pruneBin(deletedBefore: 6, limit: 1) {}
            try expect(3...3, in: &test)
        }
    }

    @Test(arguments: StoreKind.all)
    func aListInTheBinThatIsDeletedIsHidden(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true)])
            try test.store.append([.deleted("a", 2, binned: Self.binned)])
            try test.store.append([.deleted("a", 3)])
            try expect(3...3, in: &test)
        }
    }

    /// The steps of one append have their effects in order.
    @Test(arguments: StoreKind.all)
    func oneAppendHidesToo(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true), .deleted("a", 2),
                .exists("a", 3, snapshot: true), .exists("a", 4),
            ])
            try expect(3...4, in: &test)
            try test.store.append([.deleted("a", 5), .exists("a", 6, snapshot: true)])
            try expect(6...6, in: &test)
        }
    }

    /// Hidden changes are pruned as others are, and do not stop the pruning of later ones.
    @Test(arguments: StoreKind.all)
    func hiddenChangesArePruned(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true, at: 1), .deleted("a", 2, at: 2),
                .exists("a", 3, snapshot: true, at: 3), .exists("a", 4, snapshot: true, at: 4),
                .exists("a", 5, at: 5),
            ])
            while try test.store.pruneChanges(olderThan: 2, keepingLast: 0, limit: 9) {}
            try #expect(test.store.prunedVersion(of: "a") == 2)
            while try test.store.pruneChanges(olderThan: 4, keepingLast: 0, limit: 9) {}
            try #expect(test.store.prunedVersion(of: "a") == 3)
            try #expect(
                test.store.changes(of: "a", after: 3, limit: 9)
                    == StoredChange.expected("a", 4...5))
        }
    }
}
