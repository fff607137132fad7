import ReorderStore
import Testing

/// The contract's rules about stored responses, for every store.
@Suite
struct StoredResponseContractTests {
    private let key = StoredResponseKey(.list, of: "a", "k")

    @Test(arguments: StoreKind.all)
    func aResponseIsReturnedUnchangedEvenAfterARestart(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let responses = [
                StoredResponse.to(key, at: -5, bytes: (0...255).map(UInt8.init)),
                .to(StoredResponseKey(.list, of: "a", #"!"~K"#), expires: .max, bytes: []),
                .to(
                    StoredResponseKey(.operation, of: "never made", "k"),
                    bytes: [UInt8](repeating: 7, count: 3_000_000)),
            ]
            try test.store.append([], responses: Array(responses.prefix(1)))
            try test.store.append(
                [.exists("b", 1, snapshot: true)], responses: Array(responses.dropFirst()))
            for _ in 0..<2 {
                let found = try test.store.responses(
                    to: responses.map(\.key) + [StoredResponseKey(.list, of: "b", "k")])
                #expect(found == Dictionary(uniqueKeysWithValues: responses.map { ($0.key, $0) }))
                try #expect(test.store.responses(to: []) == [:])
                try #expect(test.store.load("b")?.version == 1)
                try test.reopen()
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func answersAreDistinguishedByScopeOwnerAndKey(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let keys =
                StoredResponseKey.Scope.allCases.map { StoredResponseKey($0, of: "a", "k") }
                + [StoredResponseKey(.list, of: "ak", ""), StoredResponseKey(.list, of: "A", "k")]
                + [StoredResponseKey(.list, of: "a", "K"), StoredResponseKey(.list, of: "b", "k")]
            for (index, key) in keys.enumerated() {
                try test.store.append([], responses: [.to(key, bytes: [UInt8(index)])])
            }
            let found = try test.store.responses(to: keys)
            #expect(keys.map { found[$0]?.bytes } == keys.indices.map { [UInt8($0)] })
        }
    }

    @Test(arguments: StoreKind.all)
    func anUnexpiredResponseIsNotReplacedAndTheAppendWritesNothing(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append(
                [.exists("a", 1, snapshot: true)], responses: [.to(key, at: 0, expires: 100)])
            let other = StoredResponseKey(.task, of: "t", "k")
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append(
                    [.exists("a", 2), .exists("b", 1, snapshot: true)],
                    responses: [.to(other), .to(key, at: 99, expires: 500, bytes: [2])])
            }
            #expect(throws: StoreError.conflict(list: "t")) {
                try test.store.append(
                    [.exists("a", 2)], responses: [.to(other), .to(other, at: 1)])
            }
            for _ in 0..<2 {
                try #expect(test.store.load("a")?.version == 1)
                try #expect(test.store.load("b") == nil)
                let found = try test.store.responses(to: [key, other])
                #expect(found == [key: .to(key, at: 0, expires: 100)])
                try test.reopen()
            }
        }
    }

    @Test(arguments: StoreKind.all)
    func anExpiredResponseIsReplaced(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([], responses: [.to(key, at: 0, expires: 100)])
            let next = StoredResponse.to(key, at: 100, expires: 200, bytes: [2])
            try test.store.append([], responses: [next])
            try test.reopen()
            try #expect(test.store.responses(to: [key]) == [key: next])
            while try test.store.removeResponses(expiredAt: 100, limit: 1) {}
            try #expect(test.store.responses(to: [key]) == [key: next])
        }
    }

    @Test(arguments: StoreKind.all)
    func aConflictingCommitPreventsItsResponses(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            #expect(throws: StoreError.conflict(list: "a")) {
                try test.store.append(
                    [.exists("a", 2, snapshot: true)], responses: [.to(key)])
            }
            try test.reopen()
            try #expect(test.store.responses(to: [key]) == [:])
        }
    }

    @Test(arguments: StoreKind.all)
    func aDeletedListsResponsesAreKept(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            try test.store.append([.exists("a", 1, snapshot: true)], responses: [.to(key)])
            try test.store.append([.deleted("a", 2)])
            try test.reopen()
            try #expect(test.store.responses(to: [key]).count == 1)
            try test.store.append([.exists("a", 3, snapshot: true)])
            while try test.store.pruneChanges(olderThan: .max, keepingLast: 0, limit: 9) {}
            try #expect(test.store.responses(to: [key]).count == 1)
        }
    }

    @Test(arguments: StoreKind.all)
    func expiredResponsesAreRemovedInBoundedStepsAndOthersAreKept(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let keys = (0..<100).map { StoredResponseKey(.list, of: "a", "k\($0)") }
            // Not in the order of their expiry.
            for (index, key) in keys.enumerated() {
                let expires = Int64(index * 37 % 100)
                try test.store.append([], responses: [.to(key, at: -1, expires: expires)])
            }
            try test.reopen()
            var left = 100
            var goesOn = true
            while goesOn {
                goesOn = try test.store.removeResponses(expiredAt: 60, limit: 7)
                let now = try test.store.responses(to: keys).count
                #expect((0...7).contains(left - now))
                left = now
            }
            try #expect(Set(test.store.responses(to: keys).values.map(\.expires)) == Set(61..<100))
            try test.reopen()
            try #expect(test.store.responses(to: keys).count == 39)
            try #expect(test.store.removeResponses(expiredAt: 60, limit: 7) == false)
        }
    }

    @Test(arguments: StoreKind.all)
    func longResponsesAreRemovedFewAtATime(kind: StoreKind) throws {
        try StoreUnderTest.run(kind) { test in
            let keys = (0..<4).map { StoredResponseKey(.list, of: "a", "k\($0)") }
            for key in keys {
                let bytes = [UInt8](repeating: 1, count: 3 << 20)
                try test.store.append([], responses: [.to(key, bytes: bytes)])
            }
            var steps = 1
            while try test.store.removeResponses(expiredAt: .max, limit: 100) { steps += 1 }
            try #expect(test.store.responses(to: keys) == [:])
            if kind.survivesClosing { #expect(steps > 1) }
        }
    }
}

extension StoredResponse {
    static func to(
        _ key: StoredResponseKey, at: Int64 = 0, expires: Int64 = 1_000, bytes: [UInt8] = [1]
    ) -> StoredResponse {
        StoredResponse(key: key, at: at, expires: expires, bytes: bytes)
    }
}
