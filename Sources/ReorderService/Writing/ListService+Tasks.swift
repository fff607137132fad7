import ReorderEngine
import ReorderStore

/// Requests that name a task, but not its list.
extension ListService {
    /// Returns the list that contains a task. The response waits until all changes decided so far
    /// are durable.
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
                // The move is not durable yet, so the store does not know the task's new list.
                if let ticket = context.nonDurableTicket {
                    (context.progress.holders, context.progress.listStates) = (nil, nil)
                    throw context.wait(untilDurable: ticket)
                }
                // If the task is missing in the same version as last time, it does not exist.
                let place = ListVersion(list: list, version: version)
                guard place != context.progress.missed else { throw .taskNotFound(task) }
                context.progress.missed = place
                context.progress.holders = nil
                context.progress.listStates = nil
                context.discardTickets()
            }
        }
    }

    /// Returns the list that contains a task according to the store, or nil if no list does.
    func holder(of task: TaskID, _ context: RequestContext) throws(ServiceError) -> String? {
        guard let shared else {
            do {
                return try store.lists(containing: [task])[task]
            } catch {
                throw failure(error, list: "?")
            }
        }
        return try context.wait(for: \.holders) { shared.holders.load([task], $0) }[task]
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
    fileprivate func versionWithout(_ task: TaskID) -> Int? {
        switch self {
        case .refused(.taskNotFound(task), let version, _): version
        case .listNotFound: 0
        default: nil
        }
    }
}
