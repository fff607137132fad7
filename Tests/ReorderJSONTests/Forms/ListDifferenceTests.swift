import Foundation
import RandomRuns
import Testing

@testable import ReorderEngine
@testable import ReorderJSON

/// What a document that replaces a list becomes: operations that lead from the list to the document.
@Suite struct ListDifferenceTests {
    private static let seed = RandomRun.seed

    /// A client gets the operations as JSON, and has exactly the new list.
    @Test func theOperationsOfRandomDocumentsLeadToThem() throws {
        var random = SeededGenerator(seed: Self.seed)
        var unexpressed = 0
        let runs = RandomRun.operations(percent: 10)
        for run in 0..<runs {
            let lists = try RandomReplacement(&random)
            guard let difference = lists.difference else {
                if !lists.isUnchanged { unexpressed += 1 }
                continue
            }
            let fault = try lists.fault(of: difference)
            #expect(fault == nil, "run \(run), REORDERD_SEED=\(Self.seed)")
            if fault != nil { return }
        }
        // Those in which a subtree would be too deep for a moment.
        #expect(unexpressed <= runs / 50, "REORDERD_SEED=\(Self.seed)")
    }

    @Test func aTaskThatMovesIsOneOperation() throws {
        let order = (0..<1_000).map { "t\($0)" }
        let before = try Self.list(order)
        let moved = try Self.list(["t999"] + order.dropLast())
        #expect(
            Self.operations(from: before, to: moved) == [
                .move(task: "t999", section: nil, parent: nil, position: 0)
            ])
        let reversed = try Self.list(order.reversed())
        #expect(Self.operations(from: before, to: reversed)?.count == 999)
        #expect(Self.operations(from: before, to: reversed, maximumCount: 998) == nil)
    }

    @Test func parentAndSubtaskCanChangePlaces() throws {
        let before = try Self.list(["a", "b"], parents: ["b": "a"])
        let after = try Self.list(["b", "a"], parents: ["a": "b"])
        #expect(
            Self.operations(from: before, to: after) == [
                .move(task: "b", section: nil, parent: nil, position: 0),
                .move(task: "a", section: nil, parent: "b", position: 0),
            ])
    }

    @Test func aDeletedParentDoesNotTakeItsSubtaskWithIt() throws {
        let before = try Self.list(["a", "b", "c"], parents: ["b": "a", "c": "b"])
        let after = try Self.list(["c"])
        #expect(
            Self.operations(from: before, to: after) == [
                .move(task: "c", section: nil, parent: nil, position: 0), .delete(task: "a"),
            ])
    }

    @Test func newSectionsAreInsertedAtTheirPlaces() throws {
        func list(_ sections: [SectionID]) throws -> ReorderableList {
            try ReorderableList(
                settings: ListSettings(title: "List"), sections: sections.map { ($0, "S") },
                tasks: [])
        }
        let operations = Self.operations(from: try list(["s"]), to: try list(["a", "b", "s", "c"]))
        #expect(
            operations
                == zip(["a", "b", "c"], [0, 1, 3]).map {
                    .sectionInsert(section: $0, title: "S", position: $1)
                })
    }

    /// No operation sets these.
    @Test func otherTimesHaveNoOperations() throws {
        let before = try Self.list(["a", "b"])
        var after = before
        after.times.createdAt = 5
        #expect(Self.operations(from: before, to: after) == nil)
        let entries = ["a", "b"].map {
            ReorderableList.Entry(
                content: TaskContent(id: $0, title: $0, stamps: TaskStamps(createdAt: 7)))
        }
        let other = try ReorderableList(
            settings: before.settings, sections: [], tasks: entries)
        #expect(Self.operations(from: before, to: other) == nil)
    }

    @Test func aSubsequenceIsIncreasingAndNoneIsLonger() {
        var random = SeededGenerator(seed: Self.seed)
        #expect(longestIncreasingSubsequence(of: []) == [])
        for _ in 0..<500 {
            let values = (0..<random.below(9)).map { _ in random.below(8) }
            let indices = longestIncreasingSubsequence(of: values)
            #expect(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 })
            #expect(zip(indices, indices.dropFirst()).allSatisfy { values[$0] < values[$1] })
            let longest = (0..<(1 << values.count)).filter { set in
                let chosen = values.indices.filter { set >> $0 & 1 == 1 }.map { values[$0] }
                return zip(chosen, chosen.dropFirst()).allSatisfy { $0 < $1 }
            }.map(\.nonzeroBitCount).max()
            #expect(indices.count == longest ?? 0, "\(values)")
        }
    }

    /// The file with which the JavaScript client tests that it applies the operations.
    @Test func theFileHasTheOperationsOfTheEngine() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/replacements.json").standardized
        var random = SeededGenerator(seed: 1)
        var lines: [String] = []
        while lines.count < 60 {
            let lists = try RandomReplacement(&random)
            guard let difference = lists.difference else { continue }
            lines.append(lists.json(of: difference))
        }
        let text = "[\n\(lines.joined(separator: ",\n"))\n]\n"
        if ProcessInfo.processInfo.environment["REORDERD_WRITE_FIXTURES"] != nil {
            try Data(text.utf8).write(to: file)
        }
        let written = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(
            written == text,
            "The operations have changed. Write the file with REORDERD_WRITE_FIXTURES=1.")
        #expect(text.utf8.count < 300_000)
    }

    private static func operations(
        from list: ReorderableList, to other: ReorderableList, maximumCount: Int = .max
    ) -> [ListOperation]? {
        ListDifference(from: list, to: other, maximumCount: maximumCount)?.operations
    }

    private static func list(
        _ ids: some Sequence<TaskID>, parents: [TaskID: TaskID] = [:]
    ) throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: "List"), sections: [],
            tasks: ids.map {
                ReorderableList.Entry(
                    content: TaskContent(id: $0, title: $0), parent: parents[$0])
            })
    }
}
