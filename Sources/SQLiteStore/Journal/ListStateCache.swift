/// The writer's copy of a list's row and head.
struct ListState {
    var key: Int
    var version: Int
    /// The row of that version in the journal; 0 before the first.
    var change: Int
    /// nil if the list is deleted or not created yet.
    var title: String?
    var count: Int
    var open: Int?
}

/// A list that the writer knows.
final class CachedList {
    let id: String
    /// nil until it is read from the file, or if the list never existed.
    @exclusivity(unchecked) var state: ListState?
    /// What the current transaction does to the list.
    @exclusivity(unchecked) var change: ListChange?

    init(_ id: String) { self.id = id }
}

/// A cache of the lists written last, at most `2 * capacity` between transactions.
///
/// It has two generations: when the young one is full, it replaces the old one. Lookups are O(1),
/// and the order of uses need not be recorded.
struct ListStateCache {
    let capacity: Int
    private var young: [String: CachedList] = [:]
    private var old: [String: CachedList] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The list; a new one without a state if the cache does not have it.
    mutating func list(_ id: String) -> CachedList {
        if let list = young[id] { return list }
        let list = old[id] ?? CachedList(id)
        young[id] = list
        return list
    }

    /// Ends a generation if it is full. Lists with a change stay: call this after each transaction.
    mutating func trim() {
        if young.count >= capacity { (old, young) = (young, [:]) }
    }
}
