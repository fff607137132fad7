import MicroHTTP
import ReorderEngine
import ReorderService

/// The resource of a write: it determines the list that is changed and the scope of the
/// `Idempotency-Key`.
enum WriteTarget: Sendable {
    case list(String)
    /// A new list, whose id the server has generated.
    case newList(String)
    /// A new list that is a copy. The idempotency key belongs to the original.
    case copy(String, of: String)
    /// The list that contains a task. The idempotency key belongs to the task: when the request is
    /// repeated, the task can be in another list, or deleted.
    case listContaining(TaskID)
    /// A task that is in this list, or for which the request creates something in it.
    case task(TaskID, in: String)
    /// A drag. Its list is known later.
    case drag(String)

    fileprivate var owner: IdempotencyKey.Owner {
        switch self {
        case .list(let list), .copy(_, let list): .list(list)
        case .newList: .newList
        case .listContaining(let task), .task(let task, _): .task(task)
        case .drag(let drag): .drag(drag)
        }
    }

    /// The list that is changed; empty if it is not known.
    fileprivate var list: String {
        switch self {
        case .list(let list), .newList(let list), .task(_, let list), .copy(let list, _): list
        case .listContaining, .drag: ""
        }
    }

    fileprivate var containedTask: TaskID? {
        if case .listContaining(let task) = self { task } else { nil }
    }
}

extension ReorderAPI {
    /// A write whose response is rendered like this.
    func write(
        _ action: WriteRequest.Action, _ rowVersions: [RowVersions] = [], to target: WriteTarget,
        _ request: Request, _ rendering: WriteRendering
    ) throws(Problem) -> Job {
        .write(try writeRequest(action, rowVersions, to: target, request, rendering), rendering)
    }

    func writeRequest(
        _ action: WriteRequest.Action, _ rowVersions: [RowVersions] = [], to target: WriteTarget,
        _ request: Request, _ rendering: WriteRendering
    ) throws(Problem) -> WriteRequest {
        WriteRequest(
            list: target.list, containedTask: target.containedTask, action: action,
            rowVersions: rowVersions, precondition: request.precondition(tags),
            isDryRun: rendering.isDryRun, client: request.clientID,
            author: request.tokenAccess?.author, rights: request.rights,
            key: try request.idempotencyKey().map {
                IdempotencyKey(target.owner, key: request.own($0), digest: request.digest)
            })
    }
}
