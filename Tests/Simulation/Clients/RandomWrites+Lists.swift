import ListModel
import RandomRuns
import ReorderEngine

// Requests for whole lists.

extension RandomWrites {
    /// Whether the tasks of a deleted list are in no other list. Some restores of other lists are
    /// tried too.
    mutating func isRestorable(_ list: String, _ journal: Journal) -> Bool {
        let states = journal.lists[list]?.states ?? [:]
        guard let last = states.keys.max(), !random.chance(20) else { return true }
        return states[last]?.tasks.allSatisfy { journal.holders[$0.id] == nil } ?? true
    }

    /// Undoes a change: often the last one, and rarely one that replaced the list, because that
    /// can't be undone.
    mutating func undo(_ path: String, _ list: String, _ journal: Journal) -> Intention {
        let last = journal.version(list)
        let undoable = (max(1, last - 8)...max(1, last)).filter { version in
            let change = journal.lists[list]?.changes[version] ?? []
            return change.firstRange(of: Array("\"replace\"".utf8)) == nil
        }
        var version = max(1, last - (random.chance(50) ? 0 : random.below(8)))
        if random.chance(80), !undoable.isEmpty {
            version = undoable[random.below(undoable.count)]
        }
        let undo = intention(
            "undo", .post, "\(path)/undo", "{\"version\":\(version)}", list: list, .undo(version))
        undo.undone = version
        return undo
    }

    /// Creates or replaces a list, whose tasks are nested.
    mutating func put(_ list: String) -> Intention {
        var model = ListModel(settings: ListSettings(title: list))
        model.settings.collapseSubElements = random.chance(40)
        let isInLines = random.chance(25)
        let sections = (0..<(isInLines ? 0 : random.below(3))).map { "s\($0)" }
        model.sections += sections.map { ListModel.Section(id: $0, title: "S") }
        var elements: [String] = []
        var made: Set<TaskID> = []
        /// The last task and the tasks above it.
        var path: [TaskID] = []
        for _ in 0..<random.below(1 + taskCount / 2) {
            let id = newTaskID()
            guard made.insert(id).inserted else { continue }
            path.removeLast(random.below(path.count + 1))
            if path.count > 3 { path.removeLast() }
            let parent = path.last
            let content = TaskContent(
                id: id, title: "\(name) \(count)", collapsed: random.chance(20),
                done: random.chance(20))
            let isTop = parent == nil && !sections.isEmpty && random.chance(60)
            let section = isTop ? sections[random.below(sections.count)] : nil
            let siblings = parent.map { ListModel.Siblings.under($0) } ?? .top(section)
            model.insert(
                [ListModel.Node(content: content)], at: model.nodes(siblings).count,
                among: siblings)
            elements.append(
                "{\(content.members),\"done\":\(content.done),\"collapsed\":\(content.collapsed)"
                    + (parent.map { ",\"parent\":\"\($0)\"" } ?? "")
                    + (section.map { ",\"section\":\"\($0)\"}" } ?? "}"))
            path.append(id)
        }
        let head =
            "\"title\":\"\(list)\",\"collapseSubElements\":"
            + "\(model.settings.collapseSubElements)"
        let records = sections.map { "{\"id\":\"\($0)\",\"title\":\"S\"}" }
        let body =
            isInLines
            ? (["{\(head)}"] + elements).joined(separator: "\n")
            : "{\(head),\"sections\":[\(records.joined(separator: ","))],\"tasks\":[\(elements.joined(separator: ","))]}"
        let put = intention("put", .put, "/lists/\(list)", body, list: list, .replace(model))
        if isInLines { put.headers.append(("Content-Type", "application/x-ndjson")) }
        return put
    }
}
