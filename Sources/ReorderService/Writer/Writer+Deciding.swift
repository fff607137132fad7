import ReorderEngine
import ReorderStore

extension Writer {
    /// Reads what the ready writes need from a shared store. Another store is asked when needed.
    func makeBatch() -> WriterBatch {
        guard let shared = durable.shared else {
            return WriterBatch(durable, largeAppends, writeCount: ready.count)
        }
        var keyCount = 0
        let writes = ready.prefix(WriterBatch.maximumWrites).prefix { write in
            defer { keyCount += write.request.responseKeys.count }
            return keyCount < Self.maximumKeys
        }
        guard !writes.isEmpty else { return WriterBatch(durable, largeAppends, SharedFacts()) }
        do throws(StoreError) {
            let facts = try SharedFacts(of: writes, shared, durable.published)
            return WriterBatch(durable, largeAppends, facts)
        } catch {
            let batch = WriterBatch(durable, largeAppends, SharedFacts())
            let failure = durable.failure(error, list: "?")
            for write in writes { batch.add(write, .failed(failure)) }
            ready.removeFirst(writes.count)
            return batch
        }
    }

    /// The number of stored responses that a batch asks a shared store for, beside those of one write.
    private static var maximumKeys: Int { 2_000 }

    /// Decides a write, or makes it wait for a list.
    ///
    /// - Returns: false if it must be decided in a later batch.
    func decide(_ write: PendingWrite, _ batch: WriterBatch) -> Bool {
        guard batch.covers(write) else { return false }
        batch.beginDecision()
        if let key = write.request.key, !write.hasKey, batch.hasDecided(key.responseKey) {
            return false
        }
        do throws(ServiceError) {
            if let outcome = try outcomeBefore(write, batch) {
                batch.add(write, outcome)
                return true
            }
            guard let task = write.request.containedTask else {
                return try decide(write, write.request, batch)
            }
            var request = write.request
            guard let list = try batch.holder(of: task),
                request.rights?.allowReading(list) ?? true
            else { throw .taskNotFound(task) }
            request.list = list
            try request.checkRights()
            return try decide(write, request, batch)
        } catch {
            refuse(write, error, on: [], batch)
            return true
        }
    }

    /// Decides a write whose list is known.
    private func decide(
        _ write: PendingWrite, _ request: WriteRequest, _ batch: WriterBatch
    ) throws(ServiceError) -> Bool {
        let names = request.lists
        let ids = names.other.map { [names.changed, $0] } ?? [names.changed]
        var lists: [BatchList] = []
        for id in ids {
            if !holds.isEmpty, let work = holds[id] {
                work.waiting.append(write)
                return true
            }
            // The list may be in memory already, but the writes that wait for it come first.
            if !parked.isEmpty, parked[id] != nil {
                park(write, until: id)
                return true
            }
            switch batch.find(id, for: request) {
            case .found(let list): lists.append(list)
            case .later: return false
            case .mustLoad where write.unreadable == id:
                lists.append(try batch.addUnreadable(id))
            case .mustLoad:
                park(write, until: id)
                return true
            }
        }
        return decide(write, request, on: lists, try facts(of: write, batch), batch)
    }

    private func decide(
        _ write: PendingWrite, _ request: WriteRequest, on batchLists: [BatchList],
        _ facts: DecisionFacts?, _ batch: WriterBatch
    ) -> Bool {
        var lists = batch.takeOut(batchLists)
        do throws(Interruption) {
            let decision = try decider.decide(
                request, on: &lists, facts, at: write.time, batch, write.renderer)
            if lists.isFresh, decision.isLarge {
                holdAndEnqueue(LargeWork(write, request, facts, lists), decision)
            } else {
                batch.put(lists, into: batchLists)
                add(decision, of: write, on: batchLists, batch)
            }
            return true
        } catch {
            if case .long(let tasks) = error, lists.isFresh {
                decideOnWorker(LargeWork(write, request, facts, lists), tasks, batch)
                return true
            }
            batch.put(lists, into: batchLists)
            switch error {
            case .long, .later: return false
            case .needsBin(let version):
                batch.add(write, .needsBin(version: version), on: batchLists)
                return true
            case .refused(let error):
                if let task = request.containedTask,
                    isMissing(task, error, in: batchLists[0].id, write)
                {
                    return false
                }
                refuse(write, error, on: batchLists, batch)
                return true
            }
        }
    }

    private func park(_ write: PendingWrite, until id: String) {
        if !write.pinned.contains(id) {
            durable.published.pin(id)
            write.pinned.append(id)
        }
        parked[id, default: []].append(write)
        guard parked[id]?.count == 1 else { return }
        durable.load(id) { [weak self] result in
            var error: ServiceError?
            if case .failure(let failure) = result { error = failure }
            self?.post(.loaded(id, error))
        }
    }

    /// Whether a list does not contain a task that it should contain according to a shared store,
    /// because another server has moved it meanwhile. If it is missing in the same version again, it
    /// does not exist.
    private func isMissing(
        _ task: TaskID, _ error: ServiceError, in list: String, _ write: PendingWrite
    ) -> Bool {
        guard durable.shared != nil, let version = error.versionWithout(task) else { return false }
        let place = ListVersion(list: list, version: version)
        defer { write.missed = place }
        return write.missed != place
    }

    /// Adds a decision to the batch, which has its lists.
    func add(
        _ decision: Decision, of write: PendingWrite, on lists: [BatchList], _ batch: WriterBatch
    ) {
        let result = decision.result
        guard let key = write.request.key else {
            return batch.add(
                write, .completed(.result(result)), on: lists, storing: decision.commits,
                decision.responses)
        }
        if let rendered = decision.rendered {
            return batch.add(
                write, .completed(.stored(rendered, of: .success(result))), on: lists,
                storing: decision.commits, decision.responses)
        }
        store(.success(result), of: key, write, on: lists, decision.responses, batch)
    }

    func refuse(
        _ write: PendingWrite, _ error: ServiceError, on lists: [BatchList], _ batch: WriterBatch
    ) {
        if let key = write.request.key, error.isDecision {
            return store(.failure(error), of: key, write, on: lists, [], batch)
        }
        batch.add(write, .failed(error), on: lists)
    }

    /// Stores the response to a request with a key that changed nothing.
    private func store(
        _ result: Result<WriteResult, ServiceError>, of key: IdempotencyKey,
        _ write: PendingWrite, on lists: [BatchList], _ responses: [StoredResponse],
        _ batch: WriterBatch
    ) {
        let response = KeyedResponse(
            to: result, of: key, at: write.time, durable.limits.retention, write.renderer,
            maximumBytes: StoredResponseContent.maximumBytesWithoutChange)
        batch.add(
            write, .completed(.stored(response.bytes, of: result)), on: lists,
            storing: [], responses + [response.stored])
    }

    // MARK: Facts

    /// The outcome of a request whose key is in use, or that repeats an earlier one; nil otherwise.
    private func outcomeBefore(
        _ write: PendingWrite, _ batch: WriterBatch
    ) throws(ServiceError) -> PendingWrite.Outcome? {
        guard let key = write.request.key else { return nil }
        // Another server may have applied the request before this one decides it again.
        guard !write.hasKey || durable.shared != nil else { return nil }
        if let task = write.request.containedTask, let rights = write.request.rights,
            let list = try batch.holder(of: task), !rights.allowReading(list)
        {
            // The task has moved to a list that the client may not read, so its stored response is
            // withheld.
            throw .taskNotFound(task)
        }
        guard write.hasKey || !keys.contains(key.responseKey) else { throw .requestInProgress }
        let stored = try batch.responses(to: [key.responseKey])[key.responseKey]
        if let content = try stored?.content(at: write.expiry) {
            guard content.digest == key.digest else { throw .keyReused(opID: nil) }
            return .completed(.replayed(content.bytes))
        }
        keys.insert(key.responseKey)
        write.hasKey = true
        return nil
    }

    private func facts(of write: PendingWrite, _ batch: WriterBatch) throws(ServiceError)
        -> DecisionFacts?
    {
        guard case .batch(let commands) = write.request.action, let keys = commands.keys else {
            return write.facts
        }
        let responseKeys = write.request.operationKeys
        let stored = try batch.responses(to: responseKeys)
        var known: [StoredResponseKey: StoredResponseContent] = [:]
        for key in responseKeys { known[key] = try stored[key]?.content(at: write.expiry) }
        var facts = write.facts ?? DecisionFacts()
        facts.operationResults = try OperationResults(
            keys, known: known, of: write.request.list, at: write.time.milliseconds,
            durable.limits.retention)
        return facts
    }
}
