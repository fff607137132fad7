import ReorderEngine
import ReorderStore

/// Requests that name a task, but not its list.
extension ListService {
    /// Finds the list that contains a task.
    ///
    /// - Parameter rights: the task is found in lists that the client may read; nil means all.
    package func versionedList(
        ofListContaining task: TaskID, with rights: (any ListRights)? = nil,
        _ done: @escaping Completion<VersionedList>
    ) {
        find(task, with: rights, missedIn: nil, done)
    }

    /// Looks for a task in the list that contains it according to the store. If it is not there,
    /// because it was moved to another list meanwhile, the lookup is repeated.
    ///
    /// - Parameter missed: where the last lookup did not find the task.
    private func find(
        _ task: TaskID, with rights: (any ListRights)?, missedIn missed: ListVersion?,
        _ done: @escaping Completion<VersionedList>
    ) {
        let found = continuing(done) { [self] (snapshot: Snapshot) throws(ServiceError) in
            if snapshot.exists, snapshot.list.list.contains(task) {
                return done(.success(snapshot.versioned))
            }
            // If the task is missing in the same version as last time, it does not exist.
            let place = ListVersion(
                list: snapshot.id, version: snapshot.exists ? snapshot.version : 0)
            guard place != missed else { throw .taskNotFound(task) }
            find(task, with: rights, missedIn: place, done)
        }
        holders(
            of: [task],
            continuing(done) { [self] holders throws(ServiceError) in
                guard let list = holders[task], rights?.allowReading(list) ?? true else {
                    throw .taskNotFound(task)
                }
                find(list, found)
            })
    }

    /// Finds the lists that contain tasks according to the store.
    func holders(of tasks: [TaskID], _ done: @escaping Completion<[TaskID: String]>) {
        if let holderLoader { return holderLoader.load(tasks, done) }
        durable.read(done) { [durable] () throws(ServiceError) in
            try durable.holders(of: tasks)
        }
    }

    /// Returns the list that contains a task. Blocks until the store responds.
    package func list(containing task: TaskID) throws(ServiceError) -> String {
        do {
            if let list = try store.lists(containing: [task])[task] { return list }
        } catch {
            throw durable.failure(error, list: "?")
        }
        throw .taskNotFound(task)
    }
}

extension ServiceError {
    /// The version of a list that does not contain the task; nil if the list contains it.
    func versionWithout(_ task: TaskID) -> Int? {
        switch self {
        case .refused(.taskNotFound(task), let version, _): version
        case .listNotFound: 0
        default: nil
        }
    }
}
