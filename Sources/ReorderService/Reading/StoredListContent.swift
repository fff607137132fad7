import ReorderEngine
import ReorderJSON
import ReorderStore

extension LoadedList.Content {
    /// The size in memory.
    var byteCount: Int { changes.reduce(snapshot.count) { $0 + $1.bytes.count } }

    /// Replays the changes on the snapshot.
    package func replayed() throws -> ReorderableList {
        var list = try ListDocument(json: snapshot).makeList()
        for change in changes {
            let change = try ChangeDocument(json: change.bytes)
            list.changeStamp = change.stamp
            for operation in change.operations {
                try list.apply(operation)
            }
        }
        return list
    }
}
