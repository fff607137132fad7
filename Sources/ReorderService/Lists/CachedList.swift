import ReorderEngine
import ReorderStore
import Synchronization

/// A list in memory. All requests of this server decide on this object.
///
/// `@unchecked Sendable`: `state` is used only under the lock; a copy is used by one thread.
final class CachedList: @unchecked Sendable {
    let id: String
    /// Use it only under the lock, and don't use it in a closure that has it as `inout`: for speed,
    /// overlapping accesses are not detected at run time.
    @exclusivity(unchecked) var state: State
    /// The cached list that this is a copy of; nil if this is not a copy.
    private let original: CachedList?
    private let lock = Mutex(())

    init(id: String) {
        self.id = id
        state = State(id: id)
        original = nil
    }

    private init(copying list: CachedList) {
        id = list.id
        original = list.cached
        state = list.state
    }

    /// A copy to decide on without the lock. Complexity: O(1). Call this under the lock.
    func copy() -> CachedList { CachedList(copying: self) }

    /// Whether this is a copy to decide on, which is not in the cache.
    var isCopy: Bool { original != nil }

    /// The cached list: this one, or the original of a copy.
    var cached: CachedList { original ?? self }

    func withLock<Value>(_ body: (inout State) -> Value) -> Value {
        lock.withLock { _ in body(&state) }
    }

    /// Runs `body`, which can use `state`, under the lock.
    func locked<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try lock.withLock { _ throws(Failure) in try body() }
    }

    func withLockIfAvailable<Value>(_ body: (inout State) -> Value) -> Value? {
        lock.withLockIfAvailable { _ in body(&state) }
    }

    struct State: Sendable {
        /// Whether the list was loaded from the store. Before that, the other values have no
        /// meaning.
        var isLoaded = false
        /// Whether this object must not be used any more: the list must be loaded from the store
        /// again.
        var isInvalidated = false
        /// The outcome of the changes that were not durable when the list was invalidated.
        var failure: CommitTicket.Outcome?

        /// The list at the last decided version. Use `put` to change its version.
        var current: WorkingList

        /// The last durable version.
        var durableVersion = 0
        /// The last version that was read from the store rather than decided here.
        var readVersion = 0
        /// Responses rendered from the list at `version`.
        var responseCache = ResponseCache()
        /// Earlier states, kept while changes are not durable. The list goes back to one of them if
        /// another server was faster.
        var bases: [WorkingList] = []

        /// Whether all decided versions are durable.
        var isDurable: Bool { version == durableVersion }

        /// Whether the list does not exist and the store knows it, so that it needs no memory.
        var isSettledAbsence: Bool { !exists && isDurable }

        /// The ticket of the last version until it is durable.
        var lastTicket: CommitTicket?
        /// The entry of the last decided version until the committer has it.
        var decided: QueuedCommit?

        /// Whether a worker is loading the list or deciding on a copy of it.
        var isBusy = false
        /// Requests that wait until the list is no longer busy, in order of arrival.
        var parked: [Reply<Void>] = []
        /// The number of requests that keep the list in memory.
        var pins = 0

        init(id: String) { current = WorkingList(id: id) }

        var version: Int { current.version }
        var exists: Bool { current.exists }
        var list: ReorderableList { current.list }
        var steps: RecentSteps? { current.steps }

        /// Sets the state that was read from the store.
        ///
        /// - Parameter list: the list from the snapshot and its changes; empty if it does not
        ///   exist.
        mutating func load(_ stored: StoredList?, _ list: ReorderableList) {
            var loaded = WorkingList(id: current.id)
            loaded.version = stored?.version ?? 0
            loaded.list = list
            if let content = stored?.content {
                loaded.exists = true
                loaded.snapshotBytes = content.snapshot.count
                loaded.bytesSinceSnapshot = content.changes.reduce(0) { $0 + $1.bytes.count }
            }
            putDurable(loaded)
            isLoaded = true
        }

        /// Takes the list to change it in place. Put it back before the lock is released.
        mutating func take() -> WorkingList {
            defer {
                current.list = .absent
                current.steps = nil
            }
            return current
        }

        mutating func put(_ list: WorkingList) {
            if list.version != version { responseCache.removeAll() }
            current = list
        }

        /// Sets the list to a state that was read from the store.
        mutating func putDurable(_ list: WorkingList) {
            put(list)
            durableVersion = list.version
            readVersion = list.version
        }

        /// Takes over the state that was decided on a copy. The previous list is released with the
        /// copy.
        mutating func takeOver(_ copy: inout State) {
            let previous = current
            put(copy.current)
            copy.current = previous
            decided = copy.decided.take()
        }

        /// The bytes that the cache has counted for this list.
        var chargedBytes = 0
        /// Whether the list was used since the cache last looked for lists to evict.
        var isWarm = true

        /// Returns the growth in bytes since the last call.
        mutating func takeGrowth() -> Int {
            let bytes = list.memoryBytes + responseCache.byteCount + (steps?.byteCount ?? 0)
            defer { chargedBytes = bytes }
            return bytes - chargedBytes
        }

        mutating func takeChargedBytes() -> Int {
            defer { chargedBytes = 0 }
            return chargedBytes
        }
    }

    /// Marks a version as durable. If the list does not exist any more, it is invalidated.
    ///
    /// - Returns: whether it is invalidated.
    func becameDurable(_ version: Int) -> Bool {
        withLock { state in
            state.durableVersion = version
            if state.isDurable {
                state.bases = []
                state.lastTicket = nil
            }
            if state.isSettledAbsence, !state.isBusy, state.pins == 0 { state.isInvalidated = true }
            return state.isInvalidated
        }
    }

    /// Invalidates the list.
    ///
    /// - Parameters:
    ///   - failure: the outcome of its changes that are not durable.
    ///   - release: called under the lock. After it, nothing can be reserved for this list any
    ///     more.
    func invalidate(as failure: CommitTicket.Outcome, _ release: () -> Void) {
        withLock { state in
            if !state.isInvalidated { state.failure = failure }
            state.isInvalidated = true
            release()
        }
    }

    /// Invalidates the list if it was not used since the last call and all its versions are
    /// durable. Returns the bytes that were counted for it.
    func evictIfCold() -> Int? {
        let bytes = withLockIfAvailable { state -> Int? in
            defer { state.isWarm = false }
            // A list that is not loaded yet uses no memory and is about to be loaded.
            guard state.isLoaded, !state.isWarm, state.isDurable, !state.isBusy, state.pins == 0
            else { return nil }
            state.isInvalidated = true
            return state.takeChargedBytes()
        }
        return bytes ?? nil
    }

    var isInvalidated: Bool { withLock { $0.isInvalidated } }

    /// The outcome of the changes that were not durable when the list was invalidated.
    var failure: CommitTicket.Outcome? { withLock { $0.failure } }
}
