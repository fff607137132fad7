import ReorderEngine
import ReorderJSON

/// A task as a table view's client stores it: the new content and place. nil leaves a part
/// unchanged.
package struct TaskElement: Sendable {
    package var id: TaskID
    package var title: String?
    /// null: no parent, so the top level of the task's section.
    package var parent: Member<TaskID>
    /// The index among the siblings, counted without the task.
    package var position: Int?
    package var collapsed: Bool?
    /// Whether the task is created if the list does not contain it. To create it, a title is
    /// required.
    package var mayBeNew: Bool

    package init(
        id: TaskID, title: String? = nil, parent: Member<TaskID> = .absent, position: Int? = nil,
        collapsed: Bool? = nil, mayBeNew: Bool
    ) {
        self.id = id
        self.title = title
        self.parent = parent
        self.position = position
        self.collapsed = collapsed
        self.mayBeNew = mayBeNew
    }

    /// The commands that give the task the new content and place.
    ///
    /// The collapse comes last, because the move can also collapse the task. A task that is already
    /// in its place is not moved. So a locked task is not refused if it stays in its place.
    ///
    /// - Returns: nil if the list does not contain the task and it can't be created.
    func commands(for list: ReorderableList) -> [Command]? {
        guard let task = list.task(id) else {
            guard mayBeNew, let title else { return nil }
            let content = TaskContent(id: id, title: title, collapsed: collapsed ?? false)
            return [.create(content, at: destination ?? Destination())]
        }
        var commands: [Command] = []
        if let title { commands.append(.update(id, TaskUpdate(title: title))) }
        if let destination, !stands(at: task.placement) {
            commands.append(.move(MoveRequest(.task(id), to: destination)))
        }
        if let collapsed { commands.append(.collapse(id, collapsed)) }
        return commands
    }

    /// nil if neither parent nor position is given.
    private var destination: Destination? {
        Destination.Place(parent: parent, position: position).map { Destination(place: $0) }
    }

    private func stands(at placement: Placement) -> Bool {
        let isUnderParent =
            switch parent {
            case .value(let parent): placement.parent == parent
            case .null: placement.parent == nil
            case .absent: true
            }
        return isUnderParent && (position == nil || position == placement.position)
    }
}
