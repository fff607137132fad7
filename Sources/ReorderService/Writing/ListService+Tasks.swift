import ReorderEngine
import ReorderStore

/// Requests that name a task, but not its list.
extension ListService {
    /// Returns the list that contains a task.
    ///
    /// - Parameter scope: the lists in which the task can be found.
    package func versionedList(
        ofListContaining task: TaskID, in scope: (any ListScope)? = nil, _ context: RequestContext
    ) throws(ServiceError) -> VersionedList {
        try onList(containing: task, in: scope, context) { list throws(ServiceError) in
            let current = try versionedList(of: list, context)
            guard current.list.contains(task) else {
                throw .refused(
                    .taskNotFound(task), version: current.version, tasks: .one(nil))
            }
            return current
        }
    }

    /// Runs `body` with the list that contains a task according to the store. If `body` does not
    /// find the task, because it was moved to another list meanwhile, the lookup is repeated.
    func onList<Value>(
        containing task: TaskID, in scope: (any ListScope)?, _ context: RequestContext,
        _ body: (_ list: String) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            guard let list = try holder(of: task, context), scope?.allow(list) ?? true else {
                throw .taskNotFound(task)
            }
            do throws(ServiceError) {
                return try body(list)
            } catch {
                guard let version = error.versionWithout(task) else { throw error }
                // If the task is missing in the same version as last time, it does not exist.
                let place = ListVersion(list: list, version: version)
                guard place != context.progress.missed else { throw .taskNotFound(task) }
                context.progress.missed = place
                context.progress.holders = nil
            }
        }
    }

    /// Returns the list that contains a task according to the store, or nil if no list does.
    func holder(of task: TaskID, _ context: RequestContext) throws(ServiceError) -> String? {
        try holders(of: [task], context)[task]
    }

    /// Returns the lists that contain tasks according to the store. Later runs of the request get the
    /// same result.
    func holders(
        of tasks: [TaskID], _ context: RequestContext
    ) throws(ServiceError) -> [TaskID: String] {
        try context.wait(for: \.holders) { reply throws(ServiceError) in
            if let holderLoader {
                return holderLoader.load(tasks) { reply.fill($0) }
            }
            try durable.read(reply, of: "?") { [store] () throws(StoreError) in
                try store.lists(containing: tasks)
            }
        }
    }

    /// Returns the list that contains a task. Blocks until the store responds.
    package func list(containing task: TaskID) throws(ServiceError) -> String {
        do {
            if let list = try store.lists(containing: [task])[task] { return list }
        } catch {
            throw failure(error, list: "?")
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
