import ListModel
import ReorderEngine
import ReorderJSON

/// Lists, and what comes of steps on them, for clients in other languages: random ones, of each kind as many as are worth their place.
struct MoveVectors {
    /// How many steps of each kind were taken.
    private var met: [String: Int] = [:]

    /// - Throws: `Difference`.
    static func json() throws -> String {
        var vectors = MoveVectors()
        var lists: [String] = []
        for seed in 1...UInt64(200) {
            if let list = try vectors.list(seed: seed) { lists.append(list) }
        }
        return "[\n\(lists.joined(separator: ",\n"))\n]\n"
    }

    /// Counts a step, unless there are enough of its kind.
    private mutating func takes(_ outcome: Outcome) -> Bool {
        let (whole, part) = (outcome.kind, "\(outcome.kind): \(outcome.detail)")
        let most = outcome.isRefused ? 10 : whole.hasPrefix("move") ? 60 : 20
        guard met[whole, default: 0] < most, met[part, default: 0] < 1 else { return false }
        met[whole, default: 0] += 1
        met[part, default: 0] += 1
        return true
    }

    /// The model decides otherwise.
    struct Difference: Error {
        let step: String
    }

    /// A list with its steps; nil if there are too few new ones.
    private mutating func list(seed: UInt64) throws -> String? {
        var requests = RandomRequests(seed: seed)
        var (sections, tasks, model) = requests.document()
        model.settings.elementsOffset = max(0, model.settings.elementsOffset)
        // Titles that are the ids need no place.
        for index in sections.indices { sections[index].title = sections[index].id }
        for index in tasks.indices { tasks[index].content.title = tasks[index].content.id }
        for index in model.sections.indices {
            model.sections[index].title = model.sections[index].id ?? ""
        }
        for task in model.tasks { model.edit(task.id) { $0.title = task.id } }
        let list = try ReorderableList(
            settings: model.settings, sections: sections, tasks: tasks)
        var steps: [String] = []
        let before = met
        for _ in 0..<40 {
            var step = [Self.request(&requests, model)]
            if requests.random.chance(10) {
                var later = model
                for _ in 0...requests.random.below(2) {
                    _ = try? later.perform(step[step.count - 1])
                    step.append(Self.request(&requests, later))
                }
            }
            let outcome = Outcome(of: step, on: list, model)
            if takes(outcome) { steps.append(try outcome.text(checkedBy: model)) }
        }
        guard steps.count >= 3 else {
            met = before
            return nil
        }
        return "{\"list\":\(Self.document(model)),\"steps\":[\n"
            + steps.joined(separator: ",\n") + "\n]}"
    }

    /// A request that a client sends: it names tasks by their ids.
    private static func request(
        _ requests: inout RandomRequests, _ list: ListModel
    ) -> Command {
        while true {
            let request = requests.next(for: list)
            switch request {
            case .move(let move):
                guard !move.countsRows, move.destination != Destination(), move.destination.isJSON
                else { continue }
                if case .tasks(let tasks) = move.subject, Set(tasks).count < tasks.count {
                    continue
                }
            case .create(_, let destination):
                guard destination.isJSON else { continue }
            case .createSection(_, _, let position, _, _):
                guard position.map({ 0..<1_000 ~= $0 }) ?? true else { continue }
            case .moveSection(_, let position):
                guard 0..<1_000 ~= position else { continue }
            case .update(_, let patch): guard !patch.isEmpty else { continue }
            case .settings(let patch):
                guard !patch.isEmpty, patch.elementsOffset ?? 0 >= 0 else {
                    continue
                }
            default: break
            }
            return request
        }
    }
}

extension MoveVectors {
    /// The list without the members that have their usual values.
    private static func document(_ model: ListModel) -> String {
        var members: [String] = []
        let settings = model.settings
        if settings.title != "List" { members.append("\"title\":\"\(settings.title)\"") }
        if settings.elementsOffset != 0 {
            members.append("\"elementsOffset\":\(settings.elementsOffset)")
        }
        if settings.collapseSubElements { members.append("\"collapseSubElements\":true") }
        if settings.moves != .anywhere {
            members.append("\"moves\":\"\(settings.moves.rawValue)\"")
        }
        for case (let name, let limit?) in [
            ("maxDepth", settings.maxDepth), ("maxTasksPerSection", settings.maxTasksPerSection),
            ("tasksPerParent", settings.tasksPerParent),
        ] { members.append("\"\(name)\":\(limit)") }
        if let data = settings.data { members.append("\"data\":\(data)") }
        let sections = model.sections.compactMap { section in
            section.id.map { "{\"id\":\"\($0)\",\"title\":\"\(section.title)\"}" }
        }
        if !sections.isEmpty { members.append("\"sections\":[\(sections.joined(separator: ","))]") }
        let tasks = model.tasks.map { task in
            var text = task.content.members
            if let parent = task.placement.parent { text += ",\"parent\":\"\(parent)\"" }
            if let section = task.placement.section { text += ",\"section\":\"\(section)\"" }
            return "{\(text)}"
        }
        members.append("\"tasks\":[\(tasks.joined(separator: ","))]")
        return "{\(members.joined(separator: ","))}"
    }
}

extension Destination {
    /// Whether JSON can have it.
    fileprivate var isJSON: Bool {
        guard let place else { return true }
        return place.position.map { 0..<1_000 ~= $0 } ?? (place.siblings != .own)
    }
}

// MARK: - Outcomes

/// What comes of a step.
private struct Outcome {
    private let step: [Command]
    private let list: ReorderableList
    private var operations: [ListOperation] = []
    private var placedBy: PlacedBy?
    private var refusal: (Refusal, at: Int)?
    /// The step's kind, and how it ends.
    private(set) var kind: String
    /// How the members of its destination are related to the list.
    let detail: String

    init(of step: [Command], on list: ReorderableList, _ model: ListModel) {
        self.step = step
        var list = list
        detail = step.count == 1 ? model.kind(of: step[0]) : step.map(\.name).joined()
        kind = step.count == 1 ? step[0].name : "several"
        for (index, request) in step.enumerated() {
            do throws(Refusal) {
                let (made, effect) = try list.perform(request)
                operations += made
                placedBy = effect.placedBy
                if !effect.collapsed.isEmpty { kind += " collapses" }
            } catch {
                refusal = (error, at: index)
                break
            }
        }
        self.list = list
        if let refusal {
            kind += " \(refusal.0.code)"
        } else {
            kind +=
                operations.isEmpty
                ? " unchanged" : step.count == 1 ? " \(placedBy?.rawValue ?? "")" : ""
        }
    }

    var isRefused: Bool { refusal != nil }

    /// - Throws: `MoveVectors.Difference`.
    func text(checkedBy before: ListModel) throws -> String {
        var model = before
        let ops = step.map { $0.text() }.joined(separator: ",")
        do {
            for request in step { _ = try model.perform(request) }
            guard refusal == nil, list.difference(from: model) == nil else {
                throw MoveVectors.Difference(step: ops)
            }
        } catch let other as Refusal {
            guard refusal?.0 == other else { throw MoveVectors.Difference(step: ops) }
        }
        var members = ["\"step\":[\(ops)]"]
        if let refusal {
            members.append("\"refused\":\"\(refusal.0.code)\"")
            if step.count > 1 { members.append("\"at\":\(refusal.at)") }
        } else {
            members.append("\"ops\":[\(operations.map(Self.json).joined(separator: ","))]")
            if step.count == 1, let placedBy {
                members.append("\"placedBy\":\"\(placedBy.rawValue)\"")
            }
            if !operations.isEmpty { members.append("\"after\":\"\(Self.outline(model))\"") }
        }
        return "{\(members.joined(separator: ","))}"
    }

    private static func json(_ operation: ListOperation) -> String {
        var writer = JSONWriter()
        writer.operation(operation)
        let epoch = "1970-01-01T00:00:00.000Z"
        return String(decoding: writer.bytes, as: UTF8.self)
            .replacing(",\"createdAt\":\"\(epoch)\",\"updatedAt\":\"\(epoch)\"", with: "")
    }

    private static func outline(_ model: ListModel) -> String {
        func tasks(in section: SectionID?) -> String {
            Outline.text(of: model.tasks.filter { $0.placement.section == section }) { task in
                let content = task.content
                return task.id + (content.collapsed ? "+" : "") + (content.locked ? "!" : "")
                    + (content.done ? "*" : "")
                    + (content.title == task.id ? "" : "=\(content.title)")
            }
        }
        return model.sections.map { section in
            [section.id.map { "#\($0)" }, tasks(in: section.id)].compactMap { $0 }
                .joined(separator: " ")
        }.joined(separator: " ").trimmed
    }
}

extension Refusal {
    /// For example `task_not_found`.
    fileprivate var code: String {
        let name = Mirror(reflecting: self).children.first?.label ?? "\(self)"
        return name.reduce(into: "") { code, letter in
            code += (letter.isUppercase ? "_" : "") + letter.lowercased()
        }
    }
}

extension String {
    /// Without spaces at both ends and more than one between words.
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}

// MARK: - Kinds

extension Command {
    fileprivate var name: String {
        let name = Mirror(reflecting: self).children.first?.label ?? ""
        if case .move(let move) = self, move.subject.isBlock { return "moves" }
        return name
    }
}

extension ListModel {
    /// How the members of a request are related to the list.
    fileprivate func kind(of request: Command) -> String {
        switch request {
        case .move(let move):
            let named = (try? tasks(named: move.subject)) ?? []
            let inside = named.flatMap { subtree(of: $0.id) }
            return kind(of: move.destination, for: named.first, inside)
        case .create(_, let destination): return kind(of: destination, for: nil, [])
        case .update(_, let patch): return patch.members.filter { $0.isLetter }
        case .settings(let patch): return patch.members.filter { $0.isLetter }
        default: return request.text()
        }
    }

    private func kind(of to: Destination, for task: ListTask?, _ inside: [TaskID]) -> String {
        let place: Siblings? =
            switch to.place?.siblings {
            case .subtasks(let parent): .under(parent)
            case .section(let section): .top(section)
            case .topLevel, .own, nil: nil
            }
        func kind(_ anchor: TaskID?) -> String {
            guard let anchor else { return "-" }
            guard let found = self.task(anchor) else { return "gone" }
            if inside.contains(anchor) { return "inside" }
            return siblings(of: found) == place ? "there" : "elsewhere"
        }
        var text = "\(kind(to.after)) \(kind(to.before)) "
        switch to.place?.siblings {
        case .subtasks(let parent):
            text += self.task(parent) == nil ? "no" : inside.contains(parent) ? "inside" : "parent"
        case .section(let section): text += has(section: section) ? "section" : "no"
        case .topLevel: text += "top"
        case .own: text += "own"
        case nil: text += "-"
        }
        return text + (to.place?.position == nil ? "" : " position")
    }
}
