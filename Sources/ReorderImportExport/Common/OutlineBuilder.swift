import ReorderEngine

/// Builds a list from titles in order, each with its depth.
struct OutlineBuilder {
    private let makeID: () -> String
    private var sections: [(id: SectionID, title: String)] = []
    private var tasks: [ReorderableList.Entry] = []
    /// The last task and its ancestors, outermost first.
    private var path: [TaskID] = []

    init(makeID: @escaping () -> String) {
        self.makeID = makeID
    }

    var isEmpty: Bool { sections.isEmpty && tasks.isEmpty }

    /// The maximum depth of the next task.
    var deepest: Int { min(path.count, ReorderableList.maximumLevels - 1) }

    mutating func beginSection(_ title: String) {
        sections.append((makeID(), title))
        path = []
    }

    /// Adds a task at a depth of at most `deepest`, with a new id if it has none.
    mutating func addTask(
        _ title: String, depth: Int, done: Bool = false, collapsed: Bool = false,
        data: String? = nil, id: String? = nil
    ) {
        path.removeLast(path.count - depth)
        let id = id ?? makeID()
        tasks.append(
            ReorderableList.Entry(
                content: TaskContent(
                    id: id, title: title, collapsed: collapsed, done: done, data: data),
                section: sections.last?.id, parent: path.last))
        path.append(id)
    }

    func makeList(title: String) throws(ImportError) -> ReorderableList {
        do {
            return try ReorderableList(
                settings: ListSettings(title: title), sections: sections, tasks: tasks)
        } catch {
            throw ImportError(reason: "The list is invalid: \(error).")
        }
    }
}
