import ReorderStore
import Testing

/// The rules of `ListStore`'s contract that `RandomOperationTests` does not compare with a model, for every store.
@Suite
struct ListStoreContractTests {
    // MARK: Epochs

    @Test(arguments: StoreKind.all)
    func aStoreThatReplacesAnotherHasAnEpochOfItsOwn(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let epoch = test.store.epoch
            #expect(epoch.utf8.count == StoreEpoch.nameLength)
            #expect(epoch.allSatisfy { "0123456789abcdef".contains($0) })
            try test.store.append([.exists("a", 1, snapshot: true)])
            try test.reopen()
            #expect(test.store.epoch == epoch)
            try test.replace()
            try #expect(test.store.load("a") == nil)
            #expect(test.store.epoch != epoch)
        }
    }

    // MARK: Loading

    @Test(arguments: StoreKind.all)
    func aListThatNeverExistedIsNil(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try #expect(test.store.load("a") == nil)
            try #expect(test.store.changes(of: "a", after: 0, limit: 10) == [])
            try #expect(test.store.summaries(after: nil, limit: 10) == [])
            try #expect(test.store.lists(containing: ["t"]) == [:])
        }
    }

    @Test(arguments: StoreKind.all)
    func bytesAreReturnedUnchanged(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let all = (0...255).map(UInt8.init)
            let long = [UInt8](repeating: 7, count: 3_000_000)
            let outcome = ListCommit.State.exists(title: "Ärger 🍎\u{0}x", count: 0, open: 0)
            try test.store.append([
                ListCommit(
                    list: "a", version: 1, at: 0, change: all, snapshot: long, stateAfter: outcome),
                ListCommit(list: "a", version: 2, at: 0, change: [], stateAfter: outcome),
                ListCommit(list: "a", version: 3, at: 0, change: long, stateAfter: outcome),
                ListCommit(
                    list: "b", version: 1, at: 0, change: [], snapshot: [], stateAfter: outcome),
            ])
            try test.reopen()
            let content = try #require(try test.store.load("a")?.content)
            #expect(content.snapshot == long)
            #expect(content.changes.map(\.bytes) == [[], long])
            let changes = try #require(try test.store.changes(of: "a", after: 0, limit: 1))
            #expect(changes.map(\.bytes) == [all])
            try #expect(test.store.load("b")?.content?.snapshot == [])
            let titles = try test.store.summaries(after: nil, limit: 1).map(\.title)
            #expect(titles == ["Ärger 🍎\u{0}x"])
        }
    }

    // MARK: Conditional and atomic appends

    @Test(arguments: StoreKind.all)
    func anEmptyAppendDoesNothing(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([])
            try #expect(test.store.summaries(after: nil, limit: 1) == [])
        }
    }

    // MARK: Changes

    @Test(arguments: StoreKind.all)
    func changesAreReturnedInPagesFromAnyVersion(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let last = 300
            try test.store.fill("a", to: last)
            try test.store.append([.exists("b", 1, snapshot: true)])
            try test.reopen()
            for limit in [1, 2, 63, 64, 65, 299, 300, 301, .max] {
                for version in [0, 1, 62, 63, 64, 65, 127, 128, 236, 298, 299] {
                    let page = try test.store.changes(of: "a", after: version, limit: limit)
                    let end = limit > last - version ? last : version + limit
                    #expect(page == StoredChange.expected("a", version + 1...end))
                }
            }
            for version in [300, 301, .max] {
                try #expect(test.store.changes(of: "a", after: version, limit: 9) == [])
            }
        }
    }

    // MARK: Summaries

    @Test(arguments: StoreKind.all)
    func summariesAreReturnedInPagesInByteOrder(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let ids = ["-", "-a", ".", "0", "10", "9", "A", "B", "Z", "_", "a", "aa", "b", "~"]
            try test.store.append(
                ids.shuffled().map {
                    .exists($0, 1, title: "title of \($0)", count: $0.utf8.count, snapshot: true)
                })
            try test.store.append([
                .exists("b", 2, title: "new", count: 7, open: 5), .deleted("Z", 2),
                .exists("a", 2, title: "title of a", count: 1, open: 1),
            ])
            try test.reopen()
            let expected = ids.filter { $0 != "Z" }.map {
                $0 == "b"
                    ? IndexedList(id: "b", title: "new", version: 2, count: 7, open: 5)
                    : IndexedList(
                        id: $0, title: "title of \($0)", version: $0 == "a" ? 2 : 1,
                        count: $0.utf8.count, open: $0 == "a" ? 1 : 0)
            }
            for limit in [1, 2, 5, 13, 14, .max] {
                var all: [IndexedList] = []
                while true {
                    let page = try test.store.summaries(after: all.last?.id, limit: limit)
                    #expect(page.count <= limit)
                    if page.isEmpty { break }
                    all += page
                }
                #expect(all == expected)
            }
            try #expect(test.store.summaries(after: "Z", limit: 1).map(\.id) == ["_"])
            try #expect(test.store.summaries(after: "a0", limit: 1).map(\.id) == ["aa"])
        }
    }
}
