import ListModel
import MicroHTTP
import ReorderEngine
import ReorderService

// The requests of `RandomWrites` as the API receives them.

extension ModelRequest {
    /// The method, the path and the body of a request of its own.
    ///
    /// - Parameter list: the list of requests that do not name a task in their path.
    func parts(in list: String) -> (HTTPMethod, target: String, body: String) {
        let path = "/lists/\(list)"
        return switch self {
        case .move(let move): (.post, "\(path)/move", "{\(move.members)}")
        case .create(let task, let place):
            (.post, "\(path)/tasks", "{\(task.members)\(place.furtherMembers)}")
        case .update(let task, let set): (.patch, "/tasks/\(task)", "{\(set.members)}")
        case .collapse(let task, let collapsed):
            (.post, "/tasks/\(task)/collapse", "{\"collapsed\":\(collapsed)}")
        case .delete(let task): (.delete, "/tasks/\(task)", "")
        case .settings(let set): (.patch, path, "{\(set.members)}")
        case .createSection(let section, let title, _):
            (.post, "\(path)/sections", "{\"id\":\"\(section)\",\"title\":\"\(title)\"}")
        case .renameSection(let section, let title):
            (.patch, "\(path)/sections/\(section)", "{\"title\":\"\(title)\"}")
        case .moveSection(let section, let position):
            (
                .post, "\(path)/sections/\(section)/move",
                "{\"position\":\(position ?? 0)}"
            )
        case .deleteSection(let section, let tasks):
            (
                .delete, "\(path)/sections/\(section)?tasks=\(tasks == .keep ? "keep" : "delete")",
                ""
            )
        }
    }

    /// Its name in the summary.
    var name: String {
        switch self {
        case .move: "move"
        case .create: "create"
        case .update: "update"
        case .collapse: "collapse"
        case .delete: "delete"
        case .settings: "settings"
        case .createSection: "create section"
        case .renameSection: "rename section"
        case .moveSection: "move section"
        case .deleteSection: "delete section"
        }
    }
}

extension Batch.Form {
    /// The body of a batch.
    func body(_ ops: [String]) -> String {
        func array(_ ops: some Sequence<String>) -> String { "[\(ops.joined(separator: ","))]" }
        switch self {
        case .atomic: return "{\"ops\":\(array(ops))}"
        case .separate: return "{\"atomic\":false,\"ops\":\(array(ops))}"
        case .steps(let steps): return "{\"steps\":\(array(steps.map { array(ops[$0]) }))}"
        }
    }
}
