import ReorderStore
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
            try test.store.addToken(second)
            try test.store.addToken(first)
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
            try test.store.addToken(first)
            try test.store.removeTokens([second.id, first.id])
            try #expect(test.store.tokens() == [])
            try #expect(test.store.lastPosition() == 0)
        }
    }

    @Test(arguments: StoreKind.all)
    func aTokenIsNotReplaced(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.addToken(first)
            // A repeated call, after a lost response.
            try test.store.addToken(first)
            #expect {
                try test.store.addToken(StoredToken(id: first.id, bytes: second.bytes))
            } throws: { error in
                if case StoreError.conflict = error { true } else { false }
            }
            try #expect(test.store.tokens() == [first])
        }
    }
}
