import ReorderEngine
import ReorderJSON

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
    var deepest: Int { path.count }

    mutating func beginSection(_ title: String, line: Int) throws(ImportError) {
        try Self.check(title: title, line: line)
        sections.append((makeID(), title))
        path = []
    }

    /// Adds a task at a depth of at most `deepest`.
    mutating func addTask(
        _ title: String, depth: Int, done: Bool = false, collapsed: Bool = false,
        data: String? = nil, line: Int
    ) throws(ImportError) {
        try Self.check(title: title, line: line)
        guard depth < ReorderableList.maximumLevels else {
            throw ImportError(
                line: line,
                reason: "The task is nested deeper than \(ReorderableList.maximumLevels) levels.")
        }
        path.removeLast(path.count - depth)
        let id = makeID()
        tasks.append(
            ReorderableList.Entry(
                content: TaskContent(
                    id: id, title: title, collapsed: collapsed, done: done, data: data),
                section: sections.last?.id, parent: path.last))
        path.append(id)
    }

    func makeList(title: String, line: Int?) throws(ImportError) -> ReorderableList {
        try Self.check(title: title, line: line)
        do {
            return try ReorderableList(
                settings: ListSettings(title: title), sections: sections, tasks: tasks)
        } catch {
            throw ImportError(reason: "The list is invalid: \(error).")
        }
    }

    private static func check(title: String, line: Int?) throws(ImportError) {
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw ImportError(
                line: line,
                reason: "A title must have at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
    }
}
