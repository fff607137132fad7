import ReorderEngine

extension ListService {
    /// Finds tasks by their ids, in the order of the ids. Tasks that do not exist, or that are in lists
    /// outside of `scope`, are left out.
    package func tasks(
        _ ids: [TaskID], in scope: (any ListScope)?, _ done: @escaping Completion<[FoundTask]>
    ) {
        find(ids, in: scope, attempt: 1) { found in
            done(found.map { found in ids.compactMap { found[$0] } })
        }
    }

    /// - Parameter attempt: counts the repetitions because tasks have moved to other lists meanwhile.
    private func find(
        _ ids: [TaskID], in scope: (any ListScope)?, attempt: Int,
        _ done: @escaping Completion<[TaskID: FoundTask]>
    ) {
        holders(
            of: ids,
            continuing(done) { [self] holders in
                let placed = ids.filter { id in
                    holders[id].map { scope?.allow($0) ?? true } ?? false
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
                            missing, in: scope, attempt: attempt + 1,
                            continuing(done) { more in
                                done(.success(found.merging(more) { $1 }))
                            })
                    })
            })
    }

    /// Finds tasks in their lists, in one list after the other.
    private func find(
        _ lists: ArraySlice<(key: String, value: [TaskID])>, _ found: [TaskID: FoundTask],
        _ done: @escaping Completion<[TaskID: FoundTask]>
    ) {
        guard let next = lists.first else { return done(.success(found)) }
        versionedListIfAny(
            of: next.key,
            continuing(done) { [self] list in
                var found = found
                for task in next.value {
                    found[task] = list?.list.task(task).map { FoundTask(list: next.key, task: $0) }
                }
                find(lists.dropFirst(), found, done)
            })
    }

    private static let maximumAttempts = 10
}
