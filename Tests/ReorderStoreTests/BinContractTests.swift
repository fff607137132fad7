import ReorderStore
import Testing

/// The contract's rules about deleted lists, for every store.
@Suite
struct BinContractTests {
    private static let binned = ListCommit.Binned(title: "Ärger 🍎\u{0}x", count: 2)

    /// A list with two snapshots and a change after them.
    private func fill(_ store: any ListStore) throws {
        try store.append([
            .exists("a", 1, count: 1, snapshot: true, inserting: ["t"]), .exists("a", 2),
            .exists("a", 3, snapshot: true), .exists("a", 4, count: 2, inserting: ["u"]),
        ])
    }

    private func content(changes: ClosedRange<Int>) -> LoadedList.Content {
        .init(
            snapshot: ListCommit.snapshot("a", 3), snapshotVersion: 3,
            changes: StoredChange.expected("a", changes))
    }

    @Test(arguments: StoreKind.all)
    func aListInTheBinKeepsItsContentAndNothingElse(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try fill(test.store)
            try #expect(test.store.deletedList("a", withContent: true) == nil)
            try test.store.append([.deleted("a", 5, at: 70, binned: Self.binned)])
            for _ in 0..<2 {
                var expected = BinEntry(
                    id: "a", title: Self.binned.title, count: 2, version: 5, deletedAt: 70)
                try #expect(test.store.deletedLists(after: nil, limit: 9) == [expected])
                try #expect(test.store.deletedList("a", withContent: false) == expected)
                expected.content = content(changes: 4...4)
                try #expect(test.store.deletedList("a", withContent: true) == expected)
                try #expect(test.store.snapshots(of: "a").map(\.version) == [1, 3])
                try #expect(test.store.load("a") == LoadedList(version: 5, content: nil))
                try #expect(test.store.lists(containing: ["t", "u"]) == [:])
                try #expect(test.store.summaries(after: nil, limit: 9) == [])
                try test.reopen()
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func listsLeaveTheBinAfterTheirTime(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let ids = (0..<9).map { "l\($0)" }
            for (index, id) in ids.enumerated() {
                try test.store.append([
                    .exists(id, 1, snapshot: true),
                    .deleted(id, 2, at: Int64(100 - index), binned: Self.binned),
                ])
            }
            try test.reopen()
            try #expect(
                test.store.deletedLists(after: "l2", limit: 3).map(\.id) == ["l3", "l4", "l5"])
            try #expect(!test.store.pruneBin(deletedBefore: 92, limit: 2))
            try #expect(test.store.deletedLists(after: nil, limit: 99).map(\.id) == ids)
            try #expect(test.store.pruneBin(deletedBefore: 95, limit: 2))
            while try test.store.pruneBin(deletedBefore: 95, limit: 2) {}
            try test.reopen()
            let left = try test.store.deletedLists(after: nil, limit: 99).map(\.id)
            #expect(left == ["l0", "l1", "l2", "l3", "l4", "l5"])
            try #expect(test.store.deletedList("l6", withContent: true) == nil)
            try #expect(test.store.snapshots(of: "l6") == [])
            try #expect(test.store.snapshots(of: "l5").count == 1)
            try test.store.append([.exists("l6", 3, snapshot: true)])
            try #expect(!test.store.pruneBin(deletedBefore: .max, limit: 99))
            try #expect(test.store.deletedLists(after: nil, limit: 99) == [])
            try #expect(test.store.load("l6")?.content?.snapshotVersion == 3)
        }
    }

    /// In pieces, in the SQLite store.
    @Test(arguments: StoreKind.all)
    func aLongSnapshotIsKeptAndRemoved(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let long = [UInt8](repeating: 7, count: 3_000_000)
            func commit(_ version: Int) -> ListCommit {
                ListCommit(
                    list: "a", version: version, at: 0, change: [], snapshot: long,
                    stateAfter: .exists(title: "", count: 0, open: 0))
            }
            try test.store.append([commit(1)])
            try test.store.append([.deleted("a", 2, binned: Self.binned)])
            try test.reopen()
            try #expect(test.store.deletedList("a", withContent: true)?.content?.snapshot == long)
            try test.store.append([commit(3)])
            try test.store.append([.deleted("a", 4, binned: Self.binned)])
            try #expect(
                test.store.deletedList("a", withContent: true)?.content?.snapshotVersion == 3)
            try #expect(!test.store.pruneBin(deletedBefore: .max, limit: 2))
            try #expect(test.store.snapshots(of: "a") == [])
        }
    }
}
