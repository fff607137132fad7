import ReorderStore
import Testing

/// Each rule of `ListStore`'s contract, for every store.
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
    func loadReturnsTheNewestSnapshotAndTheChangesAfterIt(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true)])
            try test.store.append([.exists("a", 2), .exists("a", 3, snapshot: true)])
            try test.store.append([.exists("a", 4), .exists("a", 5)])
            try test.reopen()
            let content = StoredList.Content(
                snapshot: ListCommit.snapshot("a", 3), snapshotVersion: 3,
                changes: StoredChange.expected("a", 4...5))
            try #expect(test.store.load("a") == StoredList(version: 5, content: content))
        }
    }

    @Test(arguments: StoreKind.all)
    func theNewerOfTwoSnapshotsInOneAppendIsUsed(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true), .exists("a", 2, snapshot: true), .exists("a", 3),
            ])
            let content = try #require(try test.store.load("a")?.content)
            #expect(content.snapshotVersion == 2)
            #expect(content.snapshot == ListCommit.snapshot("a", 2))
            #expect(content.changes == StoredChange.expected("a", 3...3))
        }
    }

    @Test(arguments: StoreKind.all)
    func bytesAreReturnedUnchanged(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let all = (0...255).map(UInt8.init)
            let long = [UInt8](repeating: 7, count: 3_000_000)
            let outcome = ListCommit.Outcome.exists(title: "Ärger 🍎\u{0}x", count: 0, open: 0)
            try test.store.append([
                ListCommit(
                    list: "a", version: 1, at: 0, change: all, snapshot: long, outcome: outcome),
                ListCommit(list: "a", version: 2, at: 0, change: [], outcome: outcome),
                ListCommit(list: "a", version: 3, at: 0, change: long, outcome: outcome),
                ListCommit(
                    list: "b", version: 1, at: 0, change: [], snapshot: [], outcome: outcome),
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
    func onlyTheNextVersionIsWritten(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append([.exists("a", 2, snapshot: true)])
            }
            try test.store.append([.exists("a", 1, snapshot: true), .exists("a", 2)])
            try test.reopen()
            for version in [-1, 0, 1, 2, 4] {
                #expect(throws: StoreError.conflict(list: "a")) {
                    try test.store.append([.exists("a", version, snapshot: true)])
                }
                #expect(throws: StoreError.conflict(list: "a")) {
                    try test.store.append([.deleted("a", version)])
                }
            }
            try test.store.append([.exists("a", 3)])
            try #expect(test.store.load("a")?.version == 3)
        }
    }

    @Test(arguments: StoreKind.all)
    func aChangeWithoutASnapshotNeedsAnExistingList(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append([.exists("a", 1)])
            }
            try test.store.append([.exists("a", 1, snapshot: true), .deleted("a", 2)])
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append([.exists("a", 3)])
            }
            try #expect(test.store.load("a") == StoredList(version: 2, content: nil))
        }
    }

    @Test(arguments: StoreKind.all)
    func aBatchWhoseLastCommitConflictsWritesNothing(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, title: "A", count: 1, snapshot: true, inserting: ["t1"]),
                .exists("gone", 1, snapshot: true, inserting: ["t2"]),
            ])
            #expect(throws: StoreError.conflict(list: "c")) {
                try test.store.append([
                    .exists("a", 2, title: "B", count: 2, snapshot: true, inserting: ["t3"]),
                    .exists("a", 3, count: 1, deleting: ["t1"]),
                    .exists("new", 1, snapshot: true, inserting: ["t4"]),
                    .deleted("gone", 2),
                    .exists("c", 7, snapshot: true),
                ])
            }
            for _ in 0..<2 {
                try #expect(test.store.load("a")?.version == 1)
                try #expect(test.store.load("a")?.content?.snapshotVersion == 1)
                try #expect(test.store.load("new") == nil)
                try #expect(test.store.load("gone")?.version == 1)
                try #expect(test.store.changes(of: "a", after: 0, limit: 9)?.count == 1)
                try #expect(test.store.summaries(after: nil, limit: 9).map(\.id) == ["a", "gone"])
                try #expect(test.store.summaries(after: nil, limit: 1).first?.title == "A")
                let holders = try test.store.lists(containing: ["t1", "t2", "t3", "t4"])
                #expect(holders == ["t1": "a", "t2": "gone"])
                try test.reopen()
            }
            try test.store.append([.exists("a", 2), .exists("new", 1, snapshot: true)])
        }
    }

    @Test(arguments: StoreKind.all)
    func anEmptyAppendDoesNothing(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([])
            try #expect(test.store.summaries(after: nil, limit: 1) == [])
        }
    }

    // MARK: Versions are not reused

    @Test(arguments: StoreKind.all)
    func aDeletedListsVersionsContinue(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, count: 1, snapshot: true, inserting: ["t"])])
            try test.store.append([.deleted("a", 2)])
            try test.reopen()
            try #expect(test.store.load("a") == StoredList(version: 2, content: nil))
            try #expect(test.store.lists(containing: ["t"]) == [:])
            try #expect(test.store.summaries(after: nil, limit: 9) == [])
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append([.exists("a", 1, snapshot: true)])
            }
            try test.store.append([.exists("a", 3, snapshot: true, inserting: ["t"])])
            try test.reopen()
            let content = StoredList.Content(
                snapshot: ListCommit.snapshot("a", 3), snapshotVersion: 3, changes: [])
            try #expect(test.store.load("a") == StoredList(version: 3, content: content))
            let changes = try test.store.changes(of: "a", after: 0, limit: 9)
            #expect(changes == StoredChange.expected("a", 1...3))
            try #expect(test.store.lists(containing: ["t"]) == ["t": "a"])
        }
    }

    // MARK: Task ids

    @Test(arguments: StoreKind.all)
    func aTaskIsInOneListOnly(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true, inserting: ["t", "u"])])
            try test.reopen()
            #expect(throws: StoreError.taskTaken(id: "t")) {
                try test.store.append([.exists("b", 1, snapshot: true, inserting: ["v", "t"])])
            }
            #expect(throws: StoreError.taskTaken(id: "w")) {
                try test.store.append([
                    .exists("c", 1, snapshot: true, inserting: ["w"]),
                    .exists("d", 1, snapshot: true, inserting: ["w"]),
                ])
            }
            let holders = try test.store.lists(containing: ["t", "u", "v", "w", "t"])
            #expect(holders == ["t": "a", "u": "a"])
        }
    }

    @Test(arguments: StoreKind.all)
    func aTaskMovesBetweenListsWithinOneAppendInOrder(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true, inserting: ["t", "u"]),
                .exists("b", 1, snapshot: true),
            ])
            #expect(throws: StoreError.taskTaken(id: "t")) {
                try test.store.append([
                    .exists("b", 2, inserting: ["t"]), .exists("a", 2, deleting: ["t"]),
                ])
            }
            try test.store.append([
                .exists("a", 2, deleting: ["t"]), .exists("b", 2, inserting: ["t"]),
            ])
            try #expect(test.store.lists(containing: ["t", "u"]) == ["t": "b", "u": "a"])
            try test.store.append([.deleted("a", 3), .exists("b", 3, inserting: ["u"])])
            try #expect(test.store.lists(containing: ["t", "u"]) == ["t": "b", "u": "b"])
        }
    }

    @Test(arguments: StoreKind.all)
    func insertingAPresentTaskAndDeletingAnAbsentOneDoNothing(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true, inserting: ["t"]),
                .exists("b", 1, snapshot: true, inserting: ["u"]),
                .exists("a", 2, inserting: ["t"], deleting: ["u", "x"]),
                .exists("b", 2, inserting: ["u"], deleting: ["u"]),
            ])
            try #expect(test.store.lists(containing: ["t", "u", "x"]) == ["t": "a", "u": "b"])
        }
    }

    @Test(arguments: StoreKind.all)
    func aListCreatedAndDeletedInOneAppendHoldsNoTasks(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("a", 1, snapshot: true, inserting: ["t"]), .deleted("a", 2),
                .exists("b", 1, snapshot: true, inserting: ["t"]),
                .exists("a", 3, snapshot: true, inserting: ["u"]),
            ])
            try #expect(test.store.lists(containing: ["t", "u"]) == ["t": "b", "u": "a"])
            try #expect(test.store.load("a")?.content?.snapshotVersion == 3)
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
                    ? ListSummary(id: "b", title: "new", version: 2, count: 7, open: 5)
                    : ListSummary(
                        id: $0, title: "title of \($0)", version: $0 == "a" ? 2 : 1,
                        count: $0.utf8.count, open: $0 == "a" ? 1 : 0)
            }
            for limit in [1, 2, 5, 13, 14, .max] {
                var all: [ListSummary] = []
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
