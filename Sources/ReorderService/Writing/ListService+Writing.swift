import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore

extension ListService {
    /// Changes a list. The response waits until the versions that it was decided on are durable.
    ///
    /// A request with a key is applied once: its response is stored with its change, or by itself
    /// if nothing changed. A repeated request gets the stored response. An error is stored only if
    /// `ServiceError.isDecision` is true. Other errors are thrown.
    package func write(
        _ request: WriteRequest, _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        guard let key = request.key else {
            return .done(try decision(on: request, context, renderer).result)
        }
        while true {
            if let bytes = try storedResponse(to: key, of: request, context) {
                return .replayed(bytes)
            }
            let result: Result<WriteResult, ServiceError>
            do throws(ServiceError) {
                let decision = try decision(on: request, context, renderer)
                result = .success(decision.result)
                if let bytes = decision.rendered { return .stored(bytes, of: result) }
            } catch {
                // Another server may have applied this request meanwhile. Then its response is
                // stored.
                if error.isAbsence, shared != nil, !context.progress.hasCheckedAbsence {
                    context.progress.hasCheckedAbsence = true
                    context.progress.responses = nil
                    continue
                }
                guard error.isDecision else { throw error }
                result = .failure(error)
            }
            let response = KeyedResponse(
                to: result, of: key, at: context.time, limits.retention, renderer,
                maximumBytes: StoredResponseContent.maximumBytesWithoutChange)
            context.unstoredResponses.append(response.stored)
            return .stored(response.bytes, of: result)
        }
    }

    /// The stored response, if the request repeats an earlier one with the same key; nil otherwise.
    package func replay(
        of request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> WriteOutcome? {
        guard let key = request.key else { return nil }
        return try storedResponse(to: key, of: request, context).map { .replayed($0) }
    }

    /// Finds the list of a request that names only a task. If the task moves to another list before
    /// the request is decided, the lookup is repeated.
    private func decision(
        on request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer
    ) throws(ServiceError) -> Decision {
        guard let task = request.holder else {
            return try namedDecision(on: request, context, renderer)
        }
        return try onList(containing: task, in: request.scope, context) {
            list throws(ServiceError) in
            var request = request
            request.list = list
            return try namedDecision(on: request, context, renderer)
        }
    }

    /// Names the tasks of moves that count rows of certain versions.
    private func namedDecision(
        on request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer
    ) throws(ServiceError) -> Decision {
        if let list = request.forbiddenList { throw .listForbidden(list) }
        guard !request.rowVersions.isEmpty else {
            return try decision(on: request, Facts(), context, renderer)
        }
        let moves = try named(request.seenMoves(in: epoch), in: request, context)
        var named = request
        named.replace(moves)
        return try decision(on: named, Facts(refusedMoves: moves.refusals), context, renderer)
    }

    /// Looks up the other facts that the decision needs.
    private func decision(
        on request: WriteRequest, _ facts: Facts, _ context: RequestContext,
        _ renderer: some WriteRenderer
    ) throws(ServiceError) -> Decision {
        switch request.action {
        case .batch(_, _, let keys?):
            var facts = facts
            while true {
                facts.operationResults = try loadOperationResults(
                    keys, of: request.list, context)
                do throws(ServiceError) {
                    return try decide(request, facts, context, renderer)
                } catch {
                    guard checksOperationsAgain(error, context) else { throw error }
                }
            }
        case .restore, .deleteList(isPermanent: true):
            return try usingBin(request, context, renderer)
        case .undo(let version):
            let version = version.number(in: epoch)
            return try undoing(version, in: request, context) { undo throws(ServiceError) in
                try decide(request, Facts(undo: undo), context, renderer)
            }
        default: return try decide(request, facts, context, renderer)
        }
    }

    private func decide(
        _ request: WriteRequest, _ facts: Facts, _ context: RequestContext,
        _ renderer: some WriteRenderer
    ) throws(ServiceError) -> Decision {
        let lists = request.lists
        let decision = try onLists(lists.changed, and: lists.other, context) {
            lists throws(Interruption) in
            try decide(request, on: lists, facts, at: context.time, renderer)
        }
        if decision.commits.isEmpty { context.unstoredResponses += decision.responses }
        return decision
    }

    /// Throws the reason if a list can't be created with this content, or get it instead of the
    /// current one. For imports, which check all lists before they write the first one.
    package func check(
        _ content: ReorderableList, of list: String, replacing current: ReorderableList?
    ) throws(ServiceError) {
        do throws(Interruption) {
            try decider.checkRoom(for: content.count)
            try decider.checkRoom(forSections: content.sectionCount, insteadOf: current)
        } catch {
            guard case .refused(let reason) = error else { throw .unavailable }
            throw reason
        }
        let taken: TaskID?
        do {
            taken = try firstTask(among: content.taskIDs, notIn: list)
        } catch {
            throw failure(error, list: list)
        }
        if let taken { throw .taskTaken(taken) }
    }
}
