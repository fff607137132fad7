import ReorderEngine
import ReorderStore

extension ListService {
    /// Does a request that may change a list, and answers once what it did, or was refused for, is
    /// durable.
    package func write(_ request: WriteRequest, _ completion: @escaping Completion<WriteAnswer>) {
        if let list = request.forbiddenList { return completion(.failure(.listForbidden(list))) }
        if case .transfer(let move, let target) = request.action, target != request.list {
            return transfer(move, to: target, request, completion)
        }
        if case .batch(let commands, let isAtomic, let keys?) = request.action, keys.known == nil {
            return write(request, once: keys, completion) { keys, completion in
                var request = request
                request.action = .batch(commands, isAtomic: isAtomic, once: keys)
                self.write(request, completion)
            }
        }
        if case .undo(let undo) = request.action, case .requested = undo.progress {
            return self.undo(undo, request, completion)
        }
        decide(on: request.list, keepingAnswers: request.keepsAnswers, completion) { list, state in
            do throws(Undecided) {
                return .result(.success(try self.perform(request, on: list, &state)))
            } catch {
                switch error {
                case .refused(let error): return .result(.failure(error))
                case .blocked(let other): return .after(other)
                case .large(let tasks): return .large(tasks: tasks)
                }
            }
        }
    }

    /// Why a write did not come to a version; the list is as it was.
    enum Undecided: Error {
        case refused(ServiceError)
        /// A task's id is held by a version of another list that is not durable yet.
        case blocked(by: LoadedList)
        /// It takes too long for an event loop.
        case large(tasks: Int)
    }

    private func perform(
        _ request: WriteRequest, on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> WriteAnswer {
        if case .put = request.action, state.exists, request.precondition == .none {
            throw .refused(.preconditionRequired(version: state.version))
        }
        switch request.action {
        case .command, .transfer, .batch, .element, .deleteList, .undo:
            guard state.exists else { throw .refused(.listNotFound(list.id)) }
        case .create, .put: break
        }
        if case .command(let command) = request.action,
            let refusal = command.missingTarget(in: state.list)
        {
            throw .refused(.refused(refusal, version: state.version, tasks: .one(nil)))
        }
        guard
            request.precondition.holds(
                for: list.id, version: state.version, exists: state.exists)
        else {
            throw .refused(.versionMismatch(version: state.version))
        }
        if !state.isWorkersCopy, let tasks = request.largeSize(on: state) {
            throw .large(tasks: tasks)
        }
        if request.isDryRun {
            var copy = state
            var answer = try perform(request.action, on: list, &copy) { _, change, _ in
                reservations.release(change.inserted, of: list)
            }
            answer.version = state.version
            return answer
        }
        if sharing != nil { state.keepBase() }
        return try perform(request.action, on: list, &state) { state, change, answer in
            var change = change
            if let attempt = request.attempt { change.answers.append(attempt.answer(with: answer)) }
            state.decided = entry(for: change, by: request.client, on: list, &state)
        }
    }

    private func perform(
        _ action: WriteRequest.Action, on list: LoadedList, _ state: inout LoadedList.State,
        commit: (inout LoadedList.State, Change, WriteAnswer) -> Void
    ) throws(Undecided) -> WriteAnswer {
        let existed = state.exists
        let change: Change
        var result = CommandResult.done
        switch action {
        case .command(let command):
            (change, result) = try perform(command, on: list, &state)
        case .transfer(let move, _):
            (change, result) = try perform(.move(move), on: list, &state)
        case .batch(let commands, let isAtomic, let keys):
            (change, result) = try perform(
                commands, isAtomic: isAtomic, once: keys, on: list, &state)
        case .element(let element):
            (change, result) = try perform(element, on: list, &state)
        case .create(let content):
            guard !existed else { throw .refused(.listTaken(list.id)) }
            change = try replace(with: content, on: list, &state)
        case .put(let content):
            guard !existed || content != state.list else {
                return answer(list, state, changed: false, created: false, .done)
            }
            change = try replace(with: content, on: list, &state)
        case .undo(let undo):
            (change, result) = try perform(undo, on: list, &state)
        case .deleteList:
            state.exists = false
            state.list = ReorderableList(settings: ListSettings(title: ""))
            change = Change(operations: [.replace])
        }
        guard !change.operations.isEmpty else {
            var answer = answer(list, state, changed: false, created: false, result)
            answer.unstored = change.answers
            return answer
        }
        state.version += 1
        let answer = answer(list, state, changed: true, created: !existed, result)
        commit(&state, change, answer)
        return answer
    }

    private func answer(
        _ list: LoadedList, _ state: LoadedList.State, changed: Bool, created: Bool,
        _ result: CommandResult
    ) -> WriteAnswer {
        WriteAnswer(
            list: list.id, version: state.version, epoch: epoch, changed: changed,
            created: created, result: result)
    }

    func perform(
        _ command: ListCommand, on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> (Change, CommandResult) {
        let inserted = command.createdTask.map { [$0] } ?? []
        // Only what adds needs room: a list over a limit that was lowered can still be worked on.
        if !inserted.isEmpty { try checkRoom(for: state.list.count + inserted.count) }
        if case .createSection = command {
            try checkRoom(forSections: state.list.sectionCount + 1, insteadOf: state.list)
        }
        try claim(inserted, for: list)
        do {
            let performed = try command.perform(on: &state.list)
            let change = Change(
                operations: performed.operations, inserted: inserted, deleted: performed.deleted)
            return (change, performed.result)
        } catch {
            reservations.release(inserted, of: list)
            switch error {
            case .refused(let refusal):
                throw .refused(
                    .refused(
                        refusal, version: state.version,
                        tasks: command.namedTasks(in: state.list)))
            case .dataTooLarge: throw .refused(.dataTooLarge)
            }
        }
    }

    private func replace(
        with content: ReorderableList, on list: LoadedList, _ state: inout LoadedList.State
    ) throws(Undecided) -> Change {
        try checkRoom(for: content.count)
        try checkRoom(forSections: content.sectionCount, insteadOf: state.list)
        let before = Set(state.list.tasks.lazy.map(\.id))
        let after = content.tasks.map(\.id)
        // Sorted: a store that keeps them in the order of ids writes them in half the time.
        let inserted = after.filter { !before.contains($0) }.sorted()
        let deleted = before.subtracting(after)
        try claim(inserted, for: list)
        state.list = content
        state.exists = true
        return Change(operations: [.replace], inserted: inserted, deleted: Array(deleted))
    }

    func checkRoom(for count: Int) throws(Undecided) {
        guard count <= limits.tasksPerList else {
            throw .refused(.listFull(limit: limits.tasksPerList))
        }
    }

    /// Refuses more sections than a list may have. A list that has more already may keep them.
    func checkRoom(
        forSections count: Int, insteadOf list: ReorderableList
    ) throws(Undecided) {
        guard count <= max(limits.sectionsPerList, list.sectionCount) else {
            throw .refused(.sectionsFull(limit: limits.sectionsPerList))
        }
    }

    /// Makes sure that no other list holds these ids, or is about to.
    func claim(_ tasks: [TaskID], for list: LoadedList) throws(Undecided) {
        guard !tasks.isEmpty else { return }
        if let holder = reservations.reserve(tasks, for: list) { throw .blocked(by: holder) }
        var taken: TaskID?
        do {
            // A shared store is asked only once it has refused: nobody waits for it under a lock.
            let asked = sharing.map { $0.suspects(among: tasks) } ?? tasks
            // In pieces: while a store reads, its commits may have to wait.
            for start in stride(from: 0, to: asked.count, by: Self.tasksOnLoop) where taken == nil {
                let piece = Array(asked[start..<min(start + Self.tasksOnLoop, asked.count)])
                let holders = try store.lists(holding: piece)
                sharing?.clear(piece.filter { holders[$0] == nil })
                // What the store holds for this very list was deleted by a version on its way there.
                taken = holders.first { $0.value != list.id }?.key
            }
        } catch {
            reservations.release(tasks, of: list)
            throw .refused(failure(error, list: list.id))
        }
        if let taken {
            reservations.release(tasks, of: list)
            throw .refused(.taskTaken(taken))
        }
    }
}

extension WriteRequest {
    /// About how many tasks the request handles, if that takes too long for an event loop.
    fileprivate func largeSize(on state: LoadedList.State) -> Int? {
        let limit = ListService.tasksOnLoop
        if state.isLargeSnapshotDue { return state.list.count }
        let count =
            switch action {
            case .create(let content): content.count
            case .put(let content): max(content.count, state.list.count)
            case .command(let command): command.taskCount(in: state.list, upTo: limit)
            case .batch(let commands, _, _): Self.taskCount(of: commands, in: state.list)
            case .transfer, .element, .deleteList, .undo: 0
            }
        return count > limit ? max(count, state.list.count) : nil
    }

    /// An op counts as several tasks, as it does more than a task of a document.
    private static func taskCount(of commands: [ListCommand], in list: ReorderableList) -> Int {
        var count = 10 * commands.count
        for command in commands where count <= ListService.tasksOnLoop {
            count += command.taskCount(in: list, upTo: ListService.tasksOnLoop)
        }
        return count
    }
}
