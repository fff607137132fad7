import ReorderEngine

extension Intent {
    /// Adds anchors to an intent that was just applied to `list`, so that it keeps its meaning when
    /// the list changes: rows become ids, and a place gets the neighbors that the user saw.
    ///
    /// A drop at a place or a row gets both neighbors, with the index as the last fallback. A lone
    /// `after` gets the neighbor below as its fallback. A lone `before` gets only the index,
    /// because `after` would take precedence. A place without a position stays "the end". O(log n)
    /// for each named task.
    ///
    /// - Parameter list: the list after the intent was applied.
    /// - Parameter named: the moved tasks.
    func anchored(in list: ReorderableList, named: [TaskID]) -> Intent {
        switch self {
        case .move(let request):
            let subject: MoveRequest.Subject
            if request.subject.isBlock {
                subject = .tasks(named)
            } else {
                guard let task = named.first else { return self }
                subject = .task(task)
            }
            let destination = request.destination.anchored(
                around: list.roots(of: named), in: list)
            return .move(MoveRequest(subject, to: destination))
        case .create(let content, let destination):
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
        let siblings = Siblings(placement)
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

extension Destination.Siblings {
    fileprivate init(_ placement: Placement) {
        self = placement.parent.map { .subtasks(of: $0) } ?? .section(placement.section)
    }
}

extension ReorderableList {
    /// The tasks without an ancestor among `named`.
    fileprivate func roots(of named: [TaskID]) -> [TaskID] {
        guard named.count > 1 else { return named }
        let all = Set(named)
        return named.filter { task in
            var ancestor = placement(of: task)?.parent
            while let current = ancestor {
                if all.contains(current) { return false }
                ancestor = placement(of: current)?.parent
            }
            return true
        }
    }
}
