import ReorderEngine
import ReorderJSON
import ReorderStore

/// A list at earlier versions, one after the other: a stored snapshot, and the changes after it.
struct PastList: Sendable {
    /// The snapshots that are not passed yet, oldest first.
    private var snapshots: [StoredSnapshot]
    /// The changes that are not applied yet.
    private var changes: ArraySlice<StoredChange>
    private var list: ReorderableList?
    private var version = 0

    /// Reads what is needed for versions of a list.
    ///
    /// - Parameter versions: ascending.
    /// - Returns: nil if the store has none of them any more.
    init?(
        of list: String, at versions: [Int], from store: any ListStore
    ) throws(StoreError) {
        let stored = try store.snapshots(of: list)
        guard let oldest = stored.first, let last = versions.last,
            let first = versions.first(where: { $0 >= oldest.version }),
            let start = stored.lastIndex(where: { $0.version <= first })
        else { return nil }
        snapshots = Array(stored[start...])
        let version = snapshots[0].version
        guard
            let changes = try store.changes(of: list, after: version, limit: last - version)
        else { return nil }
        self.changes = changes[...]
    }

    /// The bytes in memory.
    var byteCount: Int {
        snapshots.reduce(changes.reduce(0) { $0 + $1.bytes.count }) { $0 + $1.bytes.count }
    }

    /// The list at a version that is not below that of the last call; nil if the store does not have
    /// it any more. O(bytes of the snapshot and of the changes before the version).
    mutating func list(at wanted: Int) throws -> ReorderableList? {
        // The nearest snapshot also leads over a change that replaced the whole list.
        if let index = snapshots.lastIndex(where: { $0.version <= wanted }) {
            list = try ListDocument(json: snapshots[index].bytes).makeList()
            version = snapshots[index].version
            snapshots.removeFirst(index + 1)
        }
        guard list != nil else { return nil }
        while version < wanted {
            changes = changes.drop { $0.version <= version }
            guard let change = changes.popFirst(), change.version == version + 1 else { return nil }
            for operation in try ChangeDocument(json: change.bytes).operations {
                try list?.apply(operation)
            }
            version += 1
        }
        return list
    }
}
