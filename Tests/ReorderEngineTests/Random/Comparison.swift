import ListModel
import ReorderEngine
import ReorderJSON

/// A list and its model, which get the same requests.
struct Comparison {
    /// The combinations of request and outcome so far, as "kind: outcome".
    private(set) var met: Set<String> = []

    private var requests: RandomRequests
    private var model: ListModel
    private var list: ReorderableList
    private var earlier: ReorderableList
    private var earlierModel: ListModel

    init(seed: UInt64) throws {
        requests = RandomRequests(seed: seed)
        let (sections, tasks, model) = requests.document()
        self.model = model
        list = try ReorderableList(settings: model.settings, sections: sections, tasks: tasks)
        earlier = list
        earlierModel = model
    }

    /// Executes a request on both and returns the first difference; nil means none.
    mutating func step() throws -> String? {
        let request = requests.next(for: model)
        let before = list
        let modelBefore = model
        let expected = Result { () throws(Refusal) in try model.perform(request) }
        let actual = Result { () throws(Refusal) in try list.perform(request) }
        met.insert("\(request.caseName): \(expected.name)")

        func difference(_ what: String) -> String {
            """
            \(what)
              before    \(before.outline)
              settings  \(before.settings)
              request   \(request)
              expected  \(expected)
              outline   \(Outline.text(of: model.tasks))
              actual    \(actual)
              outline   \(list.outline)
            """
        }
        #if !DEBUG
            // A debug build checks them after each operation.
            if let broken = list.checkInvariants() { return difference("invariant: " + broken) }
        #endif
        if let part = list.difference(from: model) { return difference(part) }
        switch (expected, actual) {
        case (.failure(let expected), .failure(let actual)):
            if expected != actual { return difference("refusal") }
        case (.success(let expected), .success((let operations, let actual))):
            if expected != actual { return difference("outcome") }
            if let part = try replay(operations, on: before, modelBefore) {
                return difference("\(part)\n  operations \(operations)")
            }
        default: return difference("refused or not")
        }
        return lookUp().map(difference) ?? snapshotDifference().map(difference)
    }

    private func replay(
        _ operations: [ListOperation], on before: ReorderableList, _ model: ListModel
    ) throws -> String? {
        var modelCopy = model
        for operation in operations { try modelCopy.replay(operation) }
        if modelCopy != self.model { return "the operations give another list" }

        var copy = before
        let inverses = try copy.replayTakingInverses(operations)
        if let part = copy.difference(from: modelCopy) { return "applied to a copy: " + part }
        try copy.apply(inverses)
        return copy.difference(from: model).map { "inverses \(inverses): " + $0 }
    }

    /// Checks the list's other queries.
    private mutating func lookUp() -> String? {
        let tasks = model.tasks
        let rows = model.rows
        let row = Int.random(in: 0..<rows.count + 2, using: &requests.random)
        let limit = Int.random(in: 0..<6, using: &requests.random)
        let atRow = rows.indices.contains(row) ? rows[row] : nil
        if list.task(atRow: row) != atRow { return "task(atRow: \(row))" }
        if list.tasks(fromRow: row, limit: limit) != Array(rows.dropFirst(row).prefix(limit)) {
            return "tasks(fromRow: \(row), limit: \(limit))"
        }
        let section = model.sections.randomElement(using: &requests.random)?.id
        if list.rows(in: section).map({ Array(rows[$0]) })
            != rows.filter({ $0.placement.section == section })
        {
            return "rows(in: \(section ?? "nil"))"
        }
        guard let task = tasks.randomElement(using: &requests.random) else { return nil }
        if list.task(task.id) != task { return "task(\(task.id))" }
        if list.row(of: task.id) != task.placement.row { return "row(of: \(task.id))" }
        if list.placement(of: task.id) != task.placement { return "placement(of: \(task.id))" }
        let subtree = model.subtree(of: task.id)
        if list.subtree(of: task.id) != tasks.filter({ subtree.contains($0.id) }) {
            return "subtree(of: \(task.id))"
        }
        return nil
    }

    /// Checks that an earlier copy is unchanged; sometimes creates a new one.
    private mutating func snapshotDifference() -> String? {
        guard requests.random.chance(4) else { return nil }
        defer { (earlier, earlierModel) = (list, model) }
        return earlier.difference(from: earlierModel).map { "an earlier copy: " + $0 }
    }
}

extension ReorderableList {
    /// The first difference between the whole list and the model; nil means none.
    func difference(from model: ListModel) -> String? {
        let sections = model.sections.compactMap { section in
            section.id.map {
                ListSection(id: $0, title: section.title, tasks: section.tasks.count)
            }
        }
        let expected = model.tasks
        if Array(tasks) != expected { return "tasks" }
        if taskIDs != expected.map(\.id) { return "taskIDs" }
        if self.sections != sections { return "sections" }
        if settings != model.settings { return "settings" }
        if count != expected.count { return "count" }
        if rowCount != expected.filter({ $0.placement.row != nil }).count { return "rowCount" }
        return nil
    }
}

// MARK: - Coverage

extension Comparison {
    /// The combinations that a long run must reach.
    static let all: Set<String> = [
        "move: after", "move: before", "move: parent", "move: section", "move: position",
        "move: after, unchanged", "move: before, unchanged", "move: parent, unchanged",
        "move: section, unchanged", "move: position, unchanged", "move: collapsing",
        "move: row", "move: row, unchanged", "move: rowNotInSection", "move: levelNotPossible",
        "move: sectionNotFound",
        "move: taskNotFound", "move: rowNotFound", "move: anchorGone", "move: cycle",
        "move: locked",
        "move: notSiblings", "move: depthLimit", "move: maxDepth", "move: sectionFull",
        "move: parentFull",
        "create: after", "create: before", "create: parent", "create: section",
        "create: position", "create: idTaken", "create: anchorGone", "create: locked",
        "create: depthLimit", "create: maxDepth", "create: sectionFull", "create: parentFull",
        "update: changed", "update: unchanged", "update: taskNotFound",
        "collapse: removed", "collapse: inserted", "collapse: changed", "collapse: unchanged",
        "collapse: taskNotFound",
        "delete: changed", "delete: taskNotFound", "delete: locked",
        "settings: changed", "settings: unchanged",
        "createSection: changed", "createSection: idTaken",
        "updateSection: changed", "updateSection: unchanged", "updateSection: sectionNotFound",
        "moveSection: changed", "moveSection: unchanged", "moveSection: sectionNotFound",
        "moveSection: locked",
        "deleteSection: changed", "deleteSection: sectionNotFound", "deleteSection: locked",
    ]
}

extension Command {
    fileprivate var caseName: String { Self.caseName(of: self) }

    fileprivate static func caseName<Value>(of value: Value) -> String {
        Mirror(reflecting: value).children.first?.label ?? "\(value)"
    }
}

extension Result where Success == ListModel.Effect, Failure == Refusal {
    fileprivate var name: String {
        switch self {
        case .failure(let refusal): Command.caseName(of: refusal)
        case .success(let effect):
            if let rows = effect.rows {
                Command.caseName(of: rows)
            } else if !effect.collapsed.isEmpty {
                "collapsing"
            } else if let placedBy = effect.placedBy {
                "\(placedBy)" + (effect.changed ? "" : ", unchanged")
            } else {
                effect.changed ? "changed" : "unchanged"
            }
        }
    }
}
