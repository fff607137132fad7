import Foundation
import ReorderEngine
import ReorderJSON

/// The user's operations. When a call returns, its operation is applied. If a call throws, nothing
/// has changed. It throws ``ClientError/refused(_:)`` if the list's rules refuse the operation, or
/// `invalid`, `queueFull`, `storage` or `closed`. A call returns whether anything changed, and
/// costs O(log n), unless stated otherwise.
extension SyncedList {
    // MARK: Moves

    /// Moves a task with its subtasks to a destination.
    @discardableResult
    package func move(_ task: TaskID, to destination: Destination) throws(ClientError) -> Bool {
        try move(MoveRequest(.task(task), to: destination))
    }

    /// Moves a task with its subtasks after a sibling.
    @discardableResult
    package func move(_ task: TaskID, after sibling: TaskID) throws(ClientError) -> Bool {
        try move(task, to: Destination(after: sibling))
    }

    /// Moves a task with its subtasks before a sibling.
    @discardableResult
    package func move(_ task: TaskID, before sibling: TaskID) throws(ClientError) -> Bool {
        try move(task, to: Destination(before: sibling))
    }

    /// Moves tasks with their subtasks; they arrive in this order. O(log n) for each task.
    ///
    /// The client adds fallbacks to the destination. A place with a position (a drop) is sent with
    /// both neighbors: if one of them is moved or deleted meanwhile, the other still identifies
    /// the place. A place without a position stays "the end".
    @discardableResult
    public func move(_ tasks: [TaskID], to destination: Destination) throws(ClientError) -> Bool {
        try move(MoveRequest(.tasks(tasks), to: destination))
    }

    /// Moves the task at one visible row so that it is at another row afterwards (see `RowLayout`).
    ///
    /// The rows are those of the newest state. If the table view shows an earlier one, pass
    /// `MoveRequest.namingTasks(in:into:)` to `move(_:)`.
    @discardableResult
    package func move(row: Int, toRow: Int) throws(ClientError) -> Bool {
        try move(MoveRequest(.row(row), to: Destination(row: toRow)))
    }

    /// Executes a move request of any form.
    @discardableResult
    package func move(_ request: MoveRequest) throws(ClientError) -> Bool {
        try apply(.move(request))
    }

    // MARK: Tasks

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - title: at most 4 KiB of UTF-8.
    ///   - id: 1 to 64 characters of `A-Z a-z 0-9 . _ ~ -`, unique on the server; nil: a new UUID.
    ///   - data: the app's free-form data as JSON text, at most 8 KiB.
    ///   - destination: as in a move.
    /// - Returns: the task's id.
    @discardableResult
    public func create(
        _ title: String, id: TaskID? = nil, data: String? = nil,
        at destination: Destination = .end(of: nil)
    ) throws(ClientError) -> TaskID {
        let id = id ?? UUID().uuidString.lowercased()
        try create(TaskContent(id: id, title: title, data: data), at: destination)
        return id
    }

    /// Creates a task with an id and content chosen by the app.
    ///
    /// - Parameter content: its id has 1 to 64 characters of `A-Z a-z 0-9 . _ ~ -` and is unique on
    ///   the server.
    @discardableResult
    package func create(
        _ content: TaskContent, at destination: Destination = Destination()
    ) throws(ClientError) -> Bool {
        try apply(.create(content, at: destination))
    }

    /// Changes a task's content.
    @discardableResult
    public func update(_ task: TaskID, _ changes: TaskChanges) throws(ClientError) -> Bool {
        try apply(.update(task, changes))
    }

    /// Sets whether a task's subtasks are hidden: for everyone, or for one person if the client has
    /// folds. Then it changes the list of folds, in O(number of folds).
    @discardableResult
    public func collapse(_ task: TaskID, _ collapsed: Bool = true) throws(ClientError) -> Bool {
        guard let folds = runner.folds else { return try apply(.collapse(task, collapsed)) }
        guard runner.isOpen(handle) else { throw .closed }
        guard self[task] != nil else { throw .refused(.taskNotFound(task)) }
        let isChanged = try folds.fold(task, collapsed)
        runner.followFolds()
        return isChanged
    }

    /// Changes the entry of a task in this list of folds, or creates one.
    private func fold(_ task: TaskID, _ isFolded: Bool) throws(ClientError) -> Bool {
        if let entry = FoldEntries(of: snapshot).entry(of: task) {
            return try apply(.collapse(entry, isFolded))
        }
        let id = UUID().uuidString.lowercased()
        return try create(FoldEntries.entry(id: id, of: task, isFolded: isFolded))
    }

    /// Deletes a task with its subtasks. O(1) more for each subtask.
    @discardableResult
    public func delete(_ task: TaskID) throws(ClientError) -> Bool {
        try apply(.delete(task))
    }

    // MARK: Sections and the list itself

    /// Creates an empty section.
    ///
    /// - Parameters:
    ///   - position: its index among the sections; nil means the end.
    ///   - data: free-form data as JSON text, with the limits of a task's data.
    /// - Returns: the section's id.
    @discardableResult
    package func createSection(
        _ title: String, id: SectionID? = nil, position: Int? = nil, data: String? = nil
    ) throws(ClientError) -> SectionID {
        let id = id ?? UUID().uuidString.lowercased()
        _ = try apply(
            .createSection(id, title: title, position: position.map { max(0, $0) }, data: data))
        return id
    }

    /// Changes a section's title.
    @discardableResult
    package func renameSection(_ section: SectionID, title: String) throws(ClientError) -> Bool {
        try updateSection(section, title: title)
    }

    /// Changes a section's title and data.
    ///
    /// - Parameters:
    ///   - title: nil keeps the title.
    ///   - data: a merge patch (RFC 7396) as JSON text; `null` removes all data, nil keeps it.
    @discardableResult
    package func updateSection(
        _ section: SectionID, title: String? = nil, data: String? = nil
    ) throws(ClientError) -> Bool {
        guard title != nil || data != nil else { return false }
        return try apply(
            .updateSection(
                section, SectionUpdate(title: title, data: data.map { DataUpdate(json: $0) })))
    }

    /// Moves a section with its tasks. O(number of sections).
    ///
    /// - Parameter position: its index among the other sections.
    @discardableResult
    package func moveSection(_ section: SectionID, position: Int) throws(ClientError) -> Bool {
        try apply(.moveSection(section, position: max(0, position)))
    }

    /// Deletes a section; its tasks lose the section, or are deleted too.
    @discardableResult
    package func deleteSection(
        _ section: SectionID, tasks: ReorderableList.SectionTasks = .keep
    ) throws(ClientError) -> Bool {
        try apply(.deleteSection(section, tasks: tasks))
    }

    /// Changes the given settings of the list.
    ///
    /// - Parameter data: a merge patch of the list's `data` as JSON text; `null` removes the data.
    @discardableResult
    package func update(
        _ settings: SettingsUpdate, data: String? = nil
    ) throws(ClientError) -> Bool {
        var update = settings
        update.data = data.map { DataUpdate(json: $0) }
        return try apply(.settings(update))
    }

    private func apply(_ command: Command) throws(ClientError) -> Bool {
        let valid = try command.validated()
        return try update { machine, now in
            try machine.apply(valid, id: UUID().uuidString.lowercased(), at: now)
        }
    }

    func update<Value: Sendable>(
        _ body: (inout SyncMachine, _ now: Double) throws -> Value
    ) throws(ClientError) -> Value {
        guard runner.isOpen(handle) else { throw .closed }
        do {
            return try runner.update(body)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .storage(of: error)
        }
    }
}

/// Rejects values that the server would reject, before they are displayed.
enum InputValidation {
    static func id(_ id: String) throws(ClientError) {
        guard Identifier.isValid(id) else { throw .invalid(Identifier.rule) }
    }

    static func title(_ title: String) throws(ClientError) {
        guard title.utf8.count <= FormLimits.titleBytes else {
            throw .invalid(
                "The title is too long. It can have \(FormLimits.titleBytes) bytes; most letters need one."
            )
        }
        guard !title.utf8.contains(0) else {
            throw .invalid("The title has a character that can't be stored.")
        }
    }

    static func limit(_ update: LimitUpdate?) throws(ClientError) {
        guard update?.limit ?? 1 >= 1 else { throw .invalid("A limit must be 1 task or more.") }
    }

    static func settings(_ update: SettingsUpdate) throws(ClientError) {
        if let title = update.title { try self.title(title) }
        guard update.elementsOffset ?? 0 >= 0 else {
            throw .invalid("The number of locked rows must be 0 or more.")
        }
        guard update.hasValidLimits else {
            throw .invalid("A list can have 1 to 16 levels, and limits of 1 task or more.")
        }
    }

    /// The text in the compact form that the server stores.
    static func data(_ data: String) throws(ClientError) -> String {
        guard let text = try? JSONText(checking: Array(data.utf8)) else {
            throw .invalid("The data must be JSON.")
        }
        var reader = JSONReader(text)
        let compact = reader.readRaw()
        guard compact.utf8.count <= FormLimits.dataBytes else {
            throw .invalid("The data is too large. It can have \(FormLimits.dataBytes) bytes.")
        }
        guard FormLimits.allowsData(compact) else {
            throw .invalid(
                "The data is nested too deeply. It can have \(FormLimits.dataNesting) levels.")
        }
        return compact
    }
}
