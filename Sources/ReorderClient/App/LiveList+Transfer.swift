import ReorderEngine

extension LiveList {
    /// Moves tasks with their subtasks to another list. The server makes the move, so it needs the network. Both lists then receive it
    /// like a change of others.
    ///
    /// - Parameters:
    ///   - list: the id of the other list.
    ///   - place: a place in the other list, named by ids.
    /// - Returns: whether the tasks were moved; if not, ``notice`` has the reason.
    @discardableResult
    public func move(
        _ tasks: [TaskID], toList list: String, at place: Destination = .end(of: nil)
    ) async -> Bool {
        await opening?.value
        let roots = snapshot.roots(of: tasks)
        guard !roots.isEmpty, list != id else { return false }
        let transfer = ListTransfer(
            from: id, to: list, parts: [ListTransfer.Part(tasks: roots, destination: place)],
            back: roots.map { snapshot.wayBack(of: $0) })
        do {
            push(UndoStep(.move, .transfer(try await client.transfer(transfer))))
            return true
        } catch {
            report(error, tasks)
            return false
        }
    }
}

extension ReorderableList {
    /// The current place of a task, in a form that is still right when other tasks have moved.
    fileprivate func wayBack(of task: TaskID) -> ListTransfer.Part {
        var destination = Destination()
        if let place = placement(of: task) {
            let sibling = { (position: Int) in
                self.task(section: place.section, parent: place.parent, position: position)?.id
            }
            destination = Destination(
                after: sibling(place.position - 1), before: sibling(place.position + 1),
                place: .init(
                    .init(parent: place.parent, section: place.section),
                    position: place.position))
            // Only if it matters: earlier servers refuse the member.
            destination.isUndo = hasLimits
        }
        return ListTransfer.Part(tasks: [task], destination: destination)
    }
}
