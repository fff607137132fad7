import Dispatch
import ReorderStore
import Synchronization
import Testing

/// The contract's rules about tokens, for every store.
@Suite
struct TokenContractTests {
    private let first = StoredToken(id: "a-1", bytes: Array("first".utf8))
    private let second = StoredToken(id: "b.2", bytes: [0, 255, 10])

    @Test(arguments: StoreKind.all)
    func tokensAreStoredUntilTheyAreRemoved(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try #expect(test.store.tokens() == [])
            try #expect(test.store.addToken(second))
            try #expect(test.store.addToken(first))
            for _ in 0..<2 {
                try #expect(test.store.tokens() == [first, second])
                try test.reopen()
            }
            try test.store.removeTokens(["none", first.id])
            for _ in 0..<2 {
                try #expect(test.store.tokens() == [second])
                try test.reopen()
            }
            try test.store.removeTokens([])
            try #expect(test.store.addToken(first))
            try test.store.removeTokens([second.id, first.id])
            try #expect(test.store.tokens() == [])
            try #expect(test.store.lastPosition() == 0)
        }
    }

    @Test(arguments: StoreKind.all)
    func aTokenIsNotReplaced(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try #expect(test.store.addToken(first))
            // A repeated call, after a lost response.
            try #expect(test.store.addToken(first))
            #expect {
                _ = try test.store.addToken(StoredToken(id: first.id, bytes: second.bytes))
            } throws: { error in
                if case StoreError.conflict = error { true } else { false }
            }
            try #expect(test.store.tokens() == [first])
        }
    }

    @Test(arguments: StoreKind.all, [false, true])
    func tokensOfAListAreRemovedWithIt(kind: StoreKind, isBinned: Bool) throws {
        let tokens = ["l", "m", "none"].map { StoredToken(id: $0, bytes: [1], list: $0) }
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("l", 1, count: 0, snapshot: true),
                .exists("m", 1, count: 0, snapshot: true),
            ])
            try #expect(test.store.addToken(first))
            try #expect(tokens.map(test.store.addToken) == [true, true, false])
            // A repeated call, after a lost response.
            try #expect(test.store.addToken(tokens[0]))
            try test.store.append([.exists("m", 2, title: "changed", count: 0)])
            try #expect(test.store.tokens() == [first] + tokens[..<2])
            let binned = isBinned ? ListCommit.Binned(title: "L", count: 0) : nil
            try test.store.append([.deleted("l", 2, binned: binned)])
            for _ in 0..<2 {
                try #expect(test.store.tokens() == [first, tokens[1]])
                try #expect(!test.store.addToken(tokens[0]))
                try test.reopen()
            }
            // Another list with the id.
            try test.store.append([.exists("l", 3, count: 0, snapshot: true)])
            try #expect(test.store.tokens() == [first, tokens[1]])
            try #expect(test.store.addToken(tokens[0]))
        }
    }

    @Test(arguments: StoreKind.all)
    func someTokensAreRead(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([
                .exists("l", 1, count: 0, snapshot: true),
                .exists("m", 1, count: 0, snapshot: true),
            ])
            let lists: [String?] = ["l", "m", nil, nil]
            let tokens = (0..<40).map { number -> StoredToken in
                let id = "t-\(10 + number)"
                return StoredToken(id: id, bytes: [UInt8(number)], list: lists[number % 4])
            }
            for token in tokens.shuffled() { try #expect(test.store.addToken(token)) }
            try test.store.removeTokens([tokens[8].id])
            for _ in 0..<2 {
                let (store, removed) = (test.store, tokens[8].id)
                let left = tokens.filter { $0.id != removed }
                try #expect(store.tokens() == left)
                try #expect(store.tokens(.page(after: nil, limit: 9)) == Array(left[..<9]))
                try #expect(store.tokens(.page(after: "t-1", limit: 1)) == [left[0]])
                try #expect(store.tokens(.page(after: left[8].id, limit: 50)) == Array(left[9...]))
                // After an id that is no longer there.
                try #expect(store.tokens(.page(after: tokens[8].id, limit: 1)) == [tokens[9]])
                try #expect(store.tokens(.page(after: "u", limit: 1)) == [])
                let ids = [tokens[7].id, "none", tokens[8].id, tokens[1].id]
                try #expect(store.tokens(.ids(ids)) == [tokens[1], tokens[7]])
                try #expect(store.tokens(.ids([])) == [])
                let links = left.filter { $0.list == "l" }
                try #expect(store.tokens(.links(list: "l")) == links)
                try #expect(store.tokens(.links(list: "none")) == [])
                if let shared = store as? any SharedListStore {
                    try #expect(
                        shared.tokenState() == TokenState(of: left.map(\.id)))
                }
                try test.reopen()
            }
            if let shared = test.store as? any SharedListStore {
                // A token that is stored late, while another one is removed.
                let before = try shared.tokenState()
                try #expect(shared.addToken(StoredToken(id: "t-2", bytes: [])))
                try shared.removeTokens([tokens[3].id])
                let after = try shared.tokenState()
                #expect(after.count == before.count && after != before)
                try #expect(after == TokenState(of: shared.tokens().map(\.id)))
                try shared.removeTokens(["t-2"])
            }
            try test.store.append([.deleted("l", 2)])
            try #expect(test.store.tokens(.links(list: "l")) == [])
            try #expect(test.store.tokens(.links(list: "m")).count == 10)
            try test.store.removeTokens(tokens.map(\.id))
            if let shared = test.store as? any SharedListStore {
                try #expect(shared.tokenState() == TokenState(count: 0, checksum: 0))
            }
        }
    }

    /// A token of a list is never left without its list.
    @Test(arguments: StoreKind.all)
    func aTokenIsAddedBeforeTheDeletionOfItsListOrNot(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            for round in 0..<20 {
                let (list, store) = ("l\(round)", test.store)
                try store.append([.exists(list, 1, count: 0, snapshot: true)])
                let results = Mutex<[Result<Bool, any Error>]>([])
                DispatchQueue.concurrentPerform(iterations: 3) { index in
                    let result = Result {
                        if index == 1 {
                            try store.append([.deleted(list, 2)])
                            return true
                        }
                        return try store.addToken(
                            StoredToken(id: "\(list)-\(index)", bytes: [1], list: list))
                    }
                    results.withLock { $0.append(result) }
                }
                for result in results.withLock(\.self) { _ = try result.get() }
                try #expect(store.tokens() == [])
            }
        }
    }
}
