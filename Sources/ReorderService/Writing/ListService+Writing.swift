import ReorderEngine
import ReorderStore

/// What a decision needs is prepared here; the writer decides.
extension ListService {
    /// Changes lists. Until the change is durable, the run ends.
    ///
    /// A request with a key is applied once: its response is stored with its change, or by itself
    /// if nothing changed. A repeated request gets the stored response. An error is stored only if
    /// `ServiceError.isDecision` is true. Other errors are thrown.
    package func write(
        _ request: WriteRequest, _ context: RequestContext, as renderer: some WriteRenderer
    ) throws(ServiceError) -> WriteOutcome {
        while true {
            if context.existingProgress?.outcome == nil {
                if request.needsPreparation, let replayed = try replay(of: request, context) {
                    return replayed
                }
                let (prepared, facts) = try prepare(request, context)
                let reply = Reply<PendingWrite.Outcome>(for: context.host)
                let write = PendingWrite(prepared, facts, at: context.time, renderer) {
                    reply.fill(.success($0))
                }
                guard writer.enqueue(write) else { throw .unavailable }
                context.progress.outcome = reply
            }
            let outcome = try context.result(of: context.progress.outcome).get()
            context.progress.outcome = nil
            switch outcome {
            case .done(let outcome): return outcome
            case .failed(let error): throw error
            case .needsBin(let version): context.progress.bin = BinLookup(version: version)
            }
        }
    }

    /// Looks up what the decision needs beside its lists. The writer does the rest.
    private func prepare(
        _ request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> (WriteRequest, Facts) {
        var (request, facts) = (request, Facts())
        switch request.action {
        case .undo(let version):
            facts.undo = try undoPlan(version.number(in: epoch), of: request.list, context)
        case .restore, .deleteList(isPermanent: true):
            // The bin is read only if the list does not exist.
            if let version = context.existingProgress?.bin.version {
                facts.binVersion = version
                facts.binned = try context.wait(for: \.bin.reply) { reply throws(ServiceError) in
                    try loadFromBin(for: request, at: context.time, reply)
                }
            }
        default:
            guard !request.rowVersions.isEmpty else { break }
            if let list = request.forbiddenList { throw .listForbidden(list) }
            let moves = try named(request.seenMoves(in: epoch), in: request, context)
            request.replace(moves)
            facts.refusedMoves = moves.refusals
        }
        return (request, facts)
    }

    /// The stored response, if the request repeats an earlier one with the same key; nil otherwise.
    package func replay(
        of request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> WriteOutcome? {
        guard let key = request.key else { return nil }
        if let task = request.holder, let scope = request.scope,
            let list = try holder(of: task, context), !scope.allow(list)
        {
            // The task has moved to a list that the client may not use, so its stored response is
            // withheld.
            throw .taskNotFound(task)
        }
        let stored = try context.wait(for: \.responses) { reply throws(ServiceError) in
            try durable.read(reply, of: key.responseKey.owner) { [store] () throws(StoreError) in
                try store.responses(to: [key.responseKey])
            }
        }
        guard let content = try stored[key.responseKey]?.content(at: context.time) else {
            return nil
        }
        guard content.digest == key.digest else { throw .keyReused(opID: nil) }
        return .replayed(content.bytes)
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
        let taken = try durable.holders(of: content.taskIDs).first { $0.value != list }
        if let taken { throw .taskTaken(taken.key) }
    }
}

extension WriteRequest {
    /// Whether lookups come before the decision.
    fileprivate var needsPreparation: Bool {
        if case .undo = action { return true }
        return action.usesBin || !rowVersions.isEmpty
    }
}
