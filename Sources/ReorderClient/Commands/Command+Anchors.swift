import ReorderEngine
import ReorderJSON

extension Command {
    /// Adds anchors to a command that was just applied to `list`, so that it keeps its meaning when
    /// the list changes: rows become ids, and a place gets the neighbors that the user saw.
    ///
    /// A drop at a place or a row gets both neighbors, with the index as the last fallback. A lone
    /// `after` gets the neighbor below as its fallback. A lone `before` gets only the index,
    /// because `after` would take precedence. A place without a position stays "the end". O(log n)
    /// for each named task.
    ///
    /// - Parameter list: the list after the command was applied.
    func anchored(in list: ReorderableList, _ outcome: Outcome) -> Command {
        switch (self, outcome.detail) {
        case (.move(let request), .moved(let moved, let isBlock)):
            let named = moved.tasks.map(\.task.id)
            guard let first = named.first else { return self }
            let destination = request.destination.anchored(
                around: list.roots(of: named), in: list)
            return .move(MoveRequest(isBlock ? .tasks(named) : .task(first), to: destination))
        case (.create(let content, let destination), _):
            return .create(content, at: destination.anchored(around: [content.id], in: list))
        default: return self
        }
    }
}

extension Destination {
    fileprivate func anchored(around roots: [TaskID], in list: ReorderableList) -> Destination {
        var anchored = withAnchors(around: roots, in: list)
        anchored.isUndo = isUndo
        return anchored
    }

    private func withAnchors(around roots: [TaskID], in list: ReorderableList) -> Destination {
        guard let first = roots.first, let placement = list.placement(of: first) else {
            return self
        }
        let siblings = Siblings(parent: placement.parent, section: placement.section)
        if self == Destination() { return Destination(place: Place(siblings)) }
        if let place, place.position == nil, after == nil, before == nil {
            return Destination(place: Place(siblings))
        }
        let position = placement.position
        let previous = list.task(
            section: placement.section, parent: placement.parent, position: position - 1)
        let next = list.task(
            section: placement.section, parent: placement.parent, position: position + roots.count)
        var anchored = Destination(place: Place(siblings, position: position))
        anchored.after = after ?? (before == nil ? previous?.id : nil)
        anchored.before = before ?? next?.id
        return anchored
    }
}
