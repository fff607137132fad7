/// The lists that a request is decided on, one or two: locked, or copies of them on a worker thread.
struct Transaction {
    /// The list that the request is to.
    let list: CachedList
    /// The list that tasks move into, if it is another one.
    let other: CachedList?

    /// The lists in the order of their ids, in which they are locked: so two requests for the same lists
    /// never wait for each other.
    private var inOrder: (first: CachedList, second: CachedList?) {
        guard let other else { return (list, nil) }
        return list.id < other.id ? (list, other) : (other, list)
    }

    func forEach(_ body: (CachedList) -> Void) {
        body(list)
        if let other { body(other) }
    }

    /// Runs `body` under the locks.
    func withLocks<Value>(_ body: () -> Value) -> Value {
        let (first, second) = inOrder
        return first.locked {
            guard let second else { return body() }
            return second.locked(body)
        }
    }

    /// Copies to decide on. Under the locks.
    func copies() -> Transaction { Transaction(list: list.copy(), other: other?.copy()) }

    /// The lists in the cache.
    var cached: Transaction { Transaction(list: list.cached, other: other?.cached) }
}

/// Lists that a worker changes in copies. Meanwhile other writes of these lists wait, and reads see the lists
/// as they were.
struct HeldLists {
    let copies: Transaction
    /// The versions that were copied.
    let version: Int
    let otherVersion: Int?

    init(_ lists: Transaction) {
        copies = lists.copies()
        version = lists.list.state.version
        otherVersion = lists.other?.state.version
    }

    /// Whether the lists are still as they were copied. Under the locks.
    var areCurrent: Bool {
        let lists = copies.cached
        return !lists.list.state.isInvalidated && lists.list.state.version == version
            && lists.other?.state.isInvalidated != true
            && lists.other?.state.version == otherVersion
    }
}

/// Why a run did not come to a decision; the lists are as they were.
enum Interruption: Error {
    case refused(ServiceError)
    /// Another list has reserved ids of tasks by a version that has to be durable first.
    case blocked(by: CachedList)
    /// It handles so many tasks that a worker has to do it.
    case large(tasks: Int)
}
