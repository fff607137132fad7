import RandomRuns
import ReorderEngine
import ReorderJSON

extension ListModel {
    package mutating func perform(_ command: Command) throws(Refusal) -> Effect {
        switch command {
        case .move(let move): try self.move(move)
        case .create(let content, let destination): try create(content, at: destination)
        case .update(let task, let patch): try update(task, patch)
        case .collapse(let task, let collapsed): try collapse(task, collapsed)
        case .delete(let task): try delete(task)
        case .settings(let patch): update(patch)
        // The model has neither data nor limits of sections.
        case .createSection(let section, let title, let position, _, _):
            try createSection(section, title: title, position: position)
        case .updateSection(let section, let patch):
            try renameSection(section, title: patch.title)
        case .moveSection(let section, let position):
            try moveSection(section, position: position)
        case .deleteSection(let section, let tasks): try deleteSection(section, tasks: tasks)
        }
    }
}

extension ReorderableList {
    package mutating func perform(_ command: Command) throws(Refusal) -> (
        [ListOperation], ListModel.Effect
    ) {
        let outcome: Command.Outcome
        do {
            outcome = try command.apply(to: &self)
        } catch {
            guard case .refused(let refusal) = error else {
                preconditionFailure("random data is small")
            }
            throw refusal
        }
        var effect = ListModel.Effect(changed: !outcome.operations.isEmpty)
        effect.deleted = outcome.deleted
        switch outcome.detail {
        case .moved(let moved, _):
            effect.placedBy = moved.placedBy
            // Without the tasks whose new state is wrong, so that the effect differs.
            effect.tasks = moved.tasks.map(\.task).filter { task($0.id) == $0 }.map(\.id)
            effect.from = moved.tasks.map(\.from)
            effect.collapsed = moved.collapsed
        case .created(_, let placedBy): effect.placedBy = placedBy
        case .collapsed(_, let rows): effect.rows = rows
        case .none, .updated, .section: break
        }
        return (outcome.operations, effect)
    }
}

extension SeededGenerator {
    /// A command that needs no more than a task.
    ///
    /// - Parameter collapsing: how many of those that collapse or expand it collapse it, in percent.
    package mutating func command(to task: TaskID, collapsing: Int = 60) -> Command {
        .collapse(task, chance(collapsing))
    }
}
