import RandomRuns
import ReorderStore
import Testing

@Suite
struct RandomOperationTests {
    @Test(arguments: StoreKind.all)
    func randomAppendsGiveTheModelsState(kind: StoreKind) throws {
        let seed = RandomRun.seed
        var generator = SeededGenerator(seed: seed)
        var model = ModelStore()
        var refusals = 0
        let rounds = min(1_000, RandomRun.operations(kind.standardRounds))
        try StoreUnderTest.run(kind) { test in
            for round in 0..<rounds {
                let commits = randomCommits(on: model, using: &generator)
                let expected = refusal { () throws(StoreError) in try model.append(commits) }
                let actual = refusal { () throws(StoreError) in try test.store.append(commits) }
                try #require(actual == expected, "seed \(seed), round \(round)")
                refusals += expected == nil ? 0 : 1
                if round % 50 == 0 { try test.reopen() }
                if round % 7 == 0 {
                    let time = Int64.random(in: 0...500, using: &generator)
                    let last = Int.random(in: 0...12, using: &generator)
                    let limit = Int.random(in: 1...9, using: &generator)
                    model.pruneChanges(olderThan: time, keepingLast: last)
                    while try test.store.pruneChanges(
                        olderThan: time, keepingLast: last, limit: limit)
                    {}
                }
                if round % 10 == 0 {
                    try compare(test.store, with: model, "seed \(seed), round \(round)")
                }
            }
            try test.reopen()
            try compare(test.store, with: model, "seed \(seed), at the end")
        }
        #expect(
            (rounds / 50...rounds * 19 / 20).contains(refusals),
            "\(refusals) of \(rounds) refused: seed \(seed)")
    }

    private func refusal(_ body: () throws(StoreError) -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func compare(_ store: any ListStore, with model: ModelStore, _ comment: Comment) throws
    {
        for list in Self.lists {
            try #require(store.load(list) == model.load(list), comment)
            let version = (model.lists[list]?.version ?? 0) / 2
            let forgotten = model.lists[list]?.forgotten ?? 0
            for version in [version, forgotten, forgotten - 1] where version >= 0 {
                try #require(
                    store.changes(of: list, after: version, limit: .max)
                        == model.changes(of: list, after: version), comment)
            }
            try #require(store.snapshots(of: list) == model.snapshots(of: list), comment)
        }
        try #require(store.lists(containing: Self.tasks) == model.holders, comment)
        try #require(store.summaries(after: nil, limit: 100) == model.summaries, comment)
    }

    // MARK: Commits, mostly valid

    private static let lists = (0..<8).map { "list-\($0)" }
    private static let tasks = (0..<40).map { "task-\($0)" }

    private func randomCommits(
        on model: ModelStore, using generator: inout SeededGenerator
    ) -> [ListCommit] {
        var after = model
        return (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            let commit = randomCommit(on: after, using: &generator)
            try? after.append([commit])
            return commit
        }
    }

    private func randomCommit(
        on model: ModelStore, using generator: inout SeededGenerator
    ) -> ListCommit {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        let id = Self.lists.randomElement(using: &generator) ?? ""
        let list = model.lists[id]
        let version =
            (list?.version ?? 0) + (chance(3) ? Int.random(in: -1...3, using: &generator) : 1)
        let change = [UInt8](
            repeating: UInt8.random(in: 0...255, using: &generator),
            count: Int.random(in: 0...(chance(3) ? 20_000 : 200), using: &generator))
        // Mostly increasing, like a clock.
        let at = Int64((list?.version ?? 0) * 10 + Int.random(in: -15...15, using: &generator))
        if chance(4) {
            return ListCommit(list: id, version: version, at: at, change: change, outcome: .deleted)
        }
        let isMade = list?.title == nil
        func someTasks(_ limit: Int, where condition: (String) -> Bool) -> [String] {
            guard chance(20) else { return [] }
            return Array(
                Self.tasks.filter(condition).shuffled(using: &generator).prefix(
                    Int.random(in: 0...limit, using: &generator)))
        }
        let taken = chance(5)
        return ListCommit(
            list: id, version: version, at: at, change: change,
            snapshot: (isMade && !chance(3)) || chance(10) ? change.reversed() : nil,
            outcome: .exists(
                title: "title \(Int.random(in: 0...3, using: &generator))",
                count: Int.random(in: 0...9, using: &generator)),
            insertedTasks: someTasks(3) { taken || model.holders[$0] == nil },
            deletedTasks: someTasks(3) { taken || model.holders[$0] == id })
    }
}
