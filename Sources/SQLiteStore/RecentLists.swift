/// What the writer knows of a list without asking the file.
struct ListState {
    var key: Int
    var version: Int
    /// The row of that version in the journal; 0 before the first.
    var change: Int
    /// `nil` where the list is deleted or not yet made.
    var title: String?
    var count: Int
}

/// The states of the lists written last, at most `2 * capacity`.
///
/// Two generations: once the young one is full it becomes the old one, and the old one is
/// forgotten. That keeps what is in use at O(1) a look-up, without a list of uses.
struct RecentLists {
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
