import ReorderEngine

// Requests as JSON.

extension ModelRequest {
    /// The operation of a batch, without its end.
    package var operation: String {
        switch self {
        case .move(let move): "{\"op\":\"move\",\(move.members)"
        case .create(let task, let place):
            "{\"op\":\"create\",\(task.members)\(place.furtherMembers)"
        case .update(let task, let set):
            "{\"op\":\"update\",\"task\":\"\(task)\",\"set\":{\(set.members)}"
        case .collapse(let task, let collapsed):
            "{\"op\":\"collapse\",\"task\":\"\(task)\",\"collapsed\":\(collapsed)"
        case .delete(let task): "{\"op\":\"delete\",\"task\":\"\(task)\""
        case .settings(let set): "{\"op\":\"list\",\"set\":{\(set.members)}"
        case .createSection(let section, let title, let position):
            "{\"op\":\"section-create\",\"section\":\"\(section)\",\"title\":\"\(title)\""
                + (position.map { ",\"position\":\($0)" } ?? "")
        case .renameSection(let section, let title):
            "{\"op\":\"section-update\",\"section\":\"\(section)\",\"title\":\"\(title)\""
        case .moveSection(let section, let position):
            "{\"op\":\"section-move\",\"section\":\"\(section)\",\"position\":\(position ?? 0)"
        case .deleteSection(let section, let tasks):
            "{\"op\":\"section-delete\",\"section\":\"\(section)\",\"tasks\":\"\(tasks.rawValue)\""
        }
    }
}

extension MoveRequest {
    package var members: String { "\(subject.members)\(destination.furtherMembers)" }
}

extension MoveRequest.Subject {
    package var members: String {
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
    package var furtherMembers: String { members.map { ",\($0)" }.joined() }

    package var members: [String] {
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
    package var members: String {
        "\"id\":\"\(id)\",\"title\":\"\(title)\"" + (collapsed ? ",\"collapsed\":true" : "")
            + (locked ? ",\"locked\":true" : "") + (done ? ",\"done\":true" : "")
            + (data.map { ",\"data\":\($0)" } ?? "")
    }
}

extension TaskUpdate {
    package var members: String {
        var members: [String] = []
        if let title { members.append("\"title\":\"\(title)\"") }
        if let done { members.append("\"done\":\(done)") }
        if let locked { members.append("\"locked\":\(locked)") }
        switch data {
        case .set(let data): members.append("\"data\":\(data)")
        case .remove: members.append("\"data\":null")
        case nil: break
        }
        return members.joined(separator: ",")
    }
}

extension SettingsUpdate {
    package var members: String {
        var members: [String] = []
        if let title { members.append("\"title\":\"\(title)\"") }
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
