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

/// A cache of the lists written last, at most `2 * capacity`.
///
/// It has two generations: when the young one is full, it replaces the old one. Lookups are O(1),
/// and the order of uses need not be recorded.
struct ListStateCache {
    let capacity: Int
    private var young: [String: ListState] = [:]
    private var old: [String: ListState] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(list: String) -> ListState? {
        young[list] ?? old[list]
    }

    mutating func remember(_ state: ListState, of list: String) {
        if young.count >= capacity {
            old = young
            young = [:]
        }
        young[list] = state
    }
}
