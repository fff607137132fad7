import ReorderEngine

extension ListService {
    /// The lists of tasks.
    package struct ListsOfTasks: Sendable {
        /// Each task's list.
        package var lists: [TaskID: VersionedList] = [:]
        /// The lists that can't be read, so that their tasks are left out.
        package var unreadable: [String] = []
    }

    /// Finds the lists that contain tasks. Tasks that do not exist, or that are in lists that
    /// the client may not read, are left out.
    package func lists(
        containing ids: [TaskID], with rights: (any ListRights)?,
        _ done: @escaping Completion<ListsOfTasks>
    ) {
        find(ids, with: rights, attempt: 1, done)
    }

    /// - Parameter attempt: counts the repetitions because tasks have moved to other lists meanwhile.
    private func find(
        _ ids: [TaskID], with rights: (any ListRights)?, attempt: Int,
        _ done: @escaping Completion<ListsOfTasks>
    ) {
        holders(
            of: ids,
            continuing(done) { [self] holders in
                let placed = ids.filter { id in
                    holders[id].map { rights?.allowReading($0) ?? true } ?? false
                }
                let lists = Dictionary(grouping: placed) { holders[$0] ?? "" }
                find(
                    lists.sorted { $0.key < $1.key }[...], ListsOfTasks(),
                    continuing(done) { [self] found throws(ServiceError) in
                        // The others have moved to another list meanwhile, or were deleted.
                        let missing = placed.filter { id in
                            found.lists[id] == nil
                                && !found.unreadable.contains(holders[id] ?? "")
                        }
                        guard !missing.isEmpty else { return done(.success(found)) }
                        guard attempt < Self.maximumAttempts else { throw .unavailable }
                        find(
                            missing, with: rights, attempt: attempt + 1,
                            continuing(done) { more in
                                var all = more
                                all.lists.merge(found.lists) { $1 }
                                all.unreadable += found.unreadable
                                done(.success(all))
                            })
                    })
            })
    }

    /// Finds tasks in their lists, in one list after the other.
    private func find(
        _ lists: ArraySlice<(key: String, value: [TaskID])>, _ found: ListsOfTasks,
        _ done: @escaping Completion<ListsOfTasks>
    ) {
        guard let next = lists.first else { return done(.success(found)) }
        versionedListIfAny(of: next.key) { [self] result in
            var found = found
            switch result {
            case .success(let list):
                for task in next.value where list?.list.contains(task) ?? false {
                    found.lists[task] = list
                }
            case .failure(.unreadable): found.unreadable.append(next.key)
            case .failure(let error): return done(.failure(error))
            }
            find(lists.dropFirst(), found, done)
        }
    }

    private static let maximumAttempts = 10
}

extension VersionedList {
    /// A task in its current state; nil if it does not exist.
    package func found(_ task: TaskID) -> TaskMatch? {
        list.task(task).map { TaskMatch(list: id, task: $0) }
    }
}
