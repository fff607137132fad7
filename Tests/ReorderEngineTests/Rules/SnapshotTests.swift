import RandomRuns
import Testing

@testable import ReorderEngine

/// Copies of a list that readers hold while others are changed.
@Suite struct SnapshotTests {
    private static let size = 3_000

    private static func list() throws -> ReorderableList {
        let tasks = (0..<size).map { number in
            let content = TaskContent(id: "t\(number)", title: "Task number \(number)")
            let parent = number - number % 11
            return ReorderableList.Entry(
                content: content, section: nil, parent: parent == number ? nil : "t\(parent)")
        }
        return try ReorderableList(
            settings: ListSettings(title: "large"), sections: [], tasks: tasks)
    }

    /// As the server's writer moves: on a copy, while the version before is alive.
    private static func moveAsWriter(
        _ list: inout ReorderableList, _ numbers: Range<Int>, _ random: inout SeededGenerator
    ) {
        for number in numbers {
            var next = list
            next.changeStamp = ChangeStamp(time: Int64(number), author: nil)
            _ = try? next.move(anyTask(&random), .after(anyTask(&random)))
            list = next
        }
    }

    private static func anyTask(_ random: inout SeededGenerator) -> TaskID {
        "t\(random.below(size))"
    }

    /// The snapshot stays what it was while two lists that were made from it are moved 10,000 times; each
    /// of them is what the same moves make of a list without copies.
    @Test func aSnapshotDoesNotSeeMovesOfItsSuccessors() throws {
        let (seed, rounds) = (RandomRun.seed, 50)
        var random = SeededGenerator(seed: seed)
        var snapshot = try Self.list()
        Self.moveAsWriter(&snapshot, 0..<100, &random)
        let before = Array(snapshot.tasks)
        var forks = [snapshot, snapshot]
        var older: [ReorderableList] = []
        var randoms = [1, 2].map { SeededGenerator(seed: seed &+ $0) }
        for round in 0..<rounds {
            for fork in forks.indices {
                Self.moveAsWriter(
                    &forks[fork], round * 100..<(round + 1) * 100, &randoms[fork])
                older.append(forks[fork])
            }
            // A reader drops another version in between.
            if older.count > 10 { older.remove(at: random.below(older.count)) }
        }
        #expect(Array(snapshot.tasks) == before, "REORDERD_SEED=\(seed)")
        #expect(snapshot.checkInvariants() == nil, "REORDERD_SEED=\(seed)")
        for fork in forks.indices {
            random = SeededGenerator(seed: seed)
            var alone = try Self.list()
            alone.moveInPlace(0..<100) { (Self.anyTask(&random), Self.anyTask(&random)) }
            random = SeededGenerator(seed: seed &+ UInt64(fork + 1))
            alone.moveInPlace(0..<rounds * 100) { (Self.anyTask(&random), Self.anyTask(&random)) }
            #expect(Array(forks[fork].tasks) == Array(alone.tasks), "REORDERD_SEED=\(seed)")
            #expect(forks[fork].checkInvariants() == nil, "REORDERD_SEED=\(seed)")
        }
    }

    /// Moves in a list that others were made from do not change those.
    @Test func successorsDoNotSeeMovesOfASnapshot() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        var snapshot = try Self.list()
        var forks = [snapshot, snapshot]
        for fork in forks.indices { Self.moveAsWriter(&forks[fork], 0..<3, &random) }
        let expected = forks.map { Array($0.tasks) }
        snapshot.moveInPlace(0..<1_000) { (Self.anyTask(&random), Self.anyTask(&random)) }
        #expect(forks.map { Array($0.tasks) } == expected, "REORDERD_SEED=\(RandomRun.seed)")
        #expect(snapshot.checkInvariants() == nil, "REORDERD_SEED=\(RandomRun.seed)")
    }
}

extension ReorderableList {
    /// Moves tasks behind others without a copy of the list.
    fileprivate mutating func moveInPlace(_ numbers: Range<Int>, _ next: () -> (TaskID, TaskID)) {
        for number in numbers {
            changeStamp = ChangeStamp(time: Int64(number), author: nil)
            let (task, anchor) = next()
            _ = try? move(task, .after(anchor))
        }
    }
}
