import ReorderEngine

/// A task as a table view's client stores it: what it shall be, and where. `nil` leaves it as it is.
package struct TaskElement: Sendable {
    package var id: TaskID
    package var title: String?
    package var parent: Parent?
    /// The index among the siblings, counted without the task.
    package var position: Int?
    package var collapsed: Bool?
    /// Whether a task that the list does not hold is made. That needs a title.
    package var mayBeNew: Bool

    /// Under what the task stands.
    package enum Parent: Sendable, Equatable {
        /// Nothing: the top level of the section in which the task is.
        case none
        case task(TaskID)
    }

    package init(
        id: TaskID, title: String? = nil, parent: Parent? = nil, position: Int? = nil,
        collapsed: Bool? = nil, mayBeNew: Bool
    ) {
        self.id = id
        self.title = title
        self.parent = parent
        self.position = position
        self.collapsed = collapsed
        self.mayBeNew = mayBeNew
    }

    /// What brings the task to what is given.
    ///
    /// Collapsing comes last: what is given goes before what the move collapses by itself. A task that
    /// stands where it shall is not moved, so that a locked one can be stored as it is.
    ///
    /// - Returns: `nil` where the list does not hold the task, and it can't be made.
    func commands(for list: ReorderableList) -> [ListCommand]? {
        guard let task = list.task(id) else {
            guard mayBeNew, let title else { return nil }
            let content = TaskContent(id: id, title: title, collapsed: collapsed ?? false)
            return [.create(content, at: destination ?? Destination())]
        }
        var commands: [ListCommand] = []
        if let title { commands.append(.update(id, TaskPatch(title: title))) }
        if let destination, !stands(at: task.placement) {
            commands.append(.move(MoveRequest(.task(id), to: destination)))
        }
        if let collapsed { commands.append(.collapse(id, collapsed)) }
        return commands
    }

    /// `nil` where none is given.
    private var destination: Destination? {
        switch parent {
        case .task(let parent):
            Destination(place: .init(.subtasks(of: parent), position: position))
        case Parent.none?: Destination(place: .init(.topLevel, position: position))
        case nil: position.map { Destination(place: .init(.own, position: $0)) }
        }
    }

    private func stands(at placement: Placement) -> Bool {
        let isUnderParent =
            switch parent {
            case .task(let parent): placement.parent == parent
            case Parent.none?: placement.parent == nil
            case nil: true
            }
        return isUnderParent && (position == nil || position == placement.position)
    }
}

extension ListService {
    /// Brings a task to what is given, as one change.
    ///
    /// - Throws: why the first command failed that did; the list is as it was.
    func apply(
        _ element: TaskElement, to list: CachedList, _ renderer: some WriteRenderer
    ) throws(Interruption) -> (Change, CommandResult) {
        guard let commands = element.commands(for: list.state.list) else {
            throw .refused(
                .refused(
                    .taskNotFound(element.id), version: list.state.version, tasks: .one(nil)))
        }
        let isNew = !list.state.list.contains(element.id)
        do throws(Interruption) {
            let (change, _) = try apply(commands, isAtomic: true, to: list, nil, renderer)
            return (change, .element(list.state.list.task(element.id), isNew: isNew))
        } catch {
            // Which of the commands failed says nothing about what the client sent.
            if case .refused(.command(_, let error)) = error { throw .refused(error) }
            throw error
        }
    }
}
