import Foundation
import ReorderEngine
import ReorderJSON

/// What a person can do. Each is done when the call returns, or throws and has changed nothing:
/// ``ClientError/refused(_:)`` where the list's rules say no, `invalid`, `queueFull`, `storage`,
/// `closed`. All give whether anything is different, and cost O(log n) where nothing else is said.
extension SyncedList {
    // MARK: Moves

    /// Moves a task with its subtasks to a destination.
    ///
    /// The destination that is sent has fallbacks by itself. A place with a position (a drop) names
    /// both neighbours too: while the task is on its way, the one may be moved or deleted, and the
    /// other still says where the person meant. A place without a position stays "the end".
    @discardableResult
    public func move(_ task: TaskID, to destination: Destination) throws(ClientError) -> Bool {
        try move(MoveRequest(.task(task), to: destination))
    }

    /// Moves a task with its subtasks behind a sibling.
    @discardableResult
    public func move(_ task: TaskID, after sibling: TaskID) throws(ClientError) -> Bool {
        try move(task, to: Destination(after: sibling))
    }

    /// Moves a task with its subtasks before a sibling.
    @discardableResult
    public func move(_ task: TaskID, before sibling: TaskID) throws(ClientError) -> Bool {
        try move(task, to: Destination(before: sibling))
    }

    /// Moves several tasks; they arrive in this order. O(log n) a task.
    @discardableResult
    public func move(_ tasks: [TaskID], to destination: Destination) throws(ClientError) -> Bool {
        try move(MoveRequest(.tasks(tasks), to: destination))
    }

    /// Moves the task at a visible row to another, as a table view's edit mode tells it.
    @discardableResult
    public func move(row: Int, toRow: Int) throws(ClientError) -> Bool {
        try move(MoveRequest(.row(row), to: Destination(row: toRow)))
    }

    /// Does a move in any of its forms.
    @discardableResult
    public func move(_ request: MoveRequest) throws(ClientError) -> Bool {
        try perform(.move(request))
    }

    // MARK: Tasks

    /// Makes a task.
    ///
    /// - Parameters:
    ///   - title: at most 4 KiB of UTF-8.
    ///   - destination: as in a move; an empty one is the end of the tasks without a section.
    /// - Returns: the task's id, which is new in the world.
    @discardableResult
    public func create(
        _ title: String, at destination: Destination = Destination()
    ) throws(ClientError) -> TaskID {
        let id = UUID().uuidString.lowercased()
        try create(TaskContent(id: id, title: title), at: destination)
        return id
    }

    /// Makes a task with an id and content of the app's choice.
    ///
    /// - Parameter content: its id is 1 to 64 of `A-Z a-z 0-9 . _ ~ -`, unique in the server.
    @discardableResult
    public func create(
        _ content: TaskContent, at destination: Destination = Destination()
    ) throws(ClientError) -> Bool {
        var content = content
        try Checks.id(content.id)
        try Checks.title(content.title)
        content.data = try content.data.map { data throws(ClientError) in try Checks.data(data) }
        return try perform(.create(content, at: destination))
    }

    /// Changes what a task is.
    @discardableResult
    public func update(_ task: TaskID, _ changes: TaskChanges) throws(ClientError) -> Bool {
        var changes = changes
        if let title = changes.title { try Checks.title(title) }
        changes.data = try changes.data.map { data throws(ClientError) in try Checks.data(data) }
        return try perform(.update(task, changes))
    }

    /// Hides or shows a task's subtasks: a value, never a toggle.
    @discardableResult
    public func collapse(_ task: TaskID, _ collapsed: Bool = true) throws(ClientError) -> Bool {
        try perform(.collapse(task, collapsed))
    }

    /// Deletes a task with its subtasks. O(1) more for each of them.
    @discardableResult
    public func delete(_ task: TaskID) throws(ClientError) -> Bool {
        try perform(.delete(task))
    }

    // MARK: Sections and the list itself

    /// Makes an empty section.
    ///
    /// - Parameter position: its index among the sections; `nil` is the end.
    /// - Returns: the section's id.
    @discardableResult
    public func createSection(
        _ title: String, id: SectionID? = nil, position: Int? = nil
    ) throws(ClientError) -> SectionID {
        let id = id ?? UUID().uuidString.lowercased()
        try Checks.id(id)
        try Checks.title(title)
        _ = try perform(.createSection(id, title: title, position: position.map { max(0, $0) }))
        return id
    }

    /// Gives a section another title.
    @discardableResult
    public func renameSection(_ section: SectionID, title: String) throws(ClientError) -> Bool {
        try Checks.title(title)
        return try perform(.renameSection(section, title: title))
    }

    /// Moves a section with its tasks. O(number of sections).
    ///
    /// - Parameter position: its index among the sections, counted without it.
    @discardableResult
    public func moveSection(_ section: SectionID, position: Int) throws(ClientError) -> Bool {
        try perform(.moveSection(section, position: max(0, position)))
    }

    /// Deletes a section; its tasks lose it, or are deleted too.
    @discardableResult
    public func deleteSection(
        _ section: SectionID, tasks: ReorderableList.SectionTasks = .keep
    ) throws(ClientError) -> Bool {
        try perform(.deleteSection(section, tasks: tasks))
    }

    /// Changes what is given of the list's settings.
    @discardableResult
    public func update(_ settings: SettingsUpdate) throws(ClientError) -> Bool {
        if let title = settings.title { try Checks.title(title) }
        guard settings.elementsOffset ?? 0 >= 0 else {
            throw .invalid("elementsOffset is 0 or more.")
        }
        return try perform(.settings(settings))
    }

    private func perform(_ intent: Intent) throws(ClientError) -> Bool {
        do {
            return try runner.update { machine, now in
                try machine.perform(intent, id: UUID().uuidString.lowercased(), at: now)
            }
        } catch let error as ClientError {
            throw error
        } catch {
            throw .storage("\(error)")
        }
    }
}

/// What the server would not take is refused here, before it is shown.
private enum Checks {
    static func id(_ id: String) throws(ClientError) {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
    }

    static func title(_ title: String) throws(ClientError) {
        guard title.utf8.count <= FormLimits.titleBytes, !title.utf8.contains(0) else {
            throw .invalid(
                "A title has at most \(FormLimits.titleBytes) bytes of UTF-8, none of them 0.")
        }
    }

    /// The text in the form in which the server keeps it.
    static func data(_ data: String) throws(ClientError) -> String {
        guard let text = try? JSONText(checking: Array(data.utf8)) else {
            throw .invalid("A task's data are JSON.")
        }
        var reader = JSONReader(text)
        let compact = reader.readRaw()
        guard FormLimits.allowsData(compact) else {
            throw .invalid("A task's data have at most \(FormLimits.dataBytes) bytes.")
        }
        return compact
    }
}
