import ListModel
import ReorderEngine

// A task that comes back from a deletion gets an id of the server, if its own one is in use.

extension ReorderableList {
    /// The same list with the ids of the server that the tasks of `actual` have.
    func withNewIDs(of actual: ReorderableList?) -> ReorderableList {
        let ids = newIDs(tasks.map(\.id), actual?.tasks.map(\.id) ?? [])
        return ids.isEmpty ? self : (try? renamingTasks(ids)) ?? self
    }
}

extension ListModel {
    /// The same list with the ids of the server that the tasks of `actual` have.
    func withNewIDs(of actual: ListModel?) -> ListModel {
        var list = self
        for (former, new) in newIDs(tasks.map(\.id), actual?.tasks.map(\.id) ?? []) {
            list.edit(former) { $0.id = new }
        }
        return list
    }
}

private func newIDs(_ expected: [TaskID], _ actual: [TaskID]) -> [TaskID: TaskID] {
    guard expected.count == actual.count else { return [:] }
    let pairs = zip(expected, actual).filter {
        $0 != $1 && $1.utf8.count == "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".utf8.count
    }
    return Dictionary(uniqueKeysWithValues: pairs)
}
