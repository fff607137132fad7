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
                let commits = RandomCommits().next(on: model, using: &generator)
                let expected = refusal { () throws(StoreError) in try model.append(commits) }
                let actual = refusal { () throws(StoreError) in try test.store.append(commits) }
                try #require(actual == expected, "seed \(seed), round \(round)")
                refusals += expected == nil ? 0 : 1
                if round % 50 == 0 { try test.reopen() }
                // The times of changes are ten times their versions.
                let latest = Int64(10 * (model.lists.values.map(\.version).max() ?? 0))
                if round % 7 == 0 {
                    let oldest = model.oldestTimes.randomElement(using: &generator) ?? 0
                    let time =
                        generator.chance(5)
                        ? .max : Int64.random(in: 0...latest, using: &generator)
                    let future =
                        generator.chance(60) ? .max : oldest + Int64(generator.below(5)) * 10
                    let last = Int.random(in: 0...12, using: &generator)
                    let limit = Int.random(in: 1...9, using: &generator)
                    model.pruneChanges(olderThan: time, orFrom: future, keepingLast: last)
                    while try test.store.pruneChanges(
                        olderThan: time, orFrom: future, keepingLast: last, limit: limit)
                    {}
                }
                if round % 11 == 0 {
                    let time = Int64.random(in: 0...latest, using: &generator)
                    let limit = Int.random(in: 1...3, using: &generator)
                    model.pruneBin(deletedBefore: time)
                    while try test.store.pruneBin(deletedBefore: time, limit: limit) {}
                }
                if round % 10 == 0 {
                    let difference = try model.difference(from: test.store)
                    try #require(difference == nil, "seed \(seed), round \(round)")
                }
            }
            try test.reopen()
            try #require(model.difference(from: test.store) == nil, "seed \(seed), at the end")
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
}
