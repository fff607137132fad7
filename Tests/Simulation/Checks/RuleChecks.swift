import ListModel
import ReorderEngine
import ReorderJSON
import ReorderStore

/// Compares what the servers decide with the model of the rules. `Journal` replays the servers' own
/// operations, so it does not see a wrong decision.
struct RuleChecks {
    let journal: Journal

    // MARK: Commits

    /// The difference between the commits of a request and the model; nil means none.
    ///
    /// - Parameter floor: the versions that responses had shown before the request.
    func difference(
        _ commits: [ListCommit], of intention: Intention, since floor: [String: Int]
    ) -> String? {
        guard let commit = commits.first else { return nil }
        let after = model(commit.list, commit.version)
        let before = model(commit.list, commit.version - 1)
        switch intention.decision {
        case .drag, .other: return nil
        case .replace(let content): return Self.difference(content, after)
        case .one(let command):
            guard var list = before else { return "the list did not exist" }
            do {
                guard try list.perform(command).changed else {
                    return "the model changes nothing"
                }
            } catch {
                return "the model refuses it: \(error)"
            }
            return Self.difference(list, after)
        case .batch(let commands, let form): return difference(commands, form, commits)
        case .undo(let version): return difference(undoing: version, commit, before, after)
        case .transfer(let move, let other): return difference(move, other, commits)
        case .seenMove(let move, let version, let other, let otherVersion):
            return difference(move, at: version, to: other, at: otherVersion, commits)
        case .sectionTransfer(let section, let other, let position):
            return difference(section, to: other, position: position, commits)
        case .copyTask(let task, let id):
            return difference(copy: task, id, before, after, since: floor)
        case .fold(let task, let isFolded):
            return Self.difference(folding: task, isFolded, before, after)
        case .foldedMove(let move, let folds):
            let differences = states(of: folds).map { folds in
                difference(move, seenWith: folds.folds, before, after)
            }
            return differences.contains(nil) ? nil : differences.first ?? "there are no folds"
        case .copyList(let source):
            let content = after?.shape
            let isCopy = states(of: source, since: floor[source] ?? 1).contains {
                $0.shape == content
            }
            return isCopy ? nil : "the copy is no state of the list \(source)"
        }
    }

    static func difference(_ expected: ListModel, _ actual: ListModel?) -> String? {
        guard let actual, actual != expected else {
            return actual == nil ? "the list does not exist" : nil
        }
        return "expected \(expected.outline), actual \(actual.outline)"
    }

    private func difference(
        undoing version: Int, _ commit: ListCommit, _ before: ListModel?, _ after: ListModel?
    ) -> String? {
        guard var list = before, let change = journal.lists[commit.list]?.changes[version],
            let former = model(commit.list, version - 1)
        else { return "there was nothing to undo" }
        if version == commit.version - 1 {
            return Self.difference(former.withNewIDs(of: after), after)
        }
        do {
            try list.undo(ChangeDocument(json: change).operations, before: former)
        } catch {
            return "the model does not undo it: \(error)"
        }
        return Self.difference(list.withNewIDs(of: after), after)
    }

    func difference(
        _ move: MoveRequest, _ other: String, _ commits: [ListCommit]
    ) -> String? {
        guard let source = commits.first(where: { $0.list != other }),
            let target = commits.first(where: { $0.list == other })
        else {
            guard commits.count == 1, let commit = commits.first, commit.list == other,
                var list = model(other, commit.version - 1)
            else { return "the commits are of other lists" }
            do {
                _ = try list.move(move)
            } catch {
                return "the model refuses it: \(error)"
            }
            return Self.difference(list, model(other, commit.version))
        }
        guard var list = model(source.list, source.version - 1),
            var receiver = model(other, target.version - 1)
        else { return "a list did not exist" }
        do {
            _ = try list.transfer(move, to: &receiver)
        } catch {
            return "the model refuses it: \(error)"
        }
        return Self.difference(list, model(source.list, source.version))
            ?? Self.difference(receiver, model(other, target.version))
    }

    private func difference(
        copy task: TaskID, _ id: TaskID, _ before: ListModel?, _ after: ListModel?,
        since floor: [String: Int]
    ) -> String? {
        guard let before, var rest = after, let copy = rest.node(id),
            let place = rest.task(id)
        else { return "there is no copy" }
        if before.task(task) == nil {
            if rest.sections[0].tasks.last != copy { return "the copy is not at the end" }
        } else {
            let siblings = rest.nodes(rest.siblings(of: place)).map(\.content.id)
            if siblings.prefix(while: { $0 != id }).last != task {
                return "the copy is not after the task"
            }
        }
        rest.remove(id)
        if rest != before { return "the copy changed other tasks" }
        let originals = journal.lists.keys.lazy.flatMap { list in
            states(of: list, since: floor[list] ?? 1)
        }.compactMap { $0.node(task) }
        return originals.contains { $0.shape == copy.shape } ? nil : "the copy has other content"
    }

    // MARK: Responses

    /// Why the model does not agree with a refusal; nil if it does, or if the refusal has another
    /// reason than the rules.
    ///
    /// - Parameters:
    ///   - code: the refusal; nil means that the request changed nothing.
    ///   - floor: the version that the response shows at least.
    func difference(refusal code: String?, of intention: Intention, since floor: Int) -> String? {
        if case .batch(let commands, let form) = intention.decision, code == nil,
            let id = intention.list
        {
            return difference(unchanged: commands, form, states(of: id, since: floor))
        }
        guard let id = intention.list, case .one(let command) = intention.decision,
            code.map(Self.codes.contains) ?? true
        else { return nil }
        // The task can be in another list.
        if case .create = command, code == "id_taken" { return nil }
        let states = states(of: id, since: floor)
        let agrees = states.contains { state in
            var list = state
            do {
                let effect = try list.perform(command)
                return code == nil && !effect.changed
            } catch {
                return code == Self.code(error as? Refusal)
            }
        }
        return agrees || states.isEmpty
            ? nil : "the model does not agree with \(code ?? "no change")"
    }

    private static let codes: Set<String> = [
        "task_not_found", "section_not_found", "id_taken", "anchor_gone", "level_not_possible",
        "cycle", "locked", "not_siblings", "depth_limit", "max_depth", "section_full",
        "parent_full",
    ]

    private static func code(_ refusal: Refusal?) -> String? {
        switch refusal {
        case .taskNotFound: "task_not_found"
        case .sectionNotFound: "section_not_found"
        case .idTaken: "id_taken"
        case .anchorGone, .rowNotFound, .rowNotInSection: "anchor_gone"
        case .levelNotPossible: "level_not_possible"
        case .cycle: "cycle"
        case .locked: "locked"
        case .notSiblings: "not_siblings"
        case .depthLimit: "depth_limit"
        case .maxDepth: "max_depth"
        case .sectionFull: "section_full"
        case .parentFull: "parent_full"
        case nil: nil
        }
    }

    // MARK: States

    func model(_ list: String, _ version: Int) -> ListModel? {
        journal.lists[list]?.states[version].map { ListModel($0) }
    }

    /// The states of a list, the newest first.
    func states(of list: String, since floor: Int = 1) -> [ListModel] {
        guard let history = journal.lists[list] else { return [] }
        return (min(floor, history.version)...history.version).reversed().compactMap {
            history.states[$0].map { ListModel($0) }
        }
    }
}

extension ListModel {
    /// The list without the ids of its tasks, which a copy does not have.
    fileprivate var shape: ListModel {
        var list = self
        list.forEachSiblings { _, nodes in nodes = nodes.map(\.shape) }
        return list
    }

    fileprivate var outline: String {
        func text(_ node: Node) -> String {
            let inside = node.subtasks.map(text).joined(separator: " ")
            return node.content.id + (inside.isEmpty ? "" : "(\(inside))")
        }
        return sections.map { section in
            ([section.id.map { "#\($0)" } ?? "-"] + section.tasks.map(text)).joined(separator: " ")
        }.joined(separator: " ")
    }
}

extension ListModel.Node {
    /// The task and its subtasks without their ids.
    fileprivate var shape: ListModel.Node {
        var node = self
        node.content.id = ""
        node.subtasks = subtasks.map(\.shape)
        return node
    }
}
