import ReorderEngine

/// The current state of the tasks that a request named. Tasks that do not exist are omitted.
package enum NamedTasks: Sendable {
    case one(ListTask?)
    /// The request named an array of tasks.
    case several([ListTask])

    /// The same tasks in another version of the list.
    func current(in list: ReorderableList) -> NamedTasks {
        switch self {
        case .one(let task): .one(task.flatMap { list.task($0.id) })
        case .several(let tasks): .several(tasks.compactMap { list.task($0.id) })
        }
    }
}
