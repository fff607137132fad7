import Dispatch
import ReorderEngine
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

@Suite struct WorkerThreadsTests {
    typealias Size = WorkerThreads.Size

    @Test func smallWorkDoesNotWaitBehindLargeWork() throws {
        let workers = WorkerThreads()
        let busy = [Size.medium, .large].map { BusyWorkers(workers, $0) }
        let done = DispatchSemaphore(value: 0)
        #expect(workers.run(.small) { done.signal() })
        try done.waitForSignal()
        for busy in busy { busy.release() }
        workers.stop(withinSeconds: hangSeconds)
    }

    @Test func sizesHaveBounds() {
        #expect(Size(bytes: 64 << 10) == .small && Size(bytes: (64 << 10) + 1) == .medium)
        #expect(Size(bytes: 1 << 20) == .medium && Size(bytes: (1 << 20) + 1) == .large)
        #expect(Size(tasks: 1_000) == .small && Size(tasks: 1_001) == .medium)
        #expect(Size(tasks: 10_000) == .medium && Size(tasks: 10_001) == .large)
    }

    @Test(arguments: Size.allCases)
    func theNumberOfWaitingWorkIsBounded(size: Size) {
        let workers = WorkerThreads()
        let busy = BusyWorkers(workers, size)
        let count = Atomic<Int>(0)
        for _ in 0..<size.waitingLimit {
            #expect(workers.run(size) { count.add(1, ordering: .relaxed) })
        }
        #expect(!workers.run(size) { count.add(1, ordering: .relaxed) })
        busy.release()
        workers.stop(withinSeconds: hangSeconds)
        let done = count.load(ordering: .relaxed)
        #expect(done == size.waitingLimit)
    }

    /// A thread can begin a piece of work just before the stop, and end it just after.
    @Test(arguments: 0..<4)
    func stoppingRunsWaitingWorkAtAnyMoment(looks: Int) {
        let stepped = SteppedWorker(stoppingAfterLooks: looks)
        var environment = ServiceEnvironment.system
        environment.makeWorker = { name, _ in name == "medium worker" ? stepped : SteppedWorker() }
        let workers = WorkerThreads(environment)
        let count = Atomic<Int>(0)
        for _ in 0..<3 { #expect(workers.run(.medium) { count.add(1, ordering: .relaxed) }) }
        stepped.runUntilEnd()
        #expect(count.load(ordering: .relaxed) == 3)
    }

    @Test func theBytesOfWaitingWorkAreBounded() {
        let workers = WorkerThreads()
        let busy = BusyWorkers(workers, .large)
        let limit = WorkerThreads.waitingBytesLimit
        #expect(workers.run(.large, holding: 2 * limit) {}, "one piece of work can always wait")
        #expect(!workers.run(.large, holding: 1) {})
        #expect(workers.run(.medium, holding: limit) {})
        busy.release()
        workers.stop(withinSeconds: hangSeconds)

        let others = WorkerThreads()
        let otherBusy = BusyWorkers(others, .large)
        #expect(others.run(.large, holding: limit - 1) {})
        #expect(others.run(.large, holding: 1) {})
        #expect(!others.run(.large, holding: 1) {})
        otherBusy.release()
        others.stop(withinSeconds: hangSeconds)
    }

    @Test func stoppingRunsWaitingWorkAndAbandonsEndlessWork() {
        let workers = WorkerThreads()
        let busy = BusyWorkers(workers, .large)
        let isDone = Atomic<Bool>(false)
        #expect(workers.run(.large) { isDone.store(true, ordering: .relaxed) })
        workers.stop(withinSeconds: 0.01)
        #expect(!workers.run(.small) {})
        busy.release()
        let wasDone = isDone.load(ordering: .relaxed)
        #expect(!wasDone, "the work was dropped")
    }

    @Test func workWithoutAFreeWorkerIsRefusedAndLaterAccepted() throws {
        let service = ListService.quiet(GatedStore())
        try service.make("l", ["a"])
        let busy = BusyWorkers(service.workers, .medium)
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<Size.medium.waitingLimit {
            #expect(service.workers.run(.medium) { done.signal() })
        }
        let many = (0...ServiceLimits().tasksOnLoop).map { "t\($0)" }
        let put = WriteRequest(
            list: "l", action: .put(try .flat(many)), precondition: .exists)
        #expect(try service.ask(put).failure() == "unavailable")
        #expect(try service.ask(.create("b", in: "l")).value().version == 2)
        busy.release()
        for _ in 0..<Size.medium.waitingLimit { try done.waitForSignal() }
        #expect(try service.ask(put).value().version == 3)
        try service.stopIdle()
    }
}
