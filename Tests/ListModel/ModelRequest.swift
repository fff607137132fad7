import ReorderEngine

/// A request of any kind, for the engine and the model.
package enum ModelRequest {
    case move(MoveRequest)
    case create(TaskContent, Destination)
    case update(TaskID, TaskUpdate)
    case collapse(TaskID, Bool)
    case delete(TaskID)
    case settings(SettingsUpdate)
    case createSection(SectionID, title: String, position: Int?)
    case renameSection(SectionID, title: String)
    case moveSection(SectionID, position: Int?)
    case deleteSection(SectionID, ReorderableList.SectionTasks)
}

extension ListModel {
    package mutating func perform(_ request: ModelRequest) throws(Refusal) -> Effect {
        switch request {
        case .move(let move): try self.move(move)
        case .create(let content, let destination): try create(content, at: destination)
        case .update(let task, let set): try update(task, set)
        case .collapse(let task, let collapsed): try collapse(task, collapsed)
        case .delete(let task): try delete(task)
        case .settings(let set): update(set)
        case .createSection(let section, let title, let position):
            try createSection(section, title: title, position: position)
        case .renameSection(let section, let title): try renameSection(section, title: title)
        case .moveSection(let section, let position):
            try moveSection(section, position: position)
        case .deleteSection(let section, let tasks): try deleteSection(section, tasks: tasks)
        }
    }
}

extension ReorderableList {
    package mutating func perform(_ request: ModelRequest) throws(Refusal) -> (
        [ListOperation], ListModel.Effect
    ) {
        let operations: [ListOperation]
        var effect = ListModel.Effect(changed: false)
        switch request {
        case .move(let move):
            let outcome = try self.move(move)
            operations = outcome.operations
            effect.placedBy = outcome.placedBy
            // Without the tasks whose new state is wrong, so that the effect differs.
            effect.tasks = outcome.tasks.map(\.task).filter { task($0.id) == $0 }.map(\.id)
            effect.from = outcome.tasks.map(\.from)
            effect.collapsed = outcome.collapsed
        case .create(let content, let destination):
            let outcome = try create(content, at: destination)
            operations = outcome.operations
            effect.placedBy = outcome.placedBy
        case .update(let task, let set): operations = try update(task, set)
        case .collapse(let task, let collapsed):
            let outcome = try collapse(task, collapsed)
            operations = outcome.operations
            effect.rows = outcome.rows
        case .delete(let task):
            let outcome = try delete(task)
            operations = outcome.operations
            effect.deleted = outcome.deleted
        case .settings(let set): operations = update(set)
        case .createSection(let section, let title, let position):
            operations = try createSection(section, title: title, position: position)
        case .renameSection(let section, let title):
            operations = try renameSection(section, title: title)
        case .moveSection(let section, let position):
            operations = try moveSection(section, position: position)
        case .deleteSection(let section, let tasks):
            let outcome = try deleteSection(section, tasks: tasks)
            operations = outcome.operations
            effect.deleted = outcome.deleted
        }
        effect.changed = !operations.isEmpty
        return (operations, effect)
    }
}
