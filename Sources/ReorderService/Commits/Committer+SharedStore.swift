import ReorderStore

extension Committer {
    /// Appends all groups, and concludes each of them.
    func append(
        _ work: Work, to store: any SharedListStore, for service: ListService
    ) {
        let groups = Self.groups(work)
        let commits = groups.map { group in
            CommitGroup(commits: group.map(\.commit), responses: group.flatMap(\.responses))
        }
        let responses = work.responses.map { CommitGroup(commits: [], responses: $0.responses) }
        let outcomes: [StoreError?]
        let start = environment.uptime()
        do {
            outcomes = try store.append(commits + responses) {
                if !store.isReachable { refuseWhatWaits(for: service) }
            }
            if outcomes.contains(nil) { health.succeeded(at: environment.uptime()) }
        } catch {
            recorder.failed()
            health.failed(error, at: environment.uptime())
            outcomes = Array(repeating: error, count: groups.count + responses.count)
        }
        var done: [QueuedCommit] = []
        var refused: [([QueuedCommit], StoreError)] = []
        for (group, outcome) in zip(groups, outcomes) {
            if let outcome {
                refused.append((group, outcome))
            } else {
                done += group
            }
        }
        if outcomes.contains(nil) {
            recorder.committed(done.count, from: start, to: environment.uptime())
        }
        if !done.isEmpty { service.committed(done) }
        for (entries, error) in refused { service.failed(entries, error) }
        for (entry, error) in zip(work.responses, outcomes.dropFirst(groups.count)) {
            // If the response was not stored, another server may have stored its own response
            // first.
            entry.ticket.conclude(error == nil ? .durable : .overtaken)
        }
    }

    /// Refuses the entries in the queue, because the store can't be reached. An entry stays in the
    /// queue if it is based on one that was sent, because the outcome of the sent one is not known
    /// yet.
    private func refuseWhatWaits(for service: ListService) {
        let refused = queue.withLock { queue in
            let sent = queue.listsBeingCommitted
            let work = queue.work
            let roots = Self.roots(work)
            let building = Set(
                work.entries.indices.lazy
                    .filter { sent.contains(work.entries[$0].commit.list) }
                    .map { roots[$0] })
            queue.work = work.keeping { building.contains(roots[$0]) }
            queue.work.responses = []
            return Work(
                entries: work.entries.indices.lazy.filter { !building.contains(roots[$0]) }
                    .map { work.entries[$0] },
                responses: work.responses)
        }
        if !refused.entries.isEmpty {
            service.failed(refused.entries, .unavailable(reason: "the store cannot be reached"))
        }
        for entry in refused.responses { entry.ticket.conclude(.overtaken) }
        observers.committed()
    }

    /// The versions that become durable together or not at all in a shared store: all versions of a
    /// list, and the versions of lists that changed together. Ordered by their first entries; each
    /// group keeps the order of its entries.
    private static func groups(_ work: Work) -> [[QueuedCommit]] {
        let roots = roots(work)
        var places: [Int: Int] = [:]
        var groups: [[QueuedCommit]] = []
        for (entry, root) in zip(work.entries, roots) {
            if places[root] == nil {
                places[root] = groups.count
                groups.append([])
            }
            groups[places[root, default: 0]].append(entry)
        }
        return groups
    }

    /// For each entry, the index of the first entry of its group.
    private static func roots(_ work: Work) -> [Int] {
        // Union-find: following the parents of an entry leads to the first entry of its group.
        var first: [String: Int] = [:]
        var parents = Array(work.entries.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index { index = parents[index] }
            return index
        }
        func join(_ one: Int, _ other: Int) {
            let (one, other) = (root(one), root(other))
            parents[max(one, other)] = min(one, other)
        }
        for (index, entry) in work.entries.enumerated() {
            if let earlier = first[entry.commit.list] {
                join(earlier, index)
            } else {
                first[entry.commit.list] = index
            }
        }
        for index in work.joined { join(index - 1, index) }
        return work.entries.indices.map(root)
    }
}
