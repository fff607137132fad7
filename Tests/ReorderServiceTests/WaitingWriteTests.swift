import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Writes that wait: for a load, for a worker, for an append.
@Suite struct WaitingWriteTests {
    private let gated: GatedService
    private var store: GatedStore { gated.store }
    private var service: ListService { gated.service }

    init() throws {
        var limits = ServiceLimits()
        limits.largeCommit = LargeCommit(tasks: 3, bytes: 32 << 10)
        gated = GatedService(limits)
        try service.make("small", ["x"])
        // A list that is not in memory.
        let other = ListService.quiet(store.memory)
        try other.make("cold", ["c"])
        try other.stopIdle()
    }

    /// The list is in memory before the writer hears of it. A write that arrives then does not overtake those that wait.
    @Test func writesThatWaitForALoadKeepTheirOrder() throws {
        store.holdReads(of: "cold")
        let last = Mutex<Pending<WriteResult>?>(nil)
        let arrived = Background { [service] in
            do {
                let read = service.pending { service, done in
                    service.versionedList(of: "cold") { list in
                        let write = service.ask(.create("last", in: "cold"))
                        try? waitUntil {
                            write.isAnswered || service.load.pending["waiting writes"] == 0
                        }
                        last.withLock { $0 = write }
                        done(list)
                    }
                }
                _ = try read.value()
            } catch {
                Issue.record(error)
            }
        }
        try store.nextRead()
        let first = (0..<3).map { service.ask(.create("first\($0)", in: "cold")) }
        try waitUntil { service.load.pending["waiting writes"] == 0 }
        store.passRead()
        try arrived.wait()
        for (index, write) in first.enumerated() {
            #expect(try write.value().version == index + 2)
        }
        #expect(try last.withLock(\.self)?.value().version == 5)
    }

    /// Wherever a write waits when the server stops, its client gets a response.
    @Test func aStopAnswersEachWrite() throws {
        let many = (0...ServiceLimits().tasksOnLoop).map { "t\($0)" }
        var waiting: [String: [Pending<WriteResult>]] = [:]
        func ask(_ place: String, _ requests: WriteRequest...) {
            waiting[place] = requests.map { service.ask($0) }
        }
        func tasks(_ name: String) -> [String] { (0..<5).map { "\(name)\($0)" } }

        store.holdReads(of: "cold")
        ask("a load", .create("c1", in: "cold"), .create("c2", in: "cold"))
        try store.nextRead()
        let workers = BusyWorkers(service.workers, WorkerThreads.Size(tasks: many.count))
        ask("a worker", try .make("huge", many), .create("h", in: "huge"))
        try waitUntil { service.load.pending["held lists"] == 1 }
        store.hold()
        ask("a large append", try .make("big", tasks("b")), .create("f", in: "big"))
        _ = try store.nextBatch()
        // The append after this one does not begin before the stop.
        store.tidiesUntilTheStop()
        ask("the next large append", try .make("next", tasks("n")), .create("g", in: "next"))
        try waitUntil { service.load.pending["held lists"] == 3 }
        ask("a small append", .create("y", in: "small"), .create("z", in: "small"))
        _ = try store.nextBatch()

        let stopped = Background { [service] in try? service.stop() }
        store.open()
        for _ in 0..<2 { store.pass() }
        try stopped.wait()
        for (place, writes) in waiting {
            for (index, write) in writes.enumerated() {
                #expect(write.isAnswered, "write \(index) that waits for \(place)")
            }
        }
        workers.release()
        store.passRead()
        try waitUntil { service.load.keptForRequests.isEmpty }
    }
}
