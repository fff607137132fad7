import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// The tokens that several servers of a store use.
@Suite struct StoredTokenTests {
    private let hub = SharedMemory()

    /// The tokens that a server accepts.
    private final class Followed: Sendable {
        private let tokens = Mutex<[String: StoredToken]>([:])
        private let counts = Mutex((all: 0, some: 0))

        /// How often all tokens were reported, and how many single tokens.
        var reports: (all: Int, some: Int) { counts.withLock(\.self) }
        var ids: [String] { tokens.withLock { $0.keys.sorted() } }

        func take(_ news: TokenNews) {
            switch news {
            case .all(let all):
                tokens.withLock { tokens in
                    tokens = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
                }
                counts.withLock { $0.all += 1 }
            case .some(let some, let removed):
                tokens.withLock { tokens in
                    for id in removed { tokens[id] = nil }
                    for token in some { tokens[token.id] = token }
                }
                counts.withLock { $0.some += some.count + removed.count }
            }
        }
    }

    private func token(_ id: String) -> StoredToken { StoredToken(id: id, bytes: Array(id.utf8)) }

    /// A server learns of a new and of a removed token by a notification, and without one by its
    /// regular poll.
    @Test(arguments: [true, false])
    func allServersGetTheTokens(tells: Bool) throws {
        let services = (0..<2).map { _ in
            ListService.quiet(
                SharedFront(hub, tells: tells, secondsBetweenPolls: tells ? 3_600 : 0.02))
        }
        let seen = Followed()
        try services[1].followTokens(seen.take)
        var old: [String] = []
        for ids in [["a"], ["a", "c"], ["c"], ["c", "d"], ["b", "d"], ["b"], []] {
            try services[0].changeTokens {
                TokenChange(
                    removed: old.filter { !ids.contains($0) },
                    added: ids.first { !old.contains($0) }.map(token))
            }
            old = ids
            try waitUntil { seen.ids == ids }
        }
        // A notification makes a server read one token, and not all. The first poll can meet the first change.
        if tells { #expect(seen.reports.all <= 2) }
        for service in services { try service.stopIdle() }
    }

    /// A notification that comes while the store can't be read is not forgotten.
    @Test func aFailedReadIsRepeated() throws {
        let front = SharedFront(hub, secondsBetweenPolls: 3_600)
        let (other, service) = (ListService.quiet(SharedFront(hub)), ListService.quiet(front))
        let seen = Followed()
        try service.followTokens(seen.take)
        front.setAway(true)
        try other.changeTokens { TokenChange(added: token("a")) }
        try waitUntil { !service.isReady }
        front.setAway(false)
        try waitUntil { seen.ids == ["a"] }
        for service in [other, service] { try service.stopIdle() }
    }

    @Test func aRefusedChangeChangesNothing() throws {
        struct Refusal: Error {}
        let service = ListService.quiet(MemoryListStore())
        try service.changeTokens { TokenChange(added: token("a")) }
        #expect(throws: Refusal.self) { try service.changeTokens { throw Refusal() } }
        try #expect(service.tokens(.page(after: nil, limit: 9)) == [token("a")])
        try service.stopIdle()
    }

    /// What another server has removed is in effect before the decision, also without a notification.
    @Test func aDecisionSeesTheTokensThatItIsAbout() throws {
        let services = (0..<2).map { _ in
            ListService.quiet(SharedFront(hub, tells: false, secondsBetweenPolls: 3_600))
        }
        let seen = Followed()
        for id in ["a", "b"] {
            try services[0].changeTokens { TokenChange(added: token(id)) }
        }
        try services[1].followTokens(seen.take)
        try services[0].changeTokens { TokenChange(removed: ["a"], added: token("c")) }
        #expect(seen.ids == ["a", "b"])
        try services[1].changeTokens(after: ["a", "c"]) {
            #expect(seen.ids == ["b", "c"])
            return TokenChange()
        }
        for service in services { try service.stopIdle() }
    }

    /// Counts the tokens that are read.
    private final class CountingStore: ForwardingStore {
        private let memory = MemoryListStore()
        let readCount = Atomic<Int>(0)

        func destination() -> any ListStore { memory }

        func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
            let found = try memory.tokens(query)
            readCount.add(found.count, ordering: .sequentiallyConsistent)
            return found
        }
    }

    /// The number of other tokens has no influence.
    @Test func aChangeReadsOnlyTheTokensThatItIsAbout() throws {
        let store = CountingStore()
        for number in 0..<5_000 { _ = try store.addToken(token("t\(1_000_000 + number)")) }
        let service = ListService.quiet(store)
        let seen = Followed()
        try service.followTokens(seen.take)
        #expect(store.readCount.load(ordering: .sequentiallyConsistent) == 5_000)
        for number in 0..<10 {
            let id = "u\(number)"
            try service.changeTokens { TokenChange(added: token(id)) }
            try service.changeTokens(after: [id]) { TokenChange(removed: [id]) }
        }
        #expect(store.readCount.load(ordering: .sequentiallyConsistent) == 5_010)
        #expect(seen.reports == (all: 1, some: 30))
        try service.stopIdle()
    }
}
