import RandomRuns
import ReorderStore

/// Random commits on a model's state, most of them valid.
struct RandomCommits {
    /// Few changes are longer than 200 bytes, and none longer than this.
    var longestBytes = 20_000
    /// The share of changes that may be longer than 200 bytes.
    var longPercent = 3

    static let lists = (0..<8).map { "list-\($0)" }
    static let tasks = (0..<40).map { "task-\($0)" }

    /// Returns the commits of an append.
    func next(on model: ModelStore, using generator: inout SeededGenerator) -> [ListCommit] {
        var after = model
        return (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            let commit = randomCommit(on: after, using: &generator)
            guard (try? after.append([commit])) != nil else { return commit }
            guard case .exists(let title, _, let open) = commit.stateAfter else { return commit }
            let count = after.holders.values.count(where: { $0 == commit.list })
            after.setCount(of: commit.list, count)
            return ListCommit(
                list: commit.list, version: commit.version, at: commit.at, change: commit.change,
                snapshot: commit.snapshot,
                stateAfter: .exists(title: title, count: count, open: open),
                insertedTasks: commit.insertedTasks, deletedTasks: commit.deletedTasks,
                isRestored: commit.isRestored)
        }
    }

    private func randomCommit(
        on model: ModelStore, using generator: inout SeededGenerator
    ) -> ListCommit {
        let id = Self.lists.randomElement(using: &generator) ?? ""
        let list = model.lists[id]
        let version =
            (list?.version ?? 0)
            + (generator.chance(3) ? Int.random(in: -1...3, using: &generator) : 1)
        let longest = generator.chance(longPercent) ? longestBytes : 200
        let change = [UInt8](
            repeating: UInt8.random(in: 0...255, using: &generator),
            count: Int.random(in: 0...longest, using: &generator))
        // Mostly increasing, like a clock.
        let at = Int64((list?.version ?? 0) * 10 + Int.random(in: -15...15, using: &generator))
        if generator.chance(4) {
            let binned = ListCommit.Binned(title: "title \(version)", count: version)
            return ListCommit(
                list: id, version: version, at: at, change: change, stateAfter: .deleted,
                binned: generator.chance(60) ? binned : nil)
        }
        let isMade = list?.title == nil
        func someTasks(_ limit: Int, where condition: (String) -> Bool) -> [String] {
            guard generator.chance(20) else { return [] }
            return Array(
                Self.tasks.filter(condition).shuffled(using: &generator).prefix(
                    Int.random(in: 0...limit, using: &generator)))
        }
        let taken = generator.chance(5)
        return ListCommit(
            list: id, version: version, at: at, change: change,
            snapshot: (isMade && !generator.chance(3)) || generator.chance(10)
                ? change.reversed() : nil,
            stateAfter: .exists(
                title: "title \(Int.random(in: 0...3, using: &generator))", count: 0,
                open: Int.random(in: 0...3, using: &generator)),
            insertedTasks: someTasks(3) { taken || model.holders[$0] == nil },
            deletedTasks: someTasks(3) { taken || model.holders[$0] == id },
            isRestored: list?.deleted != nil && generator.chance(50))
    }
}
