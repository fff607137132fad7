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

    fileprivate var owner: RequestKey.Owner {
        switch self {
        case .list(let list): .list(list)
        case .newList: .newList
        case .listHolding(let task), .task(let task, _): .task(task)
        }
    }
}

extension ReorderAPI {
    /// Does a write, and renders what was done: once, where the request has a key.
    func write(
        _ action: WriteRequest.Action, to target: WriteTarget, _ request: Request,
        isDryRun: Bool = false, _ answer: @escaping Answer,
        _ render: @escaping @Sendable (WriteAnswer) -> Response
    ) throws(Problem) {
        guard let scope = request.scope, case .listHolding(let task) = target,
            request.headers["Idempotency-Key"] != nil
        else { return try writeAtOnce(action, to: target, request, isDryRun, answer, render) }
        // An answer that was kept must not tell of what has moved out of the sender's sight.
        service.isTask(task, outside: scope) { isOutside in
            do throws(Problem) {
                guard !isOutside else { throw Problem(ServiceError.taskNotFound(task)) }
                try writeAtOnce(action, to: target, request, isDryRun, answer, render)
            } catch {
                answer(.failure(error))
            }
        }
    }

    private func writeAtOnce(
        _ action: WriteRequest.Action, to target: WriteTarget, _ request: Request,
        _ isDryRun: Bool, _ answer: @escaping Answer,
        _ render: @escaping @Sendable (WriteAnswer) -> Response
    ) throws(Problem) {
        try write(as: target.owner, request, isDryRun: isDryRun, answer, render) {
            [service] make, completion in
            switch target {
            case .list(let list), .newList(let list), .task(_, let list):
                service.write(make(list, action), completion)
            case .listHolding(let task):
                service.write(
                    toListHolding: task, in: request.scope, { make($0, action) }, completion)
            }
        }
    }

    /// Does a write of a list that is yet to be found, as the one before does.
    ///
    /// - Parameter perform: does what `make` makes of a list and an action.
    func write(
        as owner: RequestKey.Owner, _ request: Request, isDryRun: Bool = false,
        _ answer: @escaping Answer,
        _ render: @escaping @Sendable (WriteAnswer) -> Response,
        _ perform:
            @escaping @Sendable (
                _ make: @escaping @Sendable (String, WriteRequest.Action) -> WriteRequest,
                _ completion: @escaping ListService.Completion<WriteAnswer>
            ) -> Void
    ) throws(Problem) {
        let precondition = request.precondition(tags)
        let client = request.clientID
        let scope = request.scope
        @Sendable func write(
            _ attempt: Attempt?, _ completion: @escaping ListService.Completion<WriteAnswer>
        ) {
            perform(
                { list, action in
                    WriteRequest(
                        list: list, action: action, precondition: precondition,
                        isDryRun: isDryRun, client: client, scope: scope, attempt: attempt)
                }, completion)
        }
        guard let key = try request.idempotencyKey() else {
            return write(nil) { answer($0.mapError { Problem($0) }.map(render)) }
        }
        service.once(
            RequestKey(owner, key: request.own(key), digest: request.digest),
            render: { [tags] result in
                Self.response(to: result.mapError { Problem($0) }.map(render), tags).stored
            },
            { result in answer(result.mapError { Problem($0) }.flatMap { Self.response(to: $0) }) },
            write)
    }

    private static func response(
        to once: ListService.OnceAnswer
    ) -> Result<Response, Problem> {
        guard var response = Response(stored: once.bytes) else {
            return .failure(Problem(.internalError, "The answer that was given can't be read."))
        }
        if once.isReplay { response.headers["Idempotent-Replay"] = "true" }
        return .success(response)
    }
}
