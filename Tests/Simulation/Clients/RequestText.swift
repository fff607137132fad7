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

    /// The operation of a batch, without its end.
    var operation: String {
        switch self {
        case .move(let move): "{\"op\":\"move\",\(move.members)"
        case .create(let task, let place):
            "{\"op\":\"create\",\(task.members)\(place.furtherMembers)"
        case .update(let task, let set):
            "{\"op\":\"update\",\"task\":\"\(task)\",\"set\":{\(set.members)}"
        case .collapse(let task, let collapsed):
            "{\"op\":\"collapse\",\"task\":\"\(task)\",\"collapsed\":\(collapsed)"
        case .delete(let task): "{\"op\":\"delete\",\"task\":\"\(task)\""
        default: preconditionFailure("no operation of these batches")
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

extension MoveRequest {
    var members: String { "\(subject.members)\(destination.furtherMembers)" }
}

extension MoveRequest.Subject {
    var members: String {
        switch self {
        case .task(let task): "\"task\":\"\(task)\""
        case .tasks(let tasks): "\"tasks\":\(tasks)"
        case .row(let row): "\"fromRow\":\(row)"
        case .rows(let rows): "\"fromRows\":\(rows)"
        case .path(let section, let row):
            "\"from\":{\"section\":\(text(section)),\"row\":\(row)}"
        }
    }
}

extension Destination {
    /// Its members after others.
    var furtherMembers: String { members.map { ",\($0)" }.joined() }

    var members: [String] {
        var members: [String] = []
        if let after { members.append("\"after\":\"\(after)\"") }
        if let before { members.append("\"before\":\"\(before)\"") }
        switch place?.siblings {
        case .subtasks(let parent): members.append("\"parent\":\"\(parent)\"")
        case .section(let section): members.append("\"section\":\(text(section))")
        case .topLevel: members.append("\"parent\":null")
        case .own, nil: break
        }
        if let position = place?.position { members.append("\"position\":\(position)") }
        switch rows?.target {
        case .row(let row): members.append("\"toRow\":\(row)")
        case .rowInSection(let row, let section):
            members += ["\"toRow\":\(row)", "\"section\":\(text(section))"]
        case .path(let section, let row):
            members.append("\"to\":{\"section\":\(text(section)),\"row\":\(row)}")
        case .offset(let offset): members.append("\"toOffset\":\(offset)")
        case .offsetInSection(let section, let offset):
            members += ["\"toOffset\":\(offset)", "\"section\":\(text(section))"]
        case nil: break
        }
        if let level = rows?.level { members.append("\"level\":\(level)") }
        return members
    }
}

extension TaskContent {
    var members: String { "\"id\":\"\(id)\",\"title\":\"\(title)\"" }
}

extension TaskUpdate {
    var members: String {
        var members: [String] = []
        if let title { members.append("\"title\":\"\(title)\"") }
        if let done { members.append("\"done\":\(done)") }
        if let locked { members.append("\"locked\":\(locked)") }
        if case .set(let data) = data { members.append("\"data\":\(data)") }
        return members.joined(separator: ",")
    }
}

extension SettingsUpdate {
    var members: String {
        var members: [String] = []
        if let elementsOffset { members.append("\"elementsOffset\":\(elementsOffset)") }
        if let collapseSubElements {
            members.append("\"collapseSubElements\":\(collapseSubElements)")
        }
        if let moves { members.append("\"moves\":\"\(moves.rawValue)\"") }
        for case let (name, update?) in [
            ("maxDepth", maxDepth), ("maxTasksPerSection", maxTasksPerSection),
            ("tasksPerParent", tasksPerParent),
        ] {
            members.append("\"\(name)\":\(update.limit.map { "\($0)" } ?? "null")")
        }
        switch data {
        case .set(let data): members.append("\"data\":\(data)")
        case .remove: members.append("\"data\":null")
        case nil: break
        }
        return members.joined(separator: ",")
    }
}

private func text(_ section: SectionID?) -> String { section.map { "\"\($0)\"" } ?? "null" }

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
