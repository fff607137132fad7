import ReorderStore
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// The tokens that several servers of a store use.
@Suite struct StoredTokenTests {
    private let hub = SharedMemory()

    private func token(_ id: String) -> StoredToken { StoredToken(id: id, bytes: Array(id.utf8)) }

    /// A server learns of a new and of a removed token by a notification, and without one by its
    /// regular poll.
    @Test(arguments: [true, false])
    func allServersGetTheTokens(tells: Bool) throws {
        let services = (0..<2).map { _ in
            ListService.quiet(
                SharedFront(hub, tells: tells, secondsBetweenPolls: tells ? 3_600 : 0.02))
        }
        let seen = Mutex<[StoredToken]>([])
        try services[1].followTokens { tokens in seen.withLock { $0 = tokens } }
        for ids in [["a"], ["a", "b"], ["b"], []] {
            try services[0].changeTokens { stored in
                let old = stored.map(\.id)
                return TokenChange(
                    removed: old.filter { !ids.contains($0) },
                    added: ids.first { !old.contains($0) }.map(token))
            }
            try waitUntil { seen.withLock { $0.map(\.id) } == ids }
        }
        for service in services { try service.stop() }
    }

    /// A notification that comes while the store can't be read is not forgotten.
    @Test func aFailedReadIsRepeated() throws {
        let front = SharedFront(hub, secondsBetweenPolls: 3_600)
        let (other, service) = (ListService.quiet(SharedFront(hub)), ListService.quiet(front))
        let seen = Mutex<[StoredToken]>([])
        try service.followTokens { tokens in seen.withLock { $0 = tokens } }
        front.setAway(true)
        try other.changeTokens { _ in TokenChange(added: token("a")) }
        try waitUntil { !service.isReady }
        front.setAway(false)
        try waitUntil { seen.withLock { $0 } == [token("a")] }
        for service in [other, service] { try service.stop() }
    }

    @Test func aRefusedChangeChangesNothing() throws {
        struct Refusal: Error {}
        let service = ListService.quiet(MemoryListStore())
        try service.changeTokens { _ in TokenChange(added: token("a")) }
        #expect(throws: Refusal.self) {
            try service.changeTokens { stored in
                #expect(stored == [token("a")])
                throw Refusal()
            }
        }
        try #expect(service.currentTokens() == [token("a")])
        try service.stop()
    }
}
