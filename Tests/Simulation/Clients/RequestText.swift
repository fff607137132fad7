import ListModel
import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

// The requests of `RandomWrites` as the API receives them.

extension Command {
    /// The method, the path and the body of a request of its own.
    ///
    /// - Parameter list: the list of requests that do not name a task in their path.
    func parts(in list: String) -> (HTTPMethod, target: String, body: String) {
        let path = "/lists/\(list)"
        return switch self {
        case .move(let move): (.post, "\(path)/move", "{\(move.members)}")
        case .create(let task, let place):
            (.post, "\(path)/tasks", "{\(task.members)\(place.furtherMembers)}")
        case .update(let task, let patch): (.patch, "/tasks/\(task)", "{\(patch.members)}")
        case .delete(let task): (.delete, "/tasks/\(task)", "")
        case .settings(let patch): (.patch, path, "{\(patch.members)}")
        case .createSection(let section, let title, _, _, _):
            (.post, "\(path)/sections", "{\"id\":\"\(section)\",\"title\":\"\(title)\"}")
        case .updateSection(let section, let patch):
            (.patch, "\(path)/sections/\(section)", "{\"title\":\"\(patch.title ?? "")\"}")
        case .moveSection(let section, let position):
            (.post, "\(path)/sections/\(section)/move", "{\"position\":\(position)}")
        case .deleteSection(let section, let tasks):
            (.delete, "\(path)/sections/\(section)?tasks=\(tasks.rawValue)", "")
        // The body has the members of the op that the path does not have.
        default:
            (
                .post, "/tasks/\(tasks.joined())/\(kind.rawValue)",
                text().replacing(/"op":.*?,"task":".*?",?/, with: "")
            )
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
