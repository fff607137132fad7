import ReorderEngine
import ReorderStore

/// What is asked of a task, whichever list holds it.
extension ListService {
    /// The list that holds a task, as it is once all that is decided by now is durable.
    ///
    /// - Parameter scope: a list outside of it holds nothing.
    package func snapshot(
        ofListHolding task: TaskID, in scope: ListScope? = nil,
        _ completion: @escaping Completion<ListSnapshot>
    ) {
        follow(task, in: scope, completion) { list, completion in
            self.snapshot(of: list) { result in
                completion(
                    result.flatMap { snapshot in
                        guard snapshot.list.contains(task) else {
                            return .failure(
                                .refused(
                                    .taskNotFound(task), version: snapshot.version,
                                    tasks: .one(nil)))
                        }
                        return .success(snapshot)
                    })
            }
        }
    }

    /// Does a request that may change the list that holds a task.
    ///
    /// - Parameters:
    ///   - scope: a list outside of it holds nothing.
    ///   - request: makes it, of that list's id; called again where the task has moved on.
    package func write(
        toListHolding task: TaskID, in scope: ListScope? = nil,
        _ request: @escaping @Sendable (String) -> WriteRequest,
        _ completion: @escaping Completion<WriteAnswer>
    ) {
        follow(task, in: scope, completion) { list, completion in
            self.write(request(list), completion)
        }
    }

    /// Does something on the list that holds a task. The store tells which one does; by the time
    /// that the list is there, the task may have moved to another: then on that one.
    ///
    /// - Parameter missed: where the task was not found the last time. Found missing there again, in
    ///   the same version, it is nowhere.
    private func follow<Value: Sendable>(
        _ task: TaskID, in scope: ListScope?, missed: ListVersion? = nil,
        _ completion: @escaping Completion<Value>,
        _ body:
            @escaping @Sendable (_ list: String, _ completion: @escaping Completion<Value>)
            -> Void
    ) {
        findHolder(of: task) { [self] result in
            let list: String
            switch result {
            case .failure(let error): return completion(.failure(failure(error, list: "?")))
            case .success(let holders):
                guard let holder = holders[task], scope?(holder) ?? true else {
                    return completion(.failure(.taskNotFound(task)))
                }
                list = holder
            }
            body(list) { result in
                guard let version = result.versionWithout(task) else { return completion(result) }
                let place = ListVersion(list: list, version: version)
                guard place != missed else { return completion(.failure(.taskNotFound(task))) }
                self.follow(task, in: scope, missed: place, completion, body)
            }
        }
    }

    /// Whether a list outside of a scope holds a task. Where the store can't tell, whatever is asked of
    /// it next fails too.
    package func isTask(
        _ task: TaskID, outside scope: ListScope, _ completion: @escaping @Sendable (Bool) -> Void
    ) {
        findHolder(of: task) { result in
            completion((try? result.get()[task]).map { !scope($0) } ?? false)
        }
    }

    /// The list that holds a task. Waits for the store.
    package func list(holding task: TaskID) throws(ServiceError) -> String {
        do {
            if let list = try store.lists(holding: [task])[task] { return list }
        } catch {
            throw failure(error, list: "?")
        }
        throw .taskNotFound(task)
    }

    private func findHolder(
        of task: TaskID,
        _ answer: @escaping @Sendable (Result<[TaskID: String], StoreError>) -> Void
    ) {
        if let sharing {
            sharing.holders.ask([task], answer)
        } else {
            answer(Result { () throws(StoreError) in try store.lists(holding: [task]) })
        }
    }
}

extension Result where Failure == ServiceError {
    /// The version in which a list was found without the task; `nil` where it was found.
    fileprivate func versionWithout(_ task: TaskID) -> Int? {
        switch self {
        case .failure(.refused(.taskNotFound(task), let version, _)): version
        case .failure(.listNotFound): 0
        default: nil
        }
    }
}
