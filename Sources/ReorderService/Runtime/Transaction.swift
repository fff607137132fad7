/// One or two lists that a request is decided on: locked, or copied for a worker thread.
struct Transaction {
    /// The list that the request names.
    let list: CachedList
    /// The list that tasks move into, if it is a different one.
    let other: CachedList?

    /// The lists ordered by id, which is the lock order. So requests for the same lists can't
    /// deadlock.
    private var inOrder: (first: CachedList, second: CachedList?) {
        guard let other else { return (list, nil) }
        return list.id < other.id ? (list, other) : (other, list)
    }

    func forEach(_ body: (CachedList) -> Void) {
        body(list)
        if let other { body(other) }
    }

    /// Runs `body` under the locks.
    func withLocks<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let (first, second) = inOrder
        return try first.locked { () throws(Failure) in
            guard let second else { return try body() }
            return try second.locked(body)
        }
    }

    /// Takes the lists' values to change them in place. Put them back before the locks are released.
    func take() -> WorkingLists {
        WorkingLists(list: list.state.take(), other: other?.state.take())
    }

    func put(_ lists: WorkingLists) {
        list.state.put(lists.list)
        if let changed = lists.other { other?.state.put(changed) }
    }

    /// One of the lists; nil for any other id.
    func list(_ id: String) -> CachedList? {
        if id == list.id { return list }
        return id == other?.id ? other : nil
    }

    /// Copies to decide on. Call this under the locks.
    func copies() -> Transaction { Transaction(list: list.copy(), other: other?.copy()) }

    /// The lists in the cache.
    var cached: Transaction { Transaction(list: list.cached, other: other?.cached) }
}

/// Lists that a worker changes in copies. Meanwhile, other writes of these lists wait, and reads
/// see the previous state.
struct ListCopies {
    let lists: Transaction
    /// The versions of the copies.
    let version: Int
    let otherVersion: Int?

    init(_ lists: Transaction) {
        self.lists = lists.copies()
        version = lists.list.state.version
        otherVersion = lists.other?.state.version
    }

    /// Whether the lists have not changed since they were copied. Call this under the locks.
    var areCurrent: Bool {
        let lists = lists.cached
        return !lists.list.state.isInvalidated && lists.list.state.version == version
            && lists.other?.state.isInvalidated != true
            && lists.other?.state.version == otherVersion
    }
}

/// Why a run reached no decision. The lists are unchanged.
enum Interruption: Error {
    case refused(ServiceError)
    /// Another list has reserved task ids for a version that is not durable yet.
    case blocked(by: CachedList)
    /// The request handles so many tasks that a worker must run it.
    case large(tasks: Int)
}
