import ReorderEngine
import ReorderStore
import Synchronization

/// A list in memory: the one place where its next version is decided.
final class LoadedList: Sendable {
    let id: String
    let state = Mutex(State())

    init(id: String) {
        self.id = id
    }

    struct State: Sendable {
        /// Whether the list was read from the store; before that nothing else here counts.
        var isLoaded = false
        /// Set once the list has to be read from the store again: this object is then out of use.
        var isRetired = false
        /// What that means to those who wait; `nil` where it was not for a failure.
        var failure: ServiceError?

        /// The last version that was decided; 0 where there never was such a list.
        var version = 0 { didSet { renderings.removeAll() } }
        /// The last version that the store has made durable.
        var durableVersion = 0
        /// The last version that was read from the store, and not decided here.
        var readVersion = 0
        /// Whether the list exists at `version`.
        var exists = false
        /// The list at `version`; empty where it does not exist.
        var list = ReorderableList.absent

        /// What was made of the list at `version`.
        var renderings = Renderings()
        /// What the list was before what is not durable yet, where other servers may be faster.
        var bases: [Base] = []

        /// What replaying from the last snapshot costs, and what that snapshot cost, in bytes.
        var bytesSinceSnapshot = 0
        var snapshotBytes = 0

        /// Whether nothing waits to become durable.
        var isDurable: Bool { version == durableVersion }

        /// Whether the store knows as well that there is no such list: it needs no memory.
        var isSettledAbsence: Bool { !exists && isDurable }

        /// Those who wait for a version to become durable, oldest version first.
        var waiters: [Waiter] = []

        /// The version that was decided last, until the committer has it.
        var decided: Committer.Entry?

        /// Whether a worker loads the list, or decides on a copy of it.
        var isHeld = false
        /// Those who wait until it is no longer held, in the order in which they came.
        var arrivals: [Arrival] = []
        /// While those go on who waited, the list stays in memory: more than 0.
        var pins = 0
        /// Whether this is a copy that a worker decides on, so that deciding may take long.
        var isWorkersCopy = false

        mutating func takeDecided() -> Committer.Entry? {
            defer { decided = nil }
            return decided
        }

        /// Takes what was read from the store.
        ///
        /// - Parameter list: what its snapshot and changes give; empty where it does not exist.
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
            decided = copy.takeDecided()
        }

        /// The bytes of memory that the cache has counted for this list.
        var chargedBytes = 0
        /// Whether it was asked for since the cache last looked.
        var isWarm = true

        /// What the list has grown by since it was last asked, in bytes.
        mutating func takeGrowth() -> Int {
            let bytes = list.memoryBytes + renderings.byteCount
            defer { chargedBytes = bytes }
            return bytes - chargedBytes
        }

        mutating func takeChargedBytes() -> Int {
            defer { chargedBytes = 0 }
            return chargedBytes
        }
    }

    /// Called once, never under a lock, with why the list could not be loaded, if so.
    typealias Arrival = @Sendable (ServiceError?) -> Void

    struct Waiter: Sendable {
        var version: Int
        /// Called once, with whether the version is durable; never under a lock.
        var completion: @Sendable (_ isDurable: Bool) -> Void
    }

    /// Calls back once all that is decided by now is durable, or failed to become so; of what is just
    /// being decided on a copy, once it is decided.
    func whenDurable(_ completion: @escaping @Sendable (_ isDurable: Bool) -> Void) {
        let isDurable = state.withLock { state -> Bool? in
            if state.isHeld, !state.isRetired {
                state.arrivals.append { completion($0 == nil) }
                return nil
            }
            if state.isDurable { return true }
            if state.isRetired { return false }
            state.waiters.append(Waiter(version: state.version, completion: completion))
            return nil
        }
        if let isDurable { completion(isDurable) }
    }

    /// Marks versions as durable and adds those who waited for them to `done`.
    ///
    /// A list that does not exist any more, now that this is durable, is taken out of use.
    ///
    /// - Returns: whether it is.
    func becameDurable(_ version: Int, _ done: inout [Waiter]) -> Bool {
        state.withLock { state in
            state.durableVersion = version
            if state.isDurable { state.bases = [] }
            if state.isSettledAbsence, !state.isHeld, state.pins == 0 { state.isRetired = true }
            if state.isDurable {
                done += state.waiters
                state.waiters = []
            } else {
                let count = state.waiters.prefix { $0.version <= version }.count
                done += state.waiters.prefix(count)
                state.waiters.removeFirst(count)
            }
            return state.isRetired
        }
    }

    /// Takes the list out of use and gives all who wait.
    ///
    /// - Parameters:
    ///   - failure: what they are to be told.
    ///   - release: called under the list's lock: what it frees is free for whoever sees the list
    ///     retired, and nothing can be taken for the list after it.
    func retire(as failure: ServiceError, _ release: () -> Void) -> [Waiter] {
        state.withLock { state in
            if !state.isRetired { state.failure = failure }
            state.isRetired = true
            release()
            defer { state.waiters = [] }
            return state.waiters
        }
    }

    /// Takes the list out of use where nobody asked for it since the last call and nothing of it
    /// waits to become durable, and gives the bytes that were charged for it.
    func retireIfCold() -> Int? {
        let bytes = state.withLockIfAvailable { state -> Int? in
            defer { state.isWarm = false }
            // One that is not loaded yet is about to be, and takes no memory.
            guard state.isLoaded, !state.isWarm, state.isDurable, !state.isHeld, state.pins == 0
            else { return nil }
            state.isRetired = true
            return state.takeChargedBytes()
        }
        return bytes ?? nil
    }

    var isRetired: Bool { state.withLock(\.isRetired) }

    /// What those are told who waited when it was taken out of use.
    var failure: ServiceError? { state.withLock(\.failure) }
}

extension ReorderableList {
    /// What there is of a list that does not exist. One for all: making one takes memory.
    static let absent = ReorderableList(settings: ListSettings(title: ""))
}
