import ReorderEngine

/// A copy of a list, or of a task with its subtree.
package struct CopyRequest: Sendable {
    package enum Subject: Sendable {
        /// - Parameters:
        ///   - at: where the copy goes; empty: in the same list directly after the task, in another
        ///     list to the end of the tasks without a section.
        ///   - list: the list that receives the copy; nil: the list of the task.
        case task(TaskID, at: Destination, to: String?)
        /// The title of the new list; nil: the same title.
        case list(title: String?)
    }

    package var subject: Subject
    /// Returns the ids of the copies, one after another. Called in each run of the request.
    package var makeIDs: @Sendable () -> () -> TaskID

    package init(_ subject: Subject, makeIDs: @escaping @Sendable () -> () -> TaskID) {
        self.subject = subject
        self.makeIDs = makeIDs
    }
}

extension CopyRequest {
    /// Returns the reason if the copied task does not exist; nil if it exists.
    func missingTarget(in list: CachedList) -> Refusal? {
        guard case .task(let task, _, _) = subject, !list.state.list.contains(task) else {
            return nil
        }
        return .taskNotFound(task)
    }

    /// The number of copied tasks and sections. Counting stops a little above the limit.
    func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        switch subject {
        case .list: list.entryCount
        case .task(let task, _, _): list.taskCount(under: task, upTo: limit)
        }
    }
}

extension ListService {
    /// Copies a task or a list. If it throws, nothing has changed.
    func apply(
        _ copy: CopyRequest, from source: CachedList, to target: CachedList
    ) throws(Interruption) -> (Change, CommandResult) {
        switch copy.subject {
        case .list(let title):
            guard !target.state.exists else { throw .refused(.listTaken(target.id)) }
            guard var list = try? source.state.list.copied(makeID: copy.makeIDs()) else {
                throw .refused(.unreadable)
            }
            if let title { _ = list.update(SettingsUpdate(title: title)) }
            return (try replace(target, with: list), .done)
        case .task(let task, var destination, _):
            guard target.state.exists else { throw .refused(.targetListNotFound(target.id)) }
            if destination == Destination(), source.id == target.id {
                destination = Destination(after: task)
            }
            let original = source.state.list
            var list = target.state.list
            let outcome: CopyOutcome
            do throws(Refusal) {
                outcome = try list.copy(
                    task, of: original, at: destination, makeID: copy.makeIDs())
            } catch {
                throw .refused(
                    .refused(
                        error, version: source.state.version, tasks: .one(original.task(task))))
            }
            try checkRoom(for: list.count)
            try claim(outcome.inserted, for: target.cached)
            target.state.list = list
            let copied = outcome.inserted.first.flatMap { list.task($0) }
            return (
                Change(operations: outcome.operations, inserted: outcome.inserted),
                .created(copied)
            )
        }
    }
}
