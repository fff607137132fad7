import ListModel
import RandomRuns
import ReorderEngine
import ReorderJSON

// Requests for whole lists.

extension RandomWrites {
    /// Whether a list is in the bin, and its tasks are in no other list. Some other restores are
    /// tried too.
    mutating func isRestorable(_ list: String, _ journal: Journal) -> Bool {
        guard let history = journal.lists[list] else { return false }
        if random.chance(10) { return true }
        let last = history.states.keys.max().flatMap { history.states[$0] }
        return history.isInBin
            && last?.tasks.allSatisfy { journal.holders[$0.id] == nil } ?? false
    }

    /// Undoes one of the last changes, usually one that the model can undo.
    mutating func undo(_ path: String, _ list: String, _ journal: Journal) -> Intention {
        let last = journal.version(list)
        var version = max(1, last - random.below(12))
        for _ in 0..<4 where random.chance(90) && !isUndoable(version, of: list, journal) {
            version = max(1, last - random.below(12))
        }
        let undo = intention(
            "undo", .post, "\(path)/undo", "{\"version\":\(version)}", list: list, .undo(version))
        undo.undone = version
        return undo
    }

    private func isUndoable(_ version: Int, of list: String, _ journal: Journal) -> Bool {
        guard let history = journal.lists[list], let now = history.list,
            let before = history.states[version - 1],
            let change = try? ChangeDocument(json: history.changes[version] ?? [])
        else { return false }
        var undone = ListModel(now)
        do {
            try undone.undo(change.operations, before: ListModel(before))
        } catch {
            return false
        }
        return undone != ListModel(now)
    }

    /// Creates or replaces a list, whose tasks are nested.
    mutating func put(_ list: String) -> Intention {
        var model = ListModel(settings: ListSettings(title: list))
        model.settings.collapseSubElements = random.chance(50)
        model.settings.elementsOffset = random.chance(25) ? 1 + random.below(2) : 0
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
                "{\(content.members)"
                    + (parent.map { ",\"parent\":\"\($0)\"" } ?? "")
                    + (section.map { ",\"section\":\"\($0)\"}" } ?? "}"))
            path.append(id)
        }
        if random.chance(60) { model.settings.apply(random.limits(of: model)) }
        let head =
            "\"title\":\"\(list)\",\"collapseSubElements\":"
            + "\(model.settings.collapseSubElements),\"elementsOffset\":"
            + "\(model.settings.elementsOffset)"
            + model.settings.limitMembers
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
