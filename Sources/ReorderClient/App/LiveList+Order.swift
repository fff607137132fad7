import ReorderEngine

/// Changes that the server makes, each as one change for everybody. They need the network, and what waits is sent first. ``undo()`` takes
/// each of them back like any other step.
///
/// Each call returns whether the list changed. If it failed, ``notice`` has the reason; if the server could not be reached, it may have
/// made the change.
extension LiveList {
    /// Sorts tasks, as ``ReorderClient/ReorderClient/sort(_:by:isDescending:_:isRecursive:language:)`` does.
    @discardableResult
    public func sort(
        by property: String, isDescending: Bool = false, _ place: OrderedPlace = .list,
        isRecursive: Bool = false, language: String = "en"
    ) async -> Bool {
        await makeOnServer(.move) { (client, id) async throws(ClientError) in
            try await client.sort(
                id, by: property, isDescending: isDescending, place, isRecursive: isRecursive,
                language: language)
        }
    }

    /// Reverses the order of tasks, as ``ReorderClient/ReorderClient/reverse(_:_:isRecursive:)`` does.
    @discardableResult
    public func reverse(_ place: OrderedPlace = .list, isRecursive: Bool = false) async -> Bool {
        await makeOnServer(.move) { (client, id) async throws(ClientError) in
            try await client.reverse(id, place, isRecursive: isRecursive)
        }
    }

    /// Deletes the tasks that are done, as ``ReorderClient/ReorderClient/removeDone(_:_:)`` does.
    @discardableResult
    public func removeDone(_ place: OrderedPlace = .list) async -> Bool {
        await makeOnServer(.delete) { (client, id) async throws(ClientError) in
            try await client.removeDone(id, place)
        }
    }

    /// Undoes a change of the history, also one of another person, as ``ReorderClient/ReorderClient/undo(_:of:)`` does.
    @discardableResult
    public func undo(_ change: PastChange) async -> Bool {
        await makeOnServer(.edit) { (client, id) async throws(ClientError) in
            try await client.undo(change, of: id)
        }
    }

    /// Moves a section with its tasks to another list.
    ///
    /// - Parameter position: the index among the sections there; nil: the last one.
    @discardableResult
    public func moveSection(
        _ section: SectionID, toList list: String, position: Int? = nil
    ) async -> Bool {
        let transfer = SectionTransfer(
            section: section, from: id, to: list, position: position,
            formerPosition: snapshot.sections.firstIndex { $0.id == section })
        do {
            try await client.move(transfer)
            push(UndoStep(.move, .section(transfer.back)))
            return true
        } catch {
            report(error)
            return false
        }
    }

    /// In an index: deletes the rows of a list that was deleted. Both are one step.
    func forget(list: String) {
        let rows = snapshot.tasks.filter { $0.entryList == list && $0.subtasks == 0 }
        let step = try? synced?.perform(rows.map { .delete($0.id) })
        refresh()
        push(UndoStep(.delete, .list(list, isDeleted: true, index: step?.reversal)))
    }

    /// - Parameter change: returns the version of the change; nil if nothing has changed.
    private func makeOnServer(
        _ kind: UndoStep.Kind,
        _ change: (ReorderClient, String) async throws(ClientError) -> Int?
    ) async -> Bool {
        do {
            guard let version = try await change(client, id) else { return false }
            push(UndoStep(kind, .version(syncPoint(version))))
            return true
        } catch {
            report(error)
            return false
        }
    }
}
