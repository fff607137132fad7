import ReorderEngine
import ReorderJSON

/// Makes a list of titles that come in order, each with how deep it is nested.
struct OutlineBuilder {
    private let makeID: () -> String
    private var sections: [(id: SectionID, title: String)] = []
    private var tasks: [ReorderableList.Entry] = []
    /// The last task and its ancestors, the outermost first.
    private var path: [TaskID] = []

    init(makeID: @escaping () -> String) {
        self.makeID = makeID
    }

    var isEmpty: Bool { sections.isEmpty && tasks.isEmpty }

    /// How deep the next task can be at most.
    var deepest: Int { path.count }

    mutating func beginSection(_ title: String, line: Int) throws(TransferError) {
        try Self.check(title: title, line: line)
        sections.append((makeID(), title))
        path = []
    }

    /// Adds a task at a depth of at most `deepest`.
    mutating func addTask(
        _ title: String, depth: Int, done: Bool = false, collapsed: Bool = false,
        data: String? = nil, line: Int
    ) throws(TransferError) {
        try Self.check(title: title, line: line)
        guard depth < ReorderableList.maximumLevels else {
            throw TransferError(
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

    func makeList(title: String, line: Int?) throws(TransferError) -> ReorderableList {
        try Self.check(title: title, line: line)
        do {
            return try ReorderableList(
                settings: ListSettings(title: title), sections: sections, tasks: tasks)
        } catch {
            throw TransferError(reason: "No list can be made of it: \(error).")
        }
    }

    private static func check(title: String, line: Int?) throws(TransferError) {
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw TransferError(
                line: line,
                reason: "A title has at most \(FormLimits.titleBytes) bytes of UTF-8.")
        }
    }
}
