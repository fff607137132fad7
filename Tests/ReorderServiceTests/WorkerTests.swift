import Dispatch
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Workers with threads of their own.
@Suite struct WorkerTests {
    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        private let stepped = DispatchSemaphore(value: 0)

        var value: Int { count.load(ordering: .sequentiallyConsistent) }

        func step() {
            count.add(1, ordering: .sequentiallyConsistent)
            stepped.signal()
        }

        /// Waits for a step.
        func wait() throws { try stepped.waitForSignal() }
    }

    @Test func aWorkerDoesAStepForEachWake() throws {
        let worker = ThreadWorker("test", threadCount: 1)
        let counter = Counter()
        worker.start(first: .whenWoken) { [unowned worker] in
            guard !worker.isStopping else { return .end }
            counter.step()
            return .whenWoken
        }
        #expect(counter.value == 0)
        for _ in 0..<3 { worker.wake() }
        for _ in 0..<3 { try counter.wait() }
        worker.stopAndJoin()
        #expect(counter.value == 3)
        worker.wake()
        #expect(counter.value == 3)
    }

    @Test func aWorkerDoesAStepWhenItsTimeComes() throws {
        let worker = ThreadWorker("test", threadCount: 1)
        let counter = Counter()
        worker.start(first: .at(0)) { [unowned worker] in
            guard !worker.isStopping else { return .end }
            counter.step()
            return .at(ServiceEnvironment.system.uptime(afterSeconds: 0.001))
        }
        for _ in 0..<3 { try counter.wait() }
        worker.stopAndJoin()
    }

    @Test func allThreadsOfAWorkerEnd() {
        let worker = ThreadWorker("test", threadCount: 3)
        let ends = Counter()
        worker.start(first: .whenWoken) { [unowned worker] in
            guard worker.isStopping else { return .whenWoken }
            ends.step()
            return .end
        }
        worker.stop()
        #expect(worker.join(until: .max))
        #expect(ends.value == 3)
    }

    @Test func aThreadThatDoesNotEndIsAbandoned() throws {
        let worker = ThreadWorker("test", threadCount: 1)
        let release = DispatchSemaphore(value: 0)
        let counter = Counter()
        worker.start(first: .whenWoken) {
            counter.step()
            release.wait()
            return .end
        }
        worker.wake()
        try counter.wait()
        worker.stop()
        #expect(!worker.join(until: ServiceEnvironment.system.uptime(afterSeconds: 0.01)))
        release.signal()
        #expect(worker.join(until: .max))
    }
}
