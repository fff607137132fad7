import ReorderEngine
import ReorderJSON
import ReorderStore

extension WorkingList {
    /// Applies the changes of other servers.
    ///
    /// - Returns: false if the changes don't lead to the stored version. The list is then unchanged.
    mutating func catchUp(with stored: StoredListState) -> Bool {
        let missing = stored.changes.drop { $0.version <= version }
        guard exists, stored.exists, missing.first?.version == version + 1 else { return false }
        var caught = self
        do {
            for change in missing {
                let change = try ChangeDocument(json: change.bytes)
                guard !change.operations.contains(.replace) else { return false }
                if caught.steps != nil {
                    let before = caught.list
                    caught.steps?.append(change.operations, to: change.version, from: before)
                }
                caught.list.changeStamp = change.stamp
                for operation in change.operations { try caught.list.apply(operation) }
            }
        } catch {
            return false
        }
        if stored.snapshotVersion > version {
            caught.bytesSinceSnapshot = 0
            caught.snapshotBytes = stored.snapshotBytes
        }
        caught.bytesSinceSnapshot += missing.lazy.filter { $0.version > stored.snapshotVersion }
            .reduce(0) { $0 + $1.bytes.count }
        caught.version = stored.version
        self = caught
        return true
    }
}
