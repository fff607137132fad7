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

    fileprivate var owner: IdempotencyKey.Owner {
        switch self {
        case .list(let list), .copy(_, let list): .list(list)
        case .newList: .newList
        case .listContaining(let task), .task(let task, _): .task(task)
        }
    }
}

extension ReorderAPI {
    /// A write whose response is rendered like this.
    func write(
        _ action: WriteRequest.Action, _ rowVersions: [RowVersions] = [], to target: WriteTarget,
        _ request: Request, _ rendering: WriteRendering
    ) throws(Problem) -> Job {
        var write = try writeRequest(action, to: target, request, rendering)
        write.rowVersions = rowVersions
        return .write(write, rendering)
    }

    func writeRequest(
        _ action: WriteRequest.Action, to target: WriteTarget, _ request: Request,
        _ rendering: WriteRendering
    ) throws(Problem) -> WriteRequest {
        var write = try writeRequest(action, request, of: target.owner)
        write.isDryRun = rendering.isDryRun
        switch target {
        case .list(let list), .newList(let list), .task(_, let list), .copy(let list, _):
            write.list = list
        case .listContaining(let task): write.containedTask = task
        }
        return write
    }

    /// Creates a write request from the header fields. The caller must set its list.
    func writeRequest(
        _ action: WriteRequest.Action, _ request: Request, of owner: IdempotencyKey.Owner
    ) throws(Problem) -> WriteRequest {
        WriteRequest(
            list: "", action: action, precondition: request.precondition(tags),
            client: request.clientID, author: request.tokenAccess?.author, rights: request.rights,
            key: try request.idempotencyKey().map {
                IdempotencyKey(owner, key: request.own($0), digest: request.digest)
            })
    }
}
