import ReorderEngine

/// The checks of a write that come before the rules of its list.
extension Decider {
    /// Throws the reason if the write can't be applied, or can't be decided here and now.
    func check(
        _ request: WriteRequest, on lists: WorkingLists, _ facts: DecisionFacts?,
        _ host: some DecisionHost
    ) throws(Interruption) {
        let isUnreadable = lists.list.isUnreadable || lists.other?.isUnreadable == true
        guard !isUnreadable || request.action.isPermanentDeletion else {
            throw .refused(.unreadable)
        }
        let source = request.subject(of: lists)
        let (exists, version) = (source.exists, source.version)
        if case .put = request.action, exists, request.precondition == .none {
            throw .refused(.preconditionRequired(version: version))
        }
        // Each change of a list ends its time in the bin. So if the list still has the same version,
        // its entry in the bin is the same, or has expired.
        if request.action.usesBin, !exists, facts?.binVersion != version {
            throw .needsBin(version: version)
        }
        if let error = request.missingTarget(in: source, facts) { throw .refused(error) }
        guard request.precondition.holds(for: source.id, version: version, exists: exists) else {
            throw .refused(
                .versionMismatch(request.precondition, version: version, exists: exists))
        }
        switch request.action {
        case .transfer, .transferSection:
            guard let target = lists.other, !target.exists else { break }
            throw .refused(.targetListNotFound(target.id))
        default: break
        }
        guard !host.isWorker else { return }
        // A large write is appended by itself. But if it is decided on changes of this batch, it is part
        // of the batch.
        if !lists.isFresh, mayBeLarge(request, on: lists, facts) { throw .later }
        if let tasks = longSize(of: request, on: lists, facts, host) {
            throw .long(tasks: tasks)
        }
    }

    func checkRoom(for count: Int) throws(Interruption) {
        guard count <= limits.tasksPerList else {
            throw .refused(.listFull(limit: limits.tasksPerList))
        }
    }

    /// Checks the limit on sections. A list that is already above it can keep its sections.
    func checkRoom(
        forSections count: Int, insteadOf list: ReorderableList?
    ) throws(Interruption) {
        guard count <= max(limits.sectionsPerList, list?.sectionCount ?? 0) else {
            throw .refused(.sectionsFull(limit: limits.sectionsPerList))
        }
    }

    /// Checks that no other list contains these new tasks.
    func checkNew(
        _ tasks: [TaskID], for list: String, _ host: some DecisionHost
    ) throws(Interruption) {
        guard let taken = try taken(tasks, for: list, asksStore: false, host).first else { return }
        throw .refused(.taskTaken(taken))
    }

    /// Those of these new tasks that another list contains.
    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool, _ host: some DecisionHost
    ) throws(Interruption) -> [TaskID] {
        guard !tasks.isEmpty else { return [] }
        do throws(ServiceError) {
            return try host.taken(tasks, for: list, asksStore: asksStore)
        } catch {
            throw .refused(error)
        }
    }

    /// An estimate of the number of tasks and sections that a request handles; nil if the decision does
    /// not take too long for the writer.
    private func longSize(
        of request: WriteRequest, on lists: WorkingLists, _ facts: DecisionFacts?,
        _ host: some DecisionHost
    ) -> Int? {
        // A deletion renders no snapshot.
        if case .deleteList = request.action { return nil }
        let count = request.taskCount(on: lists, facts, upTo: limits.tasksOnLoop)
        host.work(on: count)
        let replacesLongTexts = request.writtenList(facts).map { $0.memoryBytes > Self.longBytes }
        guard
            count > limits.tasksOnLoop || replacesLongTexts == true
                || makesLongSnapshot(of: lists.list, host)
                || lists.other.map({ makesLongSnapshot(of: $0, host) }) == true
        else { return nil }
        return max(count, lists.list.list.entryCount, lists.other?.list.entryCount ?? 0)
    }

    /// Whether what the write stores may be a large commit. The estimate is never too low.
    private func mayBeLarge(
        _ request: WriteRequest, on lists: WorkingLists, _ facts: DecisionFacts?
    ) -> Bool {
        let limit = limits.largeCommit
        func isExceeded(by contents: ReorderableList?...) -> Bool {
            let contents = contents.compactMap(\.self)
            let count = contents.reduce(0) { $0 + $1.entryCount }
            let bytes = contents.reduce(1_000) { $0 + 2 * $1.memoryBytes } + 300 * count
            return count > limit.tasks || bytes > limit.bytes
        }
        let list = lists.list
        switch request.action {
        case .create(let content), .put(let content): return isExceeded(by: content, list.list)
        case .copy: return isExceeded(by: list.list, lists.other?.list)
        // A batch can have deleted some of the tasks that the store still has.
        case .deleteList: return list.list.count + 1_000 > limit.tasks
        case .restore, .undo: return true
        case .command, .order, .removeDone, .transfer, .transferSection, .batch, .element, .fold:
            break
        }
        let count = 1 + request.taskCount(on: lists, facts, upTo: limit.tasks)
        let bytes = 1_000 + 300 * count + request.textBytes
        guard count <= limit.tasks, bytes <= limit.bytes else { return true }
        return [lists.list, lists.other].compactMap(\.self).contains { list in
            list.bytesSinceSnapshot + bytes > list.snapshotBytes
                && bytes + 2 * list.list.memoryBytes > limit.bytes
        }
    }

    /// Whether the next write to a list makes a snapshot that only a worker may render.
    func makesLongSnapshot(of list: WorkingList, _ host: some DecisionHost) -> Bool {
        list.isSnapshotDue && isLong(list.list) && host.mayMakeLongSnapshot
    }

    /// Whether it takes long to render or to compare a list.
    func isLong(_ list: ReorderableList) -> Bool {
        list.entryCount > limits.tasksOnLoop || list.memoryBytes > Self.longBytes
    }

    private static var longBytes: Int { 1 << 20 }
}

extension WriteRequest {
    /// The list that the precondition is about: the one that is changed or copied.
    fileprivate func subject(of lists: WorkingLists) -> WorkingList {
        if case .copy = action { lists.other ?? lists.list } else { lists.list }
    }

    /// Returns the error if the resource in the request's path does not exist; nil if it exists.
    /// This is checked before the precondition (RFC 9110, section 13.2.1).
    fileprivate func missingTarget(
        in list: WorkingList, _ facts: DecisionFacts?
    ) -> ServiceError? {
        let exists = list.exists
        switch action {
        case .create, .put: return nil
        case .restore:
            return exists || facts?.binned != nil ? nil : .listNotInBin(list.id)
        case .deleteList(isPermanent: true):
            return exists || facts?.binned != nil ? nil : .listNotFound(list.id)
        case .command, .order, .removeDone, .transfer, .transferSection, .copy, .fold, .batch,
            .element, .deleteList, .undo:
            break
        }
        guard exists else { return .listNotFound(list.id) }
        let refusal: Refusal? =
            switch action {
            case .command(let command): command.missingTarget(in: list)
            case .copy(let copy, _): copy.missingTarget(in: list)
            case .transferSection(let section, _, _, _):
                list.list.contains(section: section) ? nil : .sectionNotFound(section)
            default: nil
            }
        return refusal.map { .refused($0, version: list.version, tasks: .one(nil)) }
    }

    /// The content that the request gives to a list.
    fileprivate func writtenList(_ facts: DecisionFacts?) -> ReorderableList? {
        switch action {
        case .create(let content), .put(let content): content
        case .restore: facts?.binned?.list
        default: nil
        }
    }

    /// The bytes of the texts that the request gives to tasks and sections.
    fileprivate var textBytes: Int {
        switch action {
        case .command(let command): command.textBytes
        case .batch(let batch): batch.commands.reduce(0) { $0 + $1.textBytes }
        case .element(let element): element.title?.utf8.count ?? 0
        default: 0
        }
    }

    /// An estimate of the number of tasks, and of sections of whole lists, that the request
    /// handles. Counting stops a little above the limit.
    fileprivate func taskCount(
        on lists: WorkingLists, _ facts: DecisionFacts?, upTo limit: Int
    ) -> Int {
        let list = lists.list
        switch action {
        case .create(let content): return content.entryCount
        case .put(let content): return max(content.entryCount, list.list.entryCount)
        case .restore: return list.exists ? 0 : facts?.binned?.list?.entryCount ?? 0
        case .command(let command): return command.taskCount(in: list, upTo: limit)
        // Each task is compared with several others.
        case .order(let scope, _):
            return 10 * ((try? list.list.taskCount(in: scope, upTo: limit)) ?? 0)
        case .removeDone: return list.list.count
        case .batch(let batch):
            // An op counts as several tasks, because it takes longer than a task of a document.
            var count = 10 * batch.commands.count
            for command in batch.commands where count <= limit {
                count += command.taskCount(in: list, upTo: limit)
            }
            return count
        case .transfer(let move, _):
            guard lists.other != nil else { return 0 }
            return move.subject.taskCount(in: list.list, upTo: limit)
        case .transferSection(let section, _, _, _):
            return list.list.taskCount(in: section, upTo: limit)
        case .copy(let copy, _):
            return copy.taskCount(in: subject(of: lists).list, upTo: limit)
        case .undo: return (try? facts?.undo?.get().operationCount) ?? 0
        case .element, .fold, .deleteList: return 0
        }
    }
}

extension MoveRequest.Subject {
    /// The number of tasks in the moved subtrees. Counting stops a little above the limit.
    fileprivate func taskCount(in list: ReorderableList, upTo limit: Int) -> Int {
        var count = 0
        for task in list.tasks(named: self) where count <= limit {
            count += list.taskCount(under: task, upTo: limit)
        }
        return count
    }
}
