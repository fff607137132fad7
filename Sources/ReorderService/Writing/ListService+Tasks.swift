import ReorderEngine
import ReorderStore

/// Requests that name a task, whichever list holds it.
extension ListService {
    /// The list that holds a task, as it is once all that is decided by now is durable.
    ///
    /// - Parameter scope: a list outside of it holds nothing.
    package func snapshot(
        ofListHolding task: TaskID, in scope: ListScope? = nil, _ context: RequestContext
    ) throws(ServiceError) -> ListSnapshot {
        try onList(holding: task, in: scope, context) { list throws(ServiceError) in
            let snapshot = try snapshot(of: list, context)
            guard snapshot.list.contains(task) else {
                throw .refused(
                    .taskNotFound(task), version: snapshot.version, tasks: .one(nil))
            }
            return snapshot
        }
    }

    /// Runs `body` with the list that holds a task. The store says which one does; by the time that the list is
    /// there, the task may have moved to another: then with that one.
    func onList<Value>(
        holding task: TaskID, in scope: ListScope?, _ context: RequestContext,
        _ body: (_ list: String) throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            guard let list = try holder(of: task, context), scope?(list) ?? true else {
                throw .taskNotFound(task)
            }
            do throws(ServiceError) {
                return try body(list)
            } catch {
                guard let version = error.versionWithout(task) else { throw error }
                // The store does not know yet where it went.
                if let ticket = context.pendingTicket {
                    (context.progress.holders, context.progress.listStates) = (nil, nil)
                    throw context.wait(untilDurable: ticket)
                }
                // Found missing in the same version as the last time, it is nowhere.
                let place = ListVersion(list: list, version: version)
                guard place != context.progress.missed else { throw .taskNotFound(task) }
                context.progress.missed = place
                context.progress.holders = nil
                context.progress.listStates = nil
                context.discardTickets()
            }
        }
    }

    /// The list that holds a task, as far as the store knows; nil if there is none.
    func holder(of task: TaskID, _ context: RequestContext) throws(ServiceError) -> String? {
        guard let sharing else {
            do {
                return try store.lists(holding: [task])[task]
            } catch {
                throw failure(error, list: "?")
            }
        }
        return try context.wait(for: \.holders) { sharing.holders.load([task], $0) }[task]
    }

    /// The list that holds a task. Blocks until the store answers.
    package func list(holding task: TaskID) throws(ServiceError) -> String {
        do {
            if let list = try store.lists(holding: [task])[task] { return list }
        } catch {
            throw failure(error, list: "?")
        }
        throw .taskNotFound(task)
    }
}

extension ServiceError {
    /// The version in which a list was found without the task; nil if it was found.
    fileprivate func versionWithout(_ task: TaskID) -> Int? {
        switch self {
        case .refused(.taskNotFound(task), let version, _): version
        case .listNotFound: 0
        default: nil
        }
    }
}
