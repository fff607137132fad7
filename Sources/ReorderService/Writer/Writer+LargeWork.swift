import ReorderEngine
import ReorderStore

extension Writer {
    private func hold(_ work: LargeWork) { for list in work.listIDs { holds[list] = work } }

    /// Ends the hold of lists; what waits for them is decided next.
    private func releaseLists(of work: LargeWork) {
        for list in work.listIDs where holds[list] === work { holds[list] = nil }
        ready.insert(contentsOf: work.waiting, at: 0)
        work.waiting = []
    }

    // MARK: Deciding on a worker

    func decideOnWorker(_ work: LargeWork, _ tasks: Int, _ batch: WriterBatch) {
        hold(work)
        let host = WorkerHost(
            durable: durable, mayMakeLongSnapshot: !largeAppends.isBusy)
        let isTaken = durable.workers.run(WorkerThreads.Size(tasks: tasks)) {
            [decider, weak self] in
            work.result = Result { () throws(Interruption) in
                try decider.decide(
                    work.request, on: &work.lists, work.facts, at: work.write.time, host,
                    work.write.renderer)
            }
            self?.post(.decided(work))
        }
        guard !isTaken else { return }
        releaseLists(of: work)
        batch.add(work.write, .failed(.unavailable))
    }

    /// Takes over what a worker has decided. This server has not changed the lists meanwhile.
    func accept(_ work: LargeWork, _ batch: WriterBatch) {
        if case .success(let decision)? = work.result, decision.isLarge {
            return largeAppends.enqueue(work)
        }
        releaseLists(of: work)
        let lists = work.listIDs.map(batch.list)
        switch work.result {
        case .success(let decision)?:
            guard isFree(decision, batch) else { return ready.insert(work.write, at: 0) }
            // Only these, because another server may have changed the others meanwhile.
            let changed = Set(decision.commits.map(\.list))
            for list in [work.lists.list, work.lists.other].compactMap(\.self)
            where changed.contains(list.id) { batch.list(list.id).put(list) }
            add(decision, of: work.write, on: lists, batch)
        case .failure(.refused(let error))?:
            refuse(work.write, error, on: lists, batch)
        case .failure(.needsBin(let version))?:
            batch.add(work.write, .needsBin(version: version), on: lists)
        case .failure(.long)?, .failure(.later)?, nil:
            batch.add(work.write, .failed(.unavailable))
        }
    }

    /// Whether no other list has got the new tasks since a worker looked for them.
    private func isFree(_ decision: Decision, _ batch: WriterBatch) -> Bool {
        decision.newTasks.allSatisfy { list, tasks in
            (try? batch.taken(tasks, for: list, asksStore: false)) == []
        }
    }

    // MARK: Large appends

    /// Holds the lists of large work until it is appended.
    func holdAndEnqueue(_ work: LargeWork, _ decision: Decision) {
        work.result = .success(decision)
        hold(work)
        largeAppends.enqueue(work)
    }

    /// Appends large work. Called on the thread for it.
    func appendLarge(_ work: LargeWork) {
        guard case .success(let decision)? = work.result else { return }
        let commits = decision.commits
        let error: StoreError?
        if let shared = durable.shared {
            let group = CommitGroup(commits: commits, responses: decision.responses)
            error = durable.append([group], to: shared) {}[0]
            if error == nil { publish(commits, of: work) }
        } else {
            error = durable.append(commits, decision.responses, .large) {
                publish(commits, of: work)
            }
        }
        post(.appended(work, error))
    }

    private func publish(_ commits: [ListCommit], of work: LargeWork) {
        let changed = Set(commits.map(\.list))
        let lists = [work.lists.list, work.lists.other].compactMap(\.self)
        durable.publish(lists.filter { changed.contains($0.id) }.map { Snapshot($0) }, commits)
    }

    /// Ends a large append.
    func settle(_ work: LargeWork, _ error: StoreError?, _ batch: WriterBatch) {
        releaseLists(of: work)
        guard case .success(let decision)? = work.result else { return }
        let outcome: WriteOutcome =
            decision.rendered.map { .stored($0, of: .success(decision.result)) }
            ?? .result(decision.result)
        guard let error else { return batch.add(work.write, .completed(outcome)) }
        if let outcome = self.outcome(of: work.write, storing: decision.commits, after: error) {
            batch.add(work.write, outcome)
        } else {
            // Another list or another server was faster.
            ready.insert(work.write, at: 0)
        }
    }
}
