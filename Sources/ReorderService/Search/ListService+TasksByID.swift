import ReorderEngine

extension ListService {
    /// Finds the lists that contain tasks. Tasks that do not exist, or that are in lists that
    /// the client may not read, are left out.
    package func lists(
        containing ids: [TaskID], with rights: (any ListRights)?,
        _ done: @escaping Completion<[TaskID: VersionedList]>
    ) {
        find(ids, with: rights, attempt: 1, done)
    }

    /// - Parameter attempt: counts the repetitions because tasks have moved to other lists meanwhile.
    private func find(
        _ ids: [TaskID], with rights: (any ListRights)?, attempt: Int,
        _ done: @escaping Completion<[TaskID: VersionedList]>
    ) {
        holders(
            of: ids,
            continuing(done) { [self] holders in
                let placed = ids.filter { id in
                    holders[id].map { rights?.allowReading($0) ?? true } ?? false
                }
                let lists = Dictionary(grouping: placed) { holders[$0] ?? "" }
                find(
                    lists.sorted { $0.key < $1.key }[...], [:],
                    continuing(done) { [self] found throws(ServiceError) in
                        // The others have moved to another list meanwhile, or were deleted.
                        let missing = placed.filter { found[$0] == nil }
                        guard !missing.isEmpty else { return done(.success(found)) }
                        guard attempt < Self.maximumAttempts else { throw .unavailable }
                        find(
                            missing, with: rights, attempt: attempt + 1,
                            continuing(done) { more in
                                done(.success(found.merging(more) { $1 }))
                            })
                    })
            })
    }

    /// Finds tasks in their lists, in one list after the other.
    private func find(
        _ lists: ArraySlice<(key: String, value: [TaskID])>, _ found: [TaskID: VersionedList],
        _ done: @escaping Completion<[TaskID: VersionedList]>
    ) {
        guard let next = lists.first else { return done(.success(found)) }
        versionedListIfAny(
            of: next.key,
            continuing(done) { [self] list in
                var found = found
                for task in next.value where list?.list.contains(task) ?? false {
                    found[task] = list
                }
                find(lists.dropFirst(), found, done)
            })
    }

    private static let maximumAttempts = 10
}

extension VersionedList {
    /// A task in its current state; nil if it does not exist.
    package func found(_ task: TaskID) -> FoundTask? {
        list.task(task).map { FoundTask(list: id, task: $0) }
    }
}
