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

    /// Finds the content of a list of folds.
    func folds(_ list: String, _ next: @escaping @Sendable (Folds) throws -> Job) -> Job {
        .wait(for: { [service] in service.versionedList(of: list, $0) }) { list in
            let folds = Folds(list)
            guard !folds.isTooLarge else {
                throw Problem(
                    .invalidQuery,
                    "A list of folds can have at most \(Folds.maximumEntries) tasks.")
            }
            return try next(folds)
        }
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
            WriteRendering(tags, request))
        return replaying(write, rendering) { [self] in
            folds(list) { [self] folds in
                .wait(
                    for: { [service] in
                        service.versionedList(ofListContaining: task, with: request.rights, $0)
                    }
                ) { [self] list in
                    try .onWorker(if: service.isLong(toSee: list, with: folds)) { [tags] in
                        let shown = try Command.collapse(task, isFolded)
                            .result(in: list.seen(with: folds))
                        return .write(fold, WriteRendering(tags, request, showing: shown))
                    }
                }
            }
        }
    }

    /// A move that counts the rows that one person sees.
    ///
    /// - Parameter list: the list of folds.
    func move(
        _ write: WriteRequest, _ rendering: WriteRendering, seenWith list: String
    ) -> Job {
        // First, because the list of folds may be gone when the request is repeated.
        replaying(write, rendering) { [self] in
            folds(list) { folds in
                var write = write
                if case .command(.move(var move)) = write.action {
                    move.folds = folds.states
                    write.action = .command(.move(move))
                }
                return .write(write, rendering)
            }
        }
    }

    /// Responds with the stored response, if the request repeats an earlier one.
    private func replaying(
        _ write: WriteRequest, _ rendering: WriteRendering, _ next: @escaping Job.Next
    ) -> Job {
        .wait(for: { [service] in service.replay(of: write, $0) }) { replayed in
            try replayed.map { .respond(rendering.response(to: $0)) } ?? next()
        }
    }
}

extension Request {
    /// The list of folds that the request names; nil without the parameter.
    func listOfFolds() throws -> String? {
        guard let list = query["folds"] else { return nil }
        guard Identifier.isValid(list) else {
            throw Problem(.invalidQuery, "The parameter folds must be the id of a list.")
        }
        guard readableLists.allow(list) else { throw ServiceError.listForbidden(list) }
        return list
    }
}
