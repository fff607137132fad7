import ReorderEngine

/// Answers decisions that the writer makes: by what is durable and by what its batch has decided.
struct BatchHost: DecisionHost {
    let durable: DurableLists
    let refusedIDs: RefusedIDs
    let batch: WriterBatch
    let mayStoreLargeSnapshot: Bool

    var isWorker: Bool { false }

    func work(on tasks: Int) { batch.work(on: tasks) }

    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(Interruption) -> [TaskID] {
        let stored = try durable.holders(ofNew: tasks, refusedIDs, asksStore: asksStore)
        return batch.taken(tasks, for: list, stored: stored)
    }
}

/// Answers decisions that a worker makes. The writer and the store check them again, because another
/// list may get the same new tasks meanwhile.
struct WorkerHost: DecisionHost {
    let durable: DurableLists
    let refusedIDs: RefusedIDs
    let mayStoreLargeSnapshot: Bool

    var isWorker: Bool { true }

    func work(on tasks: Int) {}

    func taken(
        _ tasks: [TaskID], for list: String, asksStore: Bool
    ) throws(Interruption) -> [TaskID] {
        let stored = try durable.holders(ofNew: tasks, refusedIDs, asksStore: asksStore)
        guard !stored.isEmpty else { return [] }
        return tasks.filter { stored[$0].map { $0 != list } ?? false }
    }
}

extension DurableLists {
    /// The lists that contain tasks which are to be new. A shared store refuses them when they are
    /// stored; unless `asksStore`, only those that it has refused are looked up.
    fileprivate func holders(
        ofNew tasks: [TaskID], _ refusedIDs: RefusedIDs, asksStore: Bool
    ) throws(Interruption) -> [TaskID: String] {
        do throws(ServiceError) {
            guard shared != nil, !asksStore else { return try holders(of: tasks) }
            let asked = refusedIDs.among(tasks)
            guard !asked.isEmpty else { return [:] }
            let holders = try holders(of: asked)
            refusedIDs.remove(asked.filter { holders[$0] == nil })
            return holders
        } catch {
            throw .refused(error)
        }
    }
}
