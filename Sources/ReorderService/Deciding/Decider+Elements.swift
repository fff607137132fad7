import ReorderEngine

extension Decider {
    /// Gives a task the new content and place, as one change.
    ///
    /// - Throws: the error of the first command that failed. The list is then unchanged.
    func put(
        _ element: TaskElement, to list: inout WorkingList, _ host: some DecisionHost,
        _ renderer: some WriteRenderer
    ) throws(Interruption) -> (Change, CommandResult) {
        guard let commands = element.commands(for: list.list) else {
            throw .refused(
                .refused(
                    .taskNotFound(element.id), version: list.version, tasks: .one(nil)))
        }
        let isNew = !list.list.contains(element.id)
        do throws(Interruption) {
            let change = try apply(commands, to: &list, host, renderer)
            return (change, .element(list.list.task(element.id), isNew: isNew))
        } catch {
            // The client did not send these commands, so the index of the failed one means nothing
            // to it.
            if case .refused(.command(_, let error)) = error { throw .refused(error) }
            throw error
        }
    }
}
