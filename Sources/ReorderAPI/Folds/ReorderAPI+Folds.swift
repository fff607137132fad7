import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// Folding for one person only. The query parameter `folds` names a list of folds, which is an
/// ordinary list (`Folds`). So folds are stored, shared between a person's devices, and protected
/// like lists.
extension ReorderAPI {
    static let foldsAndList =
        "A move to another list has no parameter folds. Name the tasks by their ids."

    /// The content of a list of folds.
    func folds(_ list: String, _ context: RequestContext) throws -> Folds {
        let folds = try service.folds(list, context)
        guard !folds.isTooLarge else {
            throw Problem(
                .invalidQuery,
                "A list of folds can have at most \(Folds.maximumEntries) tasks.")
        }
        return folds
    }

    /// Folds or unfolds a task for one person: a change of the list of folds only.
    ///
    /// - Parameters:
    ///   - list: the list of folds.
    ///   - write: the same for everyone. A stored response belongs to it.
    func fold(
        _ task: TaskID, _ isFolded: Bool, in list: String, _ request: Request,
        insteadOf write: WriteRequest, _ rendering: WriteRendering
    ) throws(Problem) -> Job {
        let fold = try writeRequest(
            .fold(task, isFolded, newEntry: makeID()), to: .task(task, in: list), request,
            WriteRendering(tags))
        return .then { [self] call in
            if let response = try replay(write, rendering, call.context) {
                return .respond(response)
            }
            let folds = try folds(list, call.context)
            let found = try service.list(
                ofListContaining: task, in: request.scope, call.context)
            let seen = try service.list(found, seenWith: folds, call.context)
            var rendering = WriteRendering(tags)
            rendering.shownResult = try ListCommand.collapse(task, isFolded).result(in: seen)
            return .write(fold, rendering)
        }
    }

    /// A move that counts the rows that one person sees.
    ///
    /// - Parameter list: the list of folds.
    func move(
        _ move: MoveRequest, _ write: WriteRequest, _ rendering: WriteRendering,
        seenWith list: String
    ) -> Job {
        .then { [self] call in
            // First, because the list of folds may be gone when the request is repeated.
            if let response = try replay(write, rendering, call.context) {
                return .respond(response)
            }
            var (move, write) = (move, write)
            move.folds = try folds(list, call.context).states
            write.action = .command(.move(move))
            return .write(write, rendering)
        }
    }

    /// The stored response, if the request repeats an earlier one; nil otherwise.
    private func replay(
        _ write: WriteRequest, _ rendering: WriteRendering, _ context: RequestContext
    ) throws -> Response? {
        try service.replay(of: write, context).map { rendering.response(to: $0) }
    }
}

extension Request {
    /// The list of folds that the request names; nil without the parameter.
    func listOfFolds() throws -> String? {
        guard let list = query["folds"] else { return nil }
        guard Identifier.isValid(list) else {
            throw Problem(.invalidQuery, "The parameter folds must be the id of a list.")
        }
        guard scope?.allow(list) ?? true else { throw ServiceError.listForbidden(list) }
        return list
    }
}
