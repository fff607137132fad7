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

    /// The folds that the request names; nil without the parameter.
    func folds(_ call: Call) throws -> Folds? {
        guard let list = call.request.query["folds"] else { return nil }
        guard Identifier.isValid(list) else {
            throw Problem(.invalidQuery, "The parameter folds must be the id of a list.")
        }
        guard call.request.scope?.allow(list) ?? true else {
            throw ServiceError.listForbidden(list)
        }
        let folds = try service.folds(list, call.context)
        guard !folds.isTooLarge else {
            throw Problem(
                .invalidQuery,
                "A list of folds can have at most \(Folds.maximumEntries) tasks.")
        }
        return folds
    }

    /// Folds or unfolds a task for one person: a change of the list of folds only. Returns nil if the
    /// request names no list of folds.
    ///
    /// - Parameters:
    ///   - action: the same for everyone.
    ///   - rendering: of that action.
    func fold(
        _ task: TaskID, _ isFolded: Bool, _ action: WriteRequest.Action, _ call: Call,
        _ rendering: WriteRendering
    ) throws -> Response? {
        guard call.request.query["folds"] != nil else { return nil }
        if let response = try replay(action, to: .listContaining(task), call, rendering) {
            return response
        }
        guard let folds = try folds(call) else { return nil }
        let list = try service.durableList(
            ofListContaining: task, in: call.request.scope, call.context)
        let (fold, result) = try folds.fold(task, isFolded, in: list, makeID: makeID)
        var rendering = WriteRendering(tags)
        rendering.shownResult = result
        return try write(.fold(fold), to: .task(task, in: folds.list), call, rendering)
    }
}
