import Dispatch
import Foundation
import ReorderStore
import StoreTesting
import Synchronization
import Waiting

@testable import ReorderService

/// A memory store whose appends, and optionally reads, wait until the test lets them continue.
final class GatedStore: ForwardingStore {
    let memory = MemoryListStore()
    private let isGated = Atomic<Bool>(false)
    private let batches = Mutex<[(commits: [ListCommit], responses: [StoredResponse])]>([])
    private let verdicts = Mutex<[StoreError?]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let decided = DispatchSemaphore(value: 0)
    private let failure = Mutex<@Sendable ([ListCommit]) -> StoreError?>({ _ in nil })
    private let isTidying = Atomic<Bool>(false)
    private let holdsStored = Atomic<Bool>(false)
    private let stored = DispatchSemaphore(value: 0)
    private let published = DispatchSemaphore(value: 0)

    private let heldReads = Mutex<Set<String>>([])
    private let readArrived = DispatchSemaphore(value: 0)
    private let readPassed = DispatchSemaphore(value: 0)
    private let readFailure = Mutex<StoreError?>(nil)
    /// The number of loads of lists.
    let loadCount = Atomic<Int>(0)

    /// From now on, each `append` waits for `pass` or `fail`.
    func hold() { isGated.store(true, ordering: .sequentiallyConsistent) }

    /// From now on, each load of a list or its snapshots with this name, and each lookup of a task
    /// with this name, waits for `passRead`. A read of the bin waits, after the read, for the name
    /// "bin" and the list.
    func holdReads(of name: String) { heldReads.withLock { _ = $0.insert(name) } }

    /// Waits until a read is waiting.
    func nextRead() throws { try readArrived.waitForSignal() }

    /// Lets the waiting read and all later ones continue.
    ///
    /// - Parameter error: the error that the read throws.
    func passRead(failing error: StoreError? = nil) {
        heldReads.withLock { $0 = [] }
        readFailure.withLock { $0 = error }
        readPassed.signal()
    }

    private func waitToRead(_ names: [String]) throws(StoreError) {
        guard heldReads.withLock({ !$0.isDisjoint(with: names) }) else { return }
        readArrived.signal()
        readPassed.wait()
        let error = readFailure.withLock { failure in
            defer { failure = nil }
            return failure
        }
        if let error { throw error }
    }

    /// From now on, each `append` writes immediately.
    func open() { isGated.store(false, ordering: .sequentiallyConsistent) }

    /// From now on, each `append` that is not held throws this error; nil: none does.
    ///
    /// - Parameter isFailing: whether an `append` of these changes does.
    func fails(
        _ error: StoreError?,
        if isFailing: @escaping @Sendable ([ListCommit]) -> Bool = { _ in true }
    ) {
        failure.withLock { $0 = { isFailing($0) ? error : nil } }
    }

    /// Waits until an `append` is waiting, and returns its changes.
    func nextBatch() throws -> [ListCommit] { try nextAppend().commits }

    /// Waits until an `append` is waiting, and returns its changes and responses.
    func nextAppend() throws -> (commits: [ListCommit], responses: [StoredResponse]) {
        try arrived.waitForSignal()
        return batches.withLock { $0.removeFirst() }
    }

    /// Makes `ask` run while an append of another list is waiting, so that all its writes are in the
    /// next one, and waits for that append.
    ///
    /// - Parameter list: the other list. It exists, and no write of `ask` concerns it.
    func oneAppend(
        during list: String, _ service: ListService, _ ask: () throws -> Void
    ) throws -> (commits: [ListCommit], responses: [StoredResponse]) {
        hold()
        let other = service.ask(.create("\(list)-new", in: list))
        _ = try nextBatch()
        try ask()
        pass()
        _ = try other.value()
        return try nextAppend()
    }

    /// Lets the waiting `append` write.
    func pass() { decide(nil) }

    /// Lets the waiting `append` throw without writing.
    func fail(_ error: StoreError = .unavailable(reason: "a full disk")) { decide(error) }

    private func decide(_ error: StoreError?) {
        verdicts.withLock { $0.append(error) }
        decided.signal()
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        if isGated.load(ordering: .sequentiallyConsistent) {
            batches.withLock { $0.append((commits, responses)) }
            arrived.signal()
            decided.wait()
            if let error = verdicts.withLock({ $0.removeFirst() }) { throw error }
        }
        if let error = failure.withLock(\.self)(commits) { throw error }
        beforeVisible()
        try memory.append(commits, responses: responses)
        guard holdsStored.load(ordering: .sequentiallyConsistent) else { return }
        stored.signal()
        published.wait()
    }

    /// From now on, each `append` waits for `passStored` when its changes are visible in the store.
    func holdStored() { holdsStored.store(true, ordering: .sequentiallyConsistent) }

    /// Waits until an `append` has stored its changes.
    func nextStored() throws { try stored.waitForSignal() }

    /// Lets the `append` that has stored its changes, and all later ones, return.
    func passStored() {
        holdsStored.store(false, ordering: .sequentiallyConsistent)
        published.signal()
    }

    /// From now on, `tidy` lasts until the server stops.
    func tidiesUntilTheStop() { isTidying.store(true, ordering: .sequentiallyConsistent) }

    let tidyCount = Atomic<Int>(0)

    func tidy(while goesOn: () -> Bool) throws(StoreError) {
        tidyCount.add(1, ordering: .sequentiallyConsistent)
        while isTidying.load(ordering: .sequentiallyConsistent), goesOn() { usleep(1_000) }
    }

    func destination() -> any ListStore { memory }

    func load(_ list: String) throws(StoreError) -> LoadedList? {
        loadCount.add(1, ordering: .relaxed)
        try waitToRead([list])
        return try memory.load(list)
    }

    func lists(containing tasks: [String]) throws(StoreError) -> [String: String] {
        try waitToRead(tasks)
        return try memory.lists(containing: tasks)
    }

    func deletedList(_ list: String, withContent: Bool) throws(StoreError) -> BinEntry? {
        let found = try memory.deletedList(list, withContent: withContent)
        try waitToRead(["bin \(list)"])
        return found
    }

    func snapshots(of list: String) throws(StoreError) -> [StoredSnapshot] {
        try waitToRead([list])
        return try memory.snapshots(of: list)
    }
}

/// A service with a gated store and a clock that the test sets. It is stopped when it is released.
final class GatedService: Sendable {
    let store = GatedStore()
    let clock = ManualClock()
    let service: ListService

    init(_ limits: ServiceLimits = .init()) {
        service = .quiet(
            store, limits: limits, clock: clock.now, uptime: clock.environment.uptime)
    }

    deinit {
        store.open()
        // Not waited for: after a failure, an append can still be held.
        stop()
    }

    private let stopping = Mutex<Background?>(nil)

    /// Stops the service on another thread.
    @discardableResult func stop() -> Background {
        stopping.withLock { stopping in
            let started = stopping ?? service.stopInBackground()
            stopping = started
            return started
        }
    }
}
