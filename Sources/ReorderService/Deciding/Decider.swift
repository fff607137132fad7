import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

/// Decides writes. A decision depends on its lists, on facts and on the time, and on nothing else but
/// the ids that it makes.
/// It changes only the lists that are passed in.
struct Decider: Sendable {
    let limits: ServiceLimits
    /// See `ListStore.epoch`.
    let epoch: String
    /// Makes the ids of tasks whose own ids are in use.
    let makeID: @Sendable () -> TaskID
    /// Whether long computations may continue. They may not when the server is stopping.
    let mayContinue: @Sendable () -> Bool

    /// Checks and applies a write. If it throws, or if the write is a dry run, the lists are
    /// unchanged, except for their change stamp.
    ///
    /// - Throws: why the write is refused, or why it can't be decided yet.
    func decide(
        _ request: WriteRequest, on lists: inout WorkingLists, _ facts: DecisionFacts?,
        at time: Date,
        _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> Decision {
        try check(request, on: lists, facts, host)
        if request.isDryRun {
            var copies = lists
            return Decision(
                result: try perform(request, to: &copies, facts, at: time, host, renderer).result)
        }
        let isKept = lists.list.steps != nil || request.action.mayDelete
        let before = isKept ? lists.list.list : nil
        let otherBefore = lists.other?.steps == nil ? nil : lists.other?.list
        var (result, effects) = try perform(request, to: &lists, facts, at: time, host, renderer)
        guard result.changed else {
            return Decision(result: result, responses: effects.change.responses)
        }
        var commits = effects.commits
        if !effects.change.operations.isEmpty {
            commits.append(
                commit(effects.change, of: &lists.list, from: before, request, at: time, host))
        }
        if let change = effects.otherChange.take(), var other = lists.other.take() {
            commits.append(commit(change, of: &other, from: otherBefore, request, at: time, host))
            lists.other = other
        }
        result.version = lists.list.version
        let keyed = request.key.map {
            KeyedResponse(to: .success(result), of: $0, at: time, limits.retention, renderer)
        }
        if let keyed { effects.change.responses.append(keyed.stored) }
        return Decision(
            result: result, commits: commits, responses: effects.change.responses,
            rendered: keyed?.bytes,
            isLarge: isLarge(commits, deleting: effects.change.countInDeletedList))
    }

    /// Whether a decision stores so much that other writes do not wait for it.
    private func isLarge(_ commits: [ListCommit], deleting countInDeletedList: Int) -> Bool {
        let limit = limits.largeCommit
        // The steps of a batch.
        if commits.count > 1, commits.first?.list == commits.last?.list {
            return limit.isExceeded(by: commits)
        }
        return commits.contains { limit.isExceeded(by: $0, deleting: countInDeletedList) }
    }

    /// Applies the action to the lists, which keep their versions, except for those that steps of a batch
    /// make.
    private func perform(
        _ request: WriteRequest, to lists: inout WorkingLists, _ facts: DecisionFacts?,
        at time: Date,
        _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> (result: WriteResult, effects: WriteEffects) {
        let stamp = ChangeStamp(time: time.milliseconds, author: request.author)
        lists.list.list.changeStamp = stamp
        lists.other?.list.changeStamp = stamp
        let existed = lists.list.exists
        let effects = try effects(of: request, on: &lists, facts, at: time, host, renderer)
        let result = WriteResult(
            list: lists.list.id, version: lists.list.version,
            changed: !effects.change.operations.isEmpty || !effects.commits.isEmpty,
            created: !existed && lists.list.exists, result: effects.result)
        return (result, effects)
    }

    private func effects(
        of request: WriteRequest, on lists: inout WorkingLists, _ facts: DecisionFacts?,
        at time: Date,
        _ host: some DecisionHost, _ renderer: some WriteRenderer
    ) throws(Interruption) -> WriteEffects {
        switch request.action {
        case .command(let command):
            if let error = facts?.refusedMoves[0] { throw .refused(error) }
            return WriteEffects(try apply(command, to: &lists.list, host))
        case .order(let scope, let sorting):
            return WriteEffects(try reorder(scope, by: sorting, to: &lists.list))
        case .removeDone(let scope):
            return WriteEffects(try removeDone(scope, to: &lists.list))
        case .transfer(let move, _):
            if let error = facts?.refusedMoves[0] { throw .refused(error) }
            guard var target = lists.other.take() else {
                return WriteEffects(try apply(.move(move), to: &lists.list, host))
            }
            defer { lists.other = target }
            return try transfer(
                move, from: &lists.list, to: &target, isDryRun: request.isDryRun)
        case .transferSection(let section, _, let position, let isUndo):
            guard var target = lists.other.take() else {
                let last = max(0, lists.list.list.sectionCount - 1)
                let move = Command.moveSection(section, position: position ?? last)
                return WriteEffects(try apply(move, to: &lists.list, host))
            }
            defer { lists.other = target }
            return try transfer(
                section: section, from: &lists.list, to: &target, at: position, isUndo: isUndo,
                isDryRun: request.isDryRun)
        case .copy(let copy, _):
            return WriteEffects(
                try self.copy(copy, from: lists.other ?? lists.list, to: &lists.list, host))
        case .batch(let batch):
            return try apply(
                batch, of: request, to: &lists.list, facts, at: time, host, renderer)
        case .element(let element):
            return WriteEffects(try put(element, to: &lists.list, host, renderer))
        case .fold(let task, let isFolded, let id):
            return WriteEffects(
                try fold(task, isFolded, newEntry: id, to: &lists.list, host))
        case .create(let content):
            guard !lists.list.exists else { throw .refused(.listTaken(lists.list.id)) }
            return WriteEffects(change: try replace(&lists.list, with: content, host))
        case .put(let content):
            return WriteEffects(change: try replace(&lists.list, with: content, host))
        case .restore:
            return WriteEffects(try restore(&lists.list, facts?.binned?.list, host))
        case .undo(let version):
            return WriteEffects(
                try undo(facts?.undo, of: version?.number(in: epoch) ?? 0, on: &lists.list, host))
        case .deleteList(let isPermanent):
            return WriteEffects(
                change: delete(&lists.list, isPermanent: isPermanent, facts?.binned))
        }
    }

    // MARK: Actions

    func apply(
        _ command: Command, to list: inout WorkingList, _ host: some DecisionHost
    ) throws(Interruption) -> (Change, CommandResult) {
        // Only insertions are limited, so that a list above a lowered limit can still be changed.
        if let task = command.createdTask {
            try checkRoom(for: list.list.count + 1)
            try checkNew([task], for: list.id, host)
        }
        if case .createSection = command {
            try checkRoom(forSections: list.list.sectionCount + 1, insteadOf: list.list)
        }
        do throws(ServiceError) {
            return try command.outcome(on: &list.list, version: list.version)
        } catch {
            throw .refused(error)
        }
    }

    /// Creates or replaces a list. If it is equal already, nothing changes.
    func replace(
        _ list: inout WorkingList, with document: ReorderableList, _ host: some DecisionHost
    ) throws(Interruption) -> Change {
        let stamp = list.list.changeStamp
        var content = document
        content.completeStamps(replacing: list.exists ? list.list : nil, stamp)
        if list.exists {
            guard content != list.list else { return Change(operations: []) }
            content.times.updatedAt = stamp?.time
        }
        if list.exists {
            do {
                try content.checkLimits(replacing: list.list)
            } catch {
                throw .refused(.refused(error, version: list.version, tasks: .one(nil)))
            }
        }
        try checkRoom(for: content.count)
        try checkRoom(forSections: content.sectionCount, insteadOf: list.list)
        let before = Set(list.list.taskIDs)
        let after = content.taskIDs
        // Sorted, because a store that orders them by id then needs half the time.
        let inserted = after.filter { !before.contains($0) }.sorted()
        let deleted = before.subtracting(after)
        try checkNew(inserted, for: list.id, host)
        var change = Change(
            operations: [.replace], inserted: inserted, deleted: Array(deleted),
            kind: list.exists ? nil : .created)
        // An insertion has about as many bytes as the task in the document.
        if list.exists, 2 * inserted.count <= content.count,
            let difference = smallDifference(from: list.list, to: content)
        {
            change.operations = difference.operations
            content = difference.list
        }
        list.list = content
        list.exists = true
        return change
    }

    /// The operations that replace a list, if they have fewer bytes than its document, which clients
    /// would have to fetch otherwise.
    private func smallDifference(
        from list: ReorderableList, to content: ReorderableList
    ) -> ListDifference? {
        guard
            let difference = ListDifference(
                from: list, to: content, maximumCount: Self.maximumOperations)
        else { return nil }
        var writer = JSONWriter()
        let maximumBytes = min(
            Self.leastListBytes + Self.leastTaskBytes * content.count, Self.maximumOperationBytes)
        for operation in difference.operations {
            writer.operation(operation)
            guard writer.count <= maximumBytes else { return nil }
        }
        return difference
    }

    /// The maximum number of operations of a change that replaces a list.
    private static let maximumOperations = 10_000
    /// Their maximum size. Clients fetch the document instead of a change of more than 1 MiB.
    private static let maximumOperationBytes = 768 << 10
    /// A request for a document costs as much as this and its tasks. Few of them have fewer bytes.
    private static let leastListBytes = 4 << 10
    private static let leastTaskBytes = 200

    /// Creates a list again. Tasks whose ids are in use in other lists get new ids.
    ///
    /// - Parameter content: the list in the bin.
    private func restore(
        _ list: inout WorkingList, _ content: ReorderableList?, _ host: some DecisionHost
    ) throws(Interruption) -> (Change, CommandResult) {
        guard !list.exists, var content else { throw .refused(.listNotDeleted(list.id)) }
        let newIDs = try newIDs(for: content.taskIDs, in: list.id, host)
        if !newIDs.isEmpty {
            guard let renamed = try? content.renamingTasks(newIDs) else {
                throw .refused(.unreadable)
            }
            content = renamed
        }
        // Keeps unknown times and authors unknown.
        list.list.changeStamp = nil
        var change = try replace(&list, with: content, host)
        change.isRestored = true
        return (change, .restored(newIDs: newIDs))
    }

    /// New ids for those of the tasks that other lists contain. What was deleted comes back even if its
    /// ids are in use, because nobody can be asked to free them.
    func newIDs(
        for tasks: [TaskID], in list: String, _ host: some DecisionHost
    ) throws(Interruption) -> [TaskID: TaskID] {
        var ids: [TaskID: TaskID] = [:]
        for task in try taken(tasks, for: list, asksStore: true, host) { ids[task] = makeID() }
        return ids
    }

    /// Deletes a list.
    ///
    /// - Parameters:
    ///   - isPermanent: whether its content does not go to the bin.
    ///   - binned: the list in the bin, if it does not exist.
    private func delete(
        _ list: inout WorkingList, isPermanent: Bool, _ binned: BinnedList?
    ) -> Change {
        let (title, count) = (list.list.settings.title, list.list.count)
        list.exists = false
        list.isUnreadable = false
        list.list = .absent
        return Change(
            operations: [.replace], countInDeletedList: count + (binned?.count ?? 0),
            binned: isPermanent || limits.bin.days == 0
                ? nil : ListCommit.Binned(title: title, count: count),
            kind: .deleted)
    }

    /// Changes the entry of a task in a list of folds, or creates it.
    private func fold(
        _ task: TaskID, _ isFolded: Bool, newEntry id: TaskID, to list: inout WorkingList,
        _ host: some DecisionHost
    ) throws(Interruption) -> (Change, CommandResult) {
        let count = list.list.count
        if count <= Folds.maximumEntries, let entry = FoldEntries(of: list.list).entry(of: task) {
            return try apply(.collapse(entry, isFolded), to: &list, host)
        }
        guard count < Folds.maximumEntries else {
            throw .refused(.listFull(limit: Folds.maximumEntries))
        }
        let entry = FoldEntries.entry(id: id, of: task, isFolded: isFolded)
        return try apply(.create(entry, at: Destination()), to: &list, host)
    }
}
