import MicroHTTP
import ReorderEngine
import ReorderService

/// What a write is about: the list that it changes, and what its `Idempotency-Key` belongs to.
enum WriteTarget: Sendable {
    case list(String)
    /// A list that the client has not named; the server has.
    case newList(String)
    /// The list that holds a task. The key is the task's, for the list may be another the next time,
    /// and none where the task was deleted.
    case listHolding(TaskID)
    /// A task, in a list or to be made there.
    case task(TaskID, in: String)

    fileprivate var owner: IdempotencyKey.Owner {
        switch self {
        case .list(let list): .list(list)
        case .newList: .newList
        case .listHolding(let task), .task(let task, _): .task(task)
        }
    }
}

extension ReorderAPI {
    /// Does a write, and renders what was done: once, if the request has a key.
    func write(
        _ action: WriteRequest.Action, to target: WriteTarget, _ call: Call,
        _ rendering: WriteRendering
    ) throws -> Response {
        var write = try writeRequest(action, call.request, of: target.owner)
        write.isDryRun = rendering.isDryRun
        switch target {
        case .list(let list), .newList(let list), .task(_, let list): write.list = list
        case .listHolding(let task): write.holder = task
        }
        return rendering.response(to: try service.write(write, call.context, as: rendering))
    }

    /// A write as the request's header fields have it. Its list is not known yet.
    func writeRequest(
        _ action: WriteRequest.Action, _ request: Request, of owner: IdempotencyKey.Owner
    ) throws -> WriteRequest {
        WriteRequest(
            list: "", action: action, precondition: request.precondition(tags),
            client: request.clientID, scope: request.scope,
            key: try request.idempotencyKey().map {
                IdempotencyKey(owner, key: request.own($0), digest: request.digest)
            })
    }
}
