import ReorderEngine
import ReorderStore
import Synchronization

/// A list in memory: the one place where its next version is decided.
///
/// `@unchecked Sendable`: `state` is used under the lock only; a detached copy is used by one thread.
final class CachedList: @unchecked Sendable {
    let id: String
    /// The state has memory of its own, because each access to a stored property of a class is checked at
    /// run time for overlapping accesses. The lock excludes these.
    private let memory = UnsafeMutablePointer<State>.allocate(capacity: 1)
    /// Whether this is a copy to decide on, which the cache does not have.
    let isCopy: Bool
    /// The list in the cache that this is a copy of.
    private let original: CachedList?
    private let lock = Mutex(())

    init(id: String) {
        self.id = id
        isCopy = false
        original = nil
        memory.initialize(to: State())
    }

    private init(copying list: CachedList) {
        id = list.id
        isCopy = true
        original = list.cached
        memory.initialize(to: list.state)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Under the lock.
    var state: State {
        _read { yield memory.pointee }
        _modify { yield &memory.pointee }
    }

    /// A copy to decide on without the lock. Complexity: O(1). Under the lock.
    func copy() -> CachedList { CachedList(copying: self) }

    /// The list in the cache: this one, or the one that this is a copy of.
    var cached: CachedList { original ?? self }

    func withLock<Value>(_ body: (inout State) -> Value) -> Value {
        lock.withLock { _ in body(&state) }
    }

    /// Runs `body`, which may use `state`, under the lock.
    func locked<Value>(_ body: () -> Value) -> Value { lock.withLock { _ in body() } }

    func withLockIfAvailable<Value>(_ body: (inout State) -> Value) -> Value? {
        lock.withLockIfAvailable { _ in body(&state) }
    }

    struct State: Sendable {
        /// Whether the list was read from the store; before that nothing else here counts.
        var isLoaded = false
        /// Whether this object is out of use: the list has to be read from the store again.
        var isInvalidated = false
        /// What has become of the changes that were not durable when the list was invalidated.
        var failure: CommitTicket.Outcome?

        /// The last version that was decided; 0 if there never was such a list.
        var version = 0 { didSet { responseCache.removeAll() } }
        /// The last version that the store has made durable.
        var durableVersion = 0
        /// The last version that was read from the store, and not decided here.
        var readVersion = 0
        /// Whether the list exists at `version`.
        var exists = false
        /// The list at `version`; empty if it does not exist.
        var list = ReorderableList.absent

        /// Responses that were made of the list at `version`.
        var responseCache = ResponseCache()
        /// What the list was before the changes that are not durable, if other servers may be faster.
        var bases: [Base] = []

        /// How much has to be replayed since the last snapshot, and the size of that, in bytes.
        var bytesSinceSnapshot = 0
        var snapshotBytes = 0

        /// Whether nothing waits to become durable.
        var isDurable: Bool { version == durableVersion }

        /// Whether the store knows as well that there is no such list: it needs no memory.
        var isSettledAbsence: Bool { !exists && isDurable }

        /// The entry of the last version, until it is durable.
        var lastEntry: ListEntry?
        /// The version that was decided last, until the committer has it.
        var decided: ListEntry?

        /// Whether a worker loads the list, or decides on a copy of it.
        var isHeld = false
        /// Requests that wait until it is no longer held, in the order in which they came.
        var parked: [Reply<Void>] = []
        /// How many requests keep the list in memory.
        var pins = 0

        /// Takes what was read from the store.
        ///
        /// - Parameter list: what its snapshot and changes give; empty if it does not exist.
        mutating func load(_ stored: StoredList?, _ list: ReorderableList) {
            version = stored?.version ?? 0
            durableVersion = version
            readVersion = version
            self.list = list
            if let content = stored?.content {
                exists = true
                snapshotBytes = content.snapshot.count
                bytesSinceSnapshot = content.changes.reduce(0) { $0 + $1.bytes.count }
            }
            isLoaded = true
        }

        /// Takes over what was decided on a copy. What the list was leaves with the copy.
        mutating func takeOver(_ copy: inout State) {
            version = copy.version
            exists = copy.exists
            swap(&list, &copy.list)
            bytesSinceSnapshot = copy.bytesSinceSnapshot
            snapshotBytes = copy.snapshotBytes
            decided = copy.decided.take()
        }

        /// The bytes of memory that the cache has counted for this list.
        var chargedBytes = 0
        /// Whether it was used since the cache last looked for lists to remove.
        var isWarm = true

        /// What the list has grown by since this was last called, in bytes.
        mutating func takeGrowth() -> Int {
            let bytes = list.memoryBytes + responseCache.byteCount
            defer { chargedBytes = bytes }
            return bytes - chargedBytes
        }

        mutating func takeChargedBytes() -> Int {
            defer { chargedBytes = 0 }
            return chargedBytes
        }
    }

    /// Marks a version as durable. A list that does not exist any more, now that this is durable, is
    /// invalidated.
    ///
    /// - Returns: whether it is.
    func becameDurable(_ version: Int) -> Bool {
        withLock { state in
            state.durableVersion = version
            if state.isDurable {
                state.bases = []
                state.lastEntry = nil
            }
            if state.isSettledAbsence, !state.isHeld, state.pins == 0 { state.isInvalidated = true }
            return state.isInvalidated
        }
    }

    /// Takes the list out of use.
    ///
    /// - Parameters:
    ///   - failure: what has become of its changes that are not durable.
    ///   - release: called under the lock: what it frees is free for whoever sees the list invalidated,
    ///     and nothing can be taken for the list after it.
    func invalidate(as failure: CommitTicket.Outcome, _ release: () -> Void) {
        withLock { state in
            if !state.isInvalidated { state.failure = failure }
            state.isInvalidated = true
            release()
        }
    }

    /// Takes the list out of use if it was not used since the last call and nothing of it waits to become
    /// durable, and returns the bytes that were charged for it.
    func evictIfCold() -> Int? {
        let bytes = withLockIfAvailable { state -> Int? in
            defer { state.isWarm = false }
            // One that is not loaded yet is about to be, and takes no memory.
            guard state.isLoaded, !state.isWarm, state.isDurable, !state.isHeld, state.pins == 0
            else { return nil }
            state.isInvalidated = true
            return state.takeChargedBytes()
        }
        return bytes ?? nil
    }

    var isInvalidated: Bool { withLock { $0.isInvalidated } }

    /// What has become of its changes that were not durable when it was invalidated.
    var failure: CommitTicket.Outcome? { withLock { $0.failure } }
}

extension ReorderableList {
    /// The content of a list that does not exist. One for all: making one takes memory.
    static let absent = ReorderableList(settings: ListSettings(title: ""))
}
