import ListModel
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore

/// Batches in the terms of the model of the rules.
extension RuleChecks {
    func difference(
        _ commands: [Command], _ form: Batch.Form, _ commits: [ListCommit]
    ) -> String? {
        switch form {
        case .atomic: difference(commands, isAtomic: true, commits[0])
        case .separate: difference(commands, isAtomic: false, commits[0])
        case .steps(let steps): difference(steps.map { Array(commands[$0]) }, commits)
        }
    }

    private func difference(
        _ commands: [Command], isAtomic: Bool, _ commit: ListCommit
    ) -> String? {
        guard var list = model(commit.list, commit.version - 1),
            let change = try? ChangeDocument(json: commit.change)
        else { return "the list did not exist" }
        let created = change.operations.compactMap { operation in
            if case .insert(let task) = operation { task.id } else { nil as TaskID? }
        }
        var step = ModelStep(on: list)
        for command in commands {
            if case .create(let task, _) = command, !created.contains(task.id),
                step.list.task(task.id) == nil
            {
                // Another list has the task, or had it a moment ago.
                if isAtomic { return "\(task.id) is missing" }
                continue
            }
            do {
                try step.perform(command)
                if isAtomic { continue }
                list = try step.end()
            } catch {
                if isAtomic { return "the model refuses an operation: \(error)" }
            }
            step = ModelStep(on: list)
        }
        do {
            list = try step.end()
        } catch {
            return "the model refuses the batch: \(error)"
        }
        return Self.difference(list, model(commit.list, commit.version))
    }

    /// Each step that changes the list is the next commit.
    private func difference(_ steps: [[Command]], _ commits: [ListCommit]) -> String? {
        guard var list = model(commits[0].list, commits[0].version - 1) else {
            return "the list did not exist"
        }
        var rest = commits[...]
        for (index, step) in steps.enumerated() {
            let commit = rest.first
            // A device that started again sends a step a second time. If both requests are decided together, changes of others can be
            // between their changes.
            list = commit.flatMap { model($0.list, $0.version - 1) } ?? list
            guard let after = Self.performed(step, on: list) else { continue }
            let difference =
                commit.map { Self.difference(after, model($0.list, $0.version)) }
                ?? "the change is missing"
            if let difference {
                // Another list has the task, or had it a moment ago.
                if Self.mayBeTaken(step, in: list) { continue }
                return "step \(index): \(difference)"
            }
            list = after
            rest = rest.dropFirst()
        }
        return rest.isEmpty ? nil : "\(rest.count) changes are of no step"
    }

    /// Why the model does not agree that a batch changes nothing.
    func difference(
        unchanged commands: [Command], _ form: Batch.Form, _ states: [ListModel]
    ) -> String? {
        let parts =
            if case .steps(let steps) = form { steps.map { Array(commands[$0]) } } else {
                commands.map { [$0] }
            }
        let agrees = states.contains { state in
            parts.allSatisfy {
                Self.mayBeTaken($0, in: state) || Self.performed($0, on: state) == nil
            }
        }
        return agrees || states.isEmpty ? nil : "the model changes the list"
    }

    /// The list after a step; nil if the step is refused or changes nothing.
    private static func performed(_ step: [Command], on list: ListModel) -> ListModel? {
        var after = ModelStep(on: list)
        do {
            for command in step { try after.perform(command) }
            return after.isChanged ? try after.end() : nil
        } catch {
            return nil
        }
    }

    /// Whether a step creates a task that another list may have.
    private static func mayBeTaken(_ step: [Command], in list: ListModel) -> Bool {
        step.contains { command in
            if case .create(let task, _) = command { list.task(task.id) == nil } else { false }
        }
    }
}
