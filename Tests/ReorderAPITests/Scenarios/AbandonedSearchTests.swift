import Dispatch
import Logging
import MicroHTTP
import ReorderAPI
import ReorderService
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

/// A search whose client leaves while it waits for a thread.
@Suite struct AbandonedSearchTests {
    /// Counts the reads of the index, with which a search begins.
    private final class CountingStore: ForwardingStore {
        private let memory = MemoryListStore()
        let reads = Atomic<Int>(0)

        func destination() throws(StoreError) -> any ListStore { memory }

        func summaries(after list: String?, limit: Int) throws(StoreError) -> [IndexedList] {
            reads.add(1, ordering: .relaxed)
            return try memory.summaries(after: list, limit: limit)
        }
    }

    @Test(arguments: [false, true])
    func aSearchThatNobodyWaitsForIsNotBegun(isAbandoned: Bool) throws {
        let store = CountingStore()
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { _ in })
        defer { try? service.stopIdle() }
        let (began, passed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = 0..<WorkerThreads.Size.search.threadCount
        for _ in threads {
            let isTaken = service.workers.run(.search) {
                began.signal()
                passed.wait()
            }
            #expect(isTaken)
        }
        for _ in threads { try began.waitForSignal() }
        let resumed = DispatchSemaphore(value: 0)
        let exchange = InProcessExchange(
            Request(method: .get, target: "/tasks"), ReorderAPI(service: service).makeRouter(),
            uptime: { 1 }
        ) { resumed.signal() }
        #expect(exchange.proceed() == nil)
        if isAbandoned {
            exchange.endWaiting()
            #expect(exchange.proceed() == nil)
        }
        for _ in threads { passed.signal() }
        var response: Response?
        while response == nil {
            try resumed.waitForSignal()
            response = exchange.proceed()
        }
        #expect(response?.status == (isAbandoned ? 503 : 200))
        #expect(store.reads.load(ordering: .relaxed) == (isAbandoned ? 0 : 1))
    }
}
