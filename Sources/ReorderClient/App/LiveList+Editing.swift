import Foundation
import ReorderEngine
import ReorderJSON

/// Changes of tasks and sections. Each call returns whether the list changed; if the list's rules refuse a change, ``notice`` has the
/// reason.
extension LiveList {
    // MARK: Tasks

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - title: at most 4 KiB of UTF-8.
    ///   - place: such as `.end(of: section.id)`, `.after(row.id)` or `.inside(row.id)`.
    /// - Returns: the id of the task; nil if it could not be created.
    @discardableResult
    public func create(_ title: String, at place: Destination = .end(of: nil)) -> TaskID? {
        create(title, json: nil, at: place)
    }

    /// Creates a task with the app's own data.
    ///
    /// - Parameter data: a value that is encoded as a JSON object, at most 8 KiB.
    @discardableResult
    public func create(
        _ title: String, data: some Encodable, at place: Destination = .end(of: nil)
    ) -> TaskID? {
        guard let json = encode(data) else { return nil }
        return create(title, json: json, at: place)
    }

    private func create(_ title: String, json: String?, at place: Destination) -> TaskID? {
        let content = TaskContent(id: UUID().uuidString.lowercased(), title: title, data: json)
        return perform(.create, [.create(content, at: place)]) ? content.id : nil
    }

    /// Changes a task's title.
    @discardableResult
    public func rename(_ task: TaskID, to title: String) -> Bool {
        perform(.edit, [.update(task, TaskChanges(title: title))])
    }

    /// Sets whether a task is done.
    @discardableResult
    public func setCompleted(_ task: TaskID, _ isCompleted: Bool = true) -> Bool {
        perform(.edit, [.update(task, TaskChanges(done: isCompleted))])
    }

    /// Sets whether a task is protected against being moved or deleted.
    @discardableResult
    public func setLocked(_ task: TaskID, _ isLocked: Bool = true) -> Bool {
        perform(.edit, [.update(task, TaskChanges(locked: isLocked))])
    }

    /// Replaces the members of a task's data that `data` has. Members that it does not have stay.
    ///
    /// - Parameter data: a value that is encoded as a JSON object, at most 8 KiB.
    @discardableResult
    public func setData(_ task: TaskID, _ data: some Encodable) -> Bool {
        guard let json = encode(data) else { return false }
        return perform(.edit, [.update(task, TaskChanges(data: json))])
    }

    /// Deletes rows of a section with their subtasks, as SwiftUI's `onDelete` reports it.
    ///
    /// - Parameter section: the section that the view shows. It may be older than ``sections``.
    @discardableResult
    public func delete(_ rows: IndexSet, in section: Section) -> Bool {
        delete(section.tasks(at: rows))
    }

    /// Deletes tasks with their subtasks: all of them, or none if one is locked.
    @discardableResult
    public func delete(_ tasks: [TaskID]) -> Bool {
        // Tasks below others are deleted with them. Others may have deleted some meanwhile.
        let present =
            opening == nil
            ? newest.roots(of: tasks).filter { newest.contains($0) } : tasks
        return !present.isEmpty && perform(.delete, present.map { .delete($0) })
    }

    /// Hides or shows the subtasks of a task. It can't be undone.
    @discardableResult
    public func setCollapsed(_ task: TaskID, _ isCollapsed: Bool) -> Bool {
        guard let synced else {
            guard let opening else { return unavailable() }
            Task {
                await opening.value
                setCollapsed(task, isCollapsed)
            }
            return true
        }
        // A task that the current step creates.
        if draft != nil, !displayed.contains(task) { return false }
        do {
            defer { refresh() }
            return try synced.collapse(task, isCollapsed)
        } catch {
            report(error, [task])
            return false
        }
    }

    /// Hides the subtasks of a task if they are visible, else shows them.
    @discardableResult
    public func toggleCollapsed(_ task: TaskID) -> Bool {
        setCollapsed(task, !(snapshot.task(task)?.content.collapsed ?? false))
    }

    // MARK: Sections and the list

    /// Creates an empty section.
    ///
    /// - Parameter position: its index among the sections that have an id; nil means the end.
    /// - Returns: the section's id; nil if it could not be created.
    @discardableResult
    public func createSection(_ title: String, at position: Int? = nil) -> SectionID? {
        let id = UUID().uuidString.lowercased()
        let command = Command.createSection(id, title: title, position: position.map { max(0, $0) })
        return perform(.create, [command]) ? id : nil
    }

    /// Changes a section's title.
    @discardableResult
    public func renameSection(_ section: SectionID, to title: String) -> Bool {
        perform(.edit, [.updateSection(section, SectionUpdate(title: title))])
    }

    /// Limits the tasks directly in a section, such as the column of a board.
    ///
    /// - Parameter limit: at least 1; nil: `maxTasksPerSection` of the list counts.
    @discardableResult
    public func limitSection(_ section: SectionID, to limit: Int?) -> Bool {
        perform(.edit, [.updateSection(section, SectionUpdate(maxTasks: LimitUpdate(limit)))])
    }

    /// Moves a section with its tasks.
    ///
    /// - Parameter position: its index afterwards, among the sections that have an id.
    @discardableResult
    public func moveSection(_ section: SectionID, to position: Int) -> Bool {
        perform(.move, [.moveSection(section, position: max(0, position))])
    }

    /// Deletes a section; its tasks lose the section, or are deleted too.
    @discardableResult
    public func deleteSection(
        _ section: SectionID, tasks: ReorderableList.SectionTasks = .keep
    ) -> Bool {
        perform(.delete, [.deleteSection(section, tasks: tasks)])
    }

    /// Changes the title of the list.
    @discardableResult
    public func rename(to title: String) -> Bool { update(SettingsUpdate(title: title)) }

    /// Changes settings of the list: how many rows are locked at its start, which moves are allowed, and its limits.
    @discardableResult
    public func update(_ settings: SettingsUpdate) -> Bool {
        perform(.edit, [.settings(settings)])
    }

    /// Changes the `data` of the list.
    ///
    /// - Parameter data: a JSON merge patch (RFC 7396); `null` removes the data.
    @discardableResult
    public func updateListData(_ data: String) -> Bool {
        perform(.edit, [.settings(SettingsUpdate(data: DataUpdate(json: data)))])
    }

    // MARK: Searching

    /// The tasks whose titles contain a text, also hidden ones, in the order of the list. Upper and lower case and accents do not matter.
    /// Empty for an empty text, and if the task that waits is cancelled, for example because the user types on. O(tasks), on another
    /// thread.
    public func rows(matching text: String) async -> [Row] {
        let (list, dragged, runner) = (snapshot, dragged, synced?.runner)
        return await Self.rows(matching: text, in: list) { tasks in
            let waiting = runner?.read { $0.waiting.tasks.intersection(tasks) }
            return RowMarks(waiting: waiting ?? [], dragged: dragged)
        }
    }

    private nonisolated static func rows(
        matching text: String, in list: ReorderableList,
        _ marks: @Sendable ([TaskID]) -> RowMarks
    ) async -> [Row] {
        guard !text.isEmpty else { return [] }
        var found: [ListTask] = []
        for task in list.tasks {
            guard !Task.isCancelled else { return [] }
            let range = task.content.title.range(
                of: text, options: [.caseInsensitive, .diacriticInsensitive], locale: .current)
            if range != nil { found.append(task) }
        }
        let marks = marks(found.map(\.id))
        return found.map { marks.row($0) }
    }

    // MARK: Steps

    /// Makes changes as one step, or as a part of the current one: all of them, or none.
    func perform(_ kind: UndoStep.Kind, _ commands: [Command]) -> Bool {
        do {
            guard draft == nil else {
                try draft?.add(kind, commands)
                return true
            }
            guard let synced else { return try performLater(kind, commands) }
            let step = try synced.perform(commands)
            refresh()
            guard let step else { return false }
            push(UndoStep(kind, step))
            return true
        } catch .closed where synced != nil {
            runnerStopped()
            return perform(kind, commands)
        } catch {
            report(error, commands.flatMap(\.tasks))
            return false
        }
    }

    /// Stores a step of a list that is still being read. It is applied when the list is open.
    private func performLater(
        _ kind: UndoStep.Kind, _ commands: [Command]
    ) throws(ClientError) -> Bool {
        guard opening != nil else { return unavailable() }
        let operations = PendingOperation.step(of: try Command.validated(commands))
        do {
            try Inbox(url: client.folder.inbox(of: id)).append(operations, syncs: false)
        } catch {
            throw .storage(of: error)
        }
        early.append((operations.map(\.id), kind))
        waitingCount += operations.count
        return true
    }

    /// Makes the steps undoable that waited until the list was open.
    func pushEarlySteps(_ adopted: [AppliedStep]) {
        for step in early {
            guard let made = adopted.last(where: { $0.ids == step.operations }) else { continue }
            push(UndoStep(step.kind, made))
        }
        early = []
    }

    /// Refuses a change, because the list is not there.
    func unavailable() -> Bool {
        let reason = placeholder ?? localized("The server can't be reached.")
        localRefusals.append(Notice.Entry(code: "", detail: reason, tasks: []))
        draft?.isRefused = true
        refreshNotice()
        return false
    }

    private func encode(_ data: some Encodable) -> String? {
        guard let json = try? JSONEncoder().encode(data) else {
            report(.invalid("The data can't be encoded as JSON."))
            return nil
        }
        guard json.first == UInt8(ascii: "{") else {
            report(.invalid("The data must be a JSON object."))
            return nil
        }
        return String(decoding: json, as: UTF8.self)
    }
}
