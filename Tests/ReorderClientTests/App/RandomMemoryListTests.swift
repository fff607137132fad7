import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Random calls of a list that nobody else changes.
@MainActor @Suite struct RandomMemoryListTests {
    /// The sections follow the engine's list, and undoing everything leads back to each state before.
    @Test func everyStepIsShownAndUndone() throws {
        let seed = RandomRun.seed
        var undone = 0
        for run in 0..<UInt64(RandomRun.operations(percent: 1) / 10) {
            let store = ReorderStore.inMemory(["l": "- a\n  - b\n- c\n## S\n- d"])
            let list = store.list("l")
            var operations = RandomListOperations(list, seed: seed &+ run)
            // What is folded is not a step: undo leaves it as it is.
            var states = [list.snapshot.contents]
            for number in 0..<60 {
                let could = list.canUndo
                let (isChanged, description) = operations.make()
                let comment: Comment = "REORDERD_SEED=\(seed &+ run) \(number): \(description)"
                try #require(operations.isConsistent, comment)
                let contents = list.snapshot.contents
                guard isChanged, contents != states.last else { continue }
                switch description {
                case "undo":
                    #expect(could)
                    states.removeLast()
                    try #require(states.last == contents, comment)
                    undone += 1
                default: states.append(contents)
                }
                if list.snapshot.hasLocks { break }
            }
            guard !list.snapshot.hasLocks else { continue }
            while states.count > 1, list.canUndo {
                states.removeLast()
                try #require(list.undo(), "REORDERD_SEED=\(seed &+ run)")
                try #require(list.snapshot.contents == states.last, "REORDERD_SEED=\(seed &+ run)")
                try #require(operations.isConsistent)
                undone += 1
            }
        }
        #expect(undone > 0)
    }
}

extension ReorderableList {
    /// Everything except times and what is folded.
    fileprivate var contents: [String] {
        sections.map { "\($0.id) \($0.title)" }
            + tasks.map { task in
                let content = task.content
                return
                    "\(task.depth) \(task.placement.section ?? "") \(content.id) \(content.title) "
                    + "\(content.done) \(content.locked) \(content.data ?? "")"
            }
    }

    /// A locked task can prevent an undo.
    fileprivate var hasLocks: Bool { tasks.contains { $0.content.locked } }
}
