import ReorderService
import Synchronization
import Testing

@Suite struct ReplyTests {
    private final class Waiter: Resumable {
        let resumptions = Atomic(0)
        func resume() { resumptions.add(1, ordering: .relaxed) }
        var count: Int { resumptions.load(ordering: .relaxed) }
    }

    private let waiter = Waiter()

    @Test func aRequestThatWaitsIsResumedOnce() throws {
        let reply = Reply<Int>(for: waiter)
        #expect(reply.result == nil)
        reply.fill(.success(1))
        reply.fill(.success(2))
        #expect(try reply.result?.get() == 1)
        #expect(waiter.count == 1)
    }

    /// With the memory store and a full cache, a long poll that loads its list would otherwise
    /// resume itself for ever.
    @Test func aRequestThatHasItsResultAtOnceIsNotResumed() throws {
        let reply = Reply<Int>(for: waiter)
        reply.fill(.success(1))
        #expect(try reply.result?.get() == 1)
        #expect(waiter.count == 0)
    }
}
