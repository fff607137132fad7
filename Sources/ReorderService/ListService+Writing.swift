import Foundation
import ReorderEngine
import ReorderStore

/// What a decision needs is prepared here; the writer decides.
extension ListService {
    /// Changes lists.
    ///
    /// A request with a key is applied once: its response is stored with its change, or by itself
    /// if nothing changed. A repeated request gets the stored response. An error is stored only if
    /// `ServiceError.isDecision` is true. Other errors go to `done`.
    ///
    /// - Parameter done: gets the outcome when what it shows is durable and published.
    package func write(
        _ request: consuming WriteRequest, as renderer: any WriteRenderer,
        _ done: @escaping Completion<WriteOutcome>
    ) {
        let time = clock.now()
        // Also before a stored response is returned: the client may have fewer rights now.
        do throws(ServiceError) { try request.checkRights() } catch { return done(.failure(error)) }
        guard request.needsPreparation else {
            return enqueue(request, nil, at: time, renderer, done)
        }
        let request = request
        replay(
            of: request,
            continuing(done) { [self] replayed throws(ServiceError) in
                if let replayed { return done(.success(replayed)) }
                try prepare(request, at: time, renderer, done)
            })
    }

    /// Looks up what the decision needs beside its lists. The writer does the rest.
    private func prepare(
        _ request: WriteRequest, at time: Date, _ renderer: any WriteRenderer,
        _ done: @escaping Completion<WriteOutcome>
    ) throws(ServiceError) {
        if case .undo(nil) = request.action {
            return find(
                request.list,
                continuing(done) { [self] current throws(ServiceError) in
                    var request = request
                    request.action = .undo(version: RequestedVersion(max(1, current.version)))
                    try prepare(request, at: time, renderer, done)
                })
        }
        if case .undo(let version?) = request.action {
            let permit = try undos.admit(request.list)
            let done: Completion<WriteOutcome> = { outcome in
                permit.end()
                done(outcome)
            }
            return planUndo(
                of: version.number(in: epoch), in: request.list,
                continuing(done) { [self] plan in
                    enqueue(request, DecisionFacts(undo: plan), at: time, renderer, done)
                })
        }
        name(
            request.seenMoves(in: epoch), in: request,
            continuing(done) { [self] moves in
                var request = request
                request.replace(moves)
                enqueue(
                    request, DecisionFacts(refusedMoves: moves.refusals), at: time, renderer, done)
            })
    }

    private func enqueue(
        _ request: consuming WriteRequest, _ facts: DecisionFacts?, at time: Date,
        _ renderer: any WriteRenderer,
        _ done: @escaping Completion<WriteOutcome>
    ) {
        let write = PendingWrite(
            request, facts, at: time, expiry: clock.expiry(), renderer
        ) { [self] write in
            answer(write, done)
        }
        if !writer.enqueue(write) { done(.failure(.unavailable)) }
    }

    /// Ends a write. If it is about the bin and its list does not exist, the bin is read first, and the
    /// writer decides again.
    private func answer(_ write: PendingWrite, _ done: @escaping Completion<WriteOutcome>) {
        switch write.outcome {
        case .completed(let outcome): done(.success(outcome))
        case .failed(let error): done(.failure(error))
        case .needsBin(let version):
            loadFromBin(
                for: write.request, version: version,
                continuing(done) { [self] binned in
                    let facts = DecisionFacts(binned: binned, binVersion: version)
                    enqueue(write.request, facts, at: write.time, write.renderer, done)
                })
        }
    }

    /// Finds the stored response, if the request repeats an earlier one with the same key.
    ///
    /// - Parameter done: gets nil if there is none.
    package func replay(of request: WriteRequest, _ done: @escaping Completion<WriteOutcome?>) {
        let time = clock.expiry()
        guard let key = request.key else { return done(.success(nil)) }
        guard let task = request.containedTask, let rights = request.rights else {
            return replay(key, at: time, done)
        }
        holders(
            of: [task],
            continuing(done) { [self] holders throws(ServiceError) in
                // If the task has moved to a list that the client may not read, its stored response is
                // withheld.
                if let list = holders[task], !rights.allowReading(list) {
                    throw .taskNotFound(task)
                }
                replay(key, at: time, done)
            })
    }

    private func replay(
        _ key: IdempotencyKey, at time: Date, _ done: @escaping Completion<WriteOutcome?>
    ) {
        durable.read(done) { [durable] () throws(ServiceError) in
            let stored = try durable.responses(to: [key.responseKey])[key.responseKey]
            guard let content = try stored?.content(at: time) else { return nil }
            guard content.digest == key.digest else { throw .keyReused(opID: nil) }
            return .replayed(content.bytes)
        }
    }

    /// Throws the reason if a list can't be created with this content, or get it instead of the
    /// current one. For imports, which check all lists before they write the first one.
    package func check(
        _ content: ReorderableList, of list: String, replacing current: VersionedList?
    ) throws(ServiceError) {
        if let current {
            do throws(Refusal) {
                try content.checkLimits(replacing: current.list)
            } catch {
                throw .refused(error, version: current.version, tasks: .one(nil))
            }
        }
        do throws(Interruption) {
            try decider.checkRoom(for: content.count)
            try decider.checkRoom(forSections: content.sectionCount, insteadOf: current?.list)
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
        return !rowVersions.isEmpty
    }
}
