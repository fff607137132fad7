import Foundation
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

extension ListService {
    /// Copies a task or a list, with one commit for the list that receives the copy. If it throws,
    /// nothing has changed.
    ///
    /// The request's precondition is about the list that is copied from.
    func copy(
        _ copy: CopyRequest, _ request: WriteRequest, from source: CachedList,
        to target: CachedList, at time: Date, _ renderer: some WriteRenderer, _ slot: ResponseSlot?
    ) throws(Interruption) -> WriteResult {
        let version = source.state.version
        guard source.state.exists else { throw .refused(.listNotFound(source.id)) }
        if case .task(let task, _, _) = copy.subject, !source.state.list.contains(task) {
            throw .refused(.refused(.taskNotFound(task), version: version, tasks: .one(nil)))
        }
        guard request.precondition.holds(for: source.id, version: version, exists: true) else {
            throw .refused(.versionMismatch(version: version))
        }
        // A copy of a change that then fails would be a copy of something that never was.
        if source !== target, !source.state.isDurable { throw .blocked(by: source.cached) }
        if !target.isCopy, let tasks = largeSize(of: copy, from: source, to: target) {
            throw .large(tasks: tasks)
        }
        let subject = request.isDryRun ? target.copy() : target
        if !request.isDryRun, shared != nil { target.state.keepBase() }
        let existed = target.state.exists
        subject.state.list.changeTime = time.milliseconds
        var (change, result) = try apply(copy, from: source, to: subject)
        guard !request.isDryRun else {
            reservations.release(change.inserted, of: target.cached)
            return WriteResult(
                list: target.id, version: target.state.version, epoch: epoch, changed: true,
                created: !existed, result: result)
        }
        return accept(
            &change, result, created: !existed, request, on: target, at: time, renderer, slot)
    }

    /// Makes a change of a list its next version.
    func accept(
        _ change: inout Change, _ result: CommandResult = .done, created: Bool,
        _ request: WriteRequest, on list: CachedList, at time: Date, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?
    ) -> WriteResult {
        list.state.version += 1
        let answer = WriteResult(
            list: list.id, version: list.state.version, epoch: epoch, changed: true,
            created: created, result: result)
        if let slot { change.responses.append(slot.response(to: .success(answer), renderer)) }
        list.state.decided = entry(for: change, by: request.client, on: list, at: time)
        return answer
    }

    private func apply(
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
                .created(copied, placedBy: outcome.placedBy)
            )
        }
    }

    /// An estimate of the number of tasks that a copy handles; nil if they are not too many for an
    /// event loop.
    private func largeSize(
        of copy: CopyRequest, from source: CachedList, to target: CachedList
    ) -> Int? {
        let limit = limits.tasksOnLoop
        let count =
            switch copy.subject {
            case .list: source.state.list.count
            case .task(let task, _, _): source.state.list.taskCount(under: task, upTo: limit)
            }
        guard count > limit || makesLargeSnapshot(of: target) else { return nil }
        return max(source.state.list.count, target.state.list.count)
    }
}
