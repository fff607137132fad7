import ReorderEngine

extension ListModel {
    /// The same move by ids: of the tasks at rows of this list, to the neighbors at the destination. Named tasks that this list
    /// does not have are at no row of it.
    package func named(
        _ move: MoveRequest, into other: ListModel? = nil
    ) throws(Refusal) -> MoveRequest {
        var named = move
        let tasks: [ListTask]
        switch move.subject {
        case .task(let id): tasks = [id].compactMap(task)
        case .tasks(let ids): tasks = ids.compactMap(task)
        case .row, .path:
            tasks = try self.tasks(named: move.subject)
            named.subject = .task(tasks[0].id)
        case .rows:
            tasks = try self.tasks(named: move.subject)
            named.subject = .tasks(tasks.map(\.id))
        }
        guard let rows = move.destination.rows else { return named }
        let roots = tasks.filter { root in
            !tasks.contains { $0.id != root.id && subtree(of: $0.id).contains(root.id) }
        }
        var rest = other ?? self
        var lifted = lifted(roots)
        if other != nil {
            lifted.rows = []
            lifted.sizes = lifted.sizes.map { (nil, $0.levels) }
        } else {
            for root in roots { rest.remove(root.id) }
        }
        guard let (siblings, position) = try rest.decide(rows, lifted: lifted).place else {
            throw .anchorGone
        }
        let nodes = rest.nodes(siblings)
        let place: Destination.Siblings =
            switch siblings {
            case .top(let section): .section(section)
            case .under(let parent): .subtasks(of: parent)
            }
        named.destination = Destination(
            after: position > 0 ? nodes[position - 1].content.id : nil,
            before: position < nodes.count ? nodes[position].content.id : nil,
            place: .init(place, position: position))
        return named
    }
}
