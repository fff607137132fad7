import Logging
import ReorderEngine
import ReorderStore
import Testing
import Waiting

@testable import ReorderService

/// With an immediate store, the thread that decides a change commits it.
@Suite struct ImmediateCommitTests {
    @Test func aWriteCompletesBeforeTheCallReturns() throws {
        let service = ListService.quiet(MemoryListStore())
        try service.make("l", ["a", "b"])
        try service.make("m")
        for pending in [
            service.ask(.move("a", to: 1, in: "l")),
            service.ask(.transfer("a", from: "l", to: "m")),
            service.ask(.create("c", in: "l")),
        ] {
            #expect(pending.isAnswered)
            #expect(try pending.value().changed)
        }
        #expect(service.read("l").isAnswered)
        #expect(try service.order("m") == ["a"])
        try service.stop()
    }

    /// The retention worker would commit the change too, but later. Here it does nothing.
    @Test func aChangeThatAWorkerDecidesIsCommittedAtOnce() throws {
        var environment = ServiceEnvironment.system
        environment.makeWorker = { name, threadCount in
            if name == "retention worker" { return IdleWorker() }
            return ThreadWorker(name, threadCount: threadCount)
        }
        let service = ListService(
            store: MemoryListStore(), limits: .init(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onLost: { _ in },
            environment: environment)
        try service.make("l", (0...ListService.Limits().tasksOnLoop).map { "t\($0)" })
        try service.stop()
    }

    private final class IdleWorker: Worker {
        let isStopping = false
        func start(first: NextStep, _ step: @escaping @Sendable () -> NextStep) {}
        func wake() {}
        func stop() {}
        func join(until uptime: UInt64) -> Bool { true }
    }

    /// While one thread commits, it also commits what other threads enqueue meanwhile; `stop` waits
    /// for it.
    @Test func theCommittingThreadCommitsConcurrentChanges() throws {
        let store = GatedStore(isImmediate: true)
        let service = ListService.quiet(store)
        for list in ["l", "m", "n"] { try service.make(list, ["\(list)1", "\(list)2"]) }
        store.hold()
        let first = EventLoopThread(service: service).ask(.move("l1", to: 1, in: "l"))
        #expect(try store.nextBatch().map(\.list) == ["l"])
        let move = service.ask(.move("m1", to: 1, in: "m"))
        let both = service.ask(.transfer("n1", from: "n", to: "m"))
        let unchanged = service.ask(.move("l1", to: 1, in: "l"))
        #expect(!move.isAnswered && !both.isAnswered && !unchanged.isAnswered)

        let stopped = service.stopInBackground()
        try waitUntil { service.committer.isStopping }
        store.pass()
        #expect(try store.nextBatch().map(\.list) == ["m", "n", "m"])
        #expect(try unchanged.value().changed == false)
        store.fail()
        #expect(try first.value().version == 2)
        try stopped.wait()
        #expect(try move.failure() == "unavailable")
        #expect(try both.failure() == "unavailable")
        #expect(try store.load("m")?.version == 1)
    }
}
