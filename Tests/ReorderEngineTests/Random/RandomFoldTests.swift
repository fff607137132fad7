import ListModel
import RandomRuns
import ReorderEngine
import Testing

/// Lists as one person with folds sees them, compared with lists in which everyone's tasks are
/// collapsed like that.
@Suite struct RandomFoldTests {
    private static let requestsEachList = 100

    @Test func foldsShowAndMoveTheRowsOfAListThatIsCollapsedLikeThat() throws {
        var (moved, refused) = (0, 0)
        for number in 0...(RandomRun.operations(percent: 4) / Self.requestsEachList) {
            let seed = RandomRun.seed &+ UInt64(number)
            var requests = RandomRequests(seed: seed)
            let (sections, tasks, model) = requests.document()
            var list = try ReorderableList(
                settings: model.settings, sections: sections, tasks: tasks)
            var folds: [TaskID: Bool] = ["of-another-list": true]
            for _ in 0..<Self.requestsEachList {
                if let task = list.tasks.map(\.id).randomElement(using: &requests.random) {
                    folds[task] = requests.random.chance(50)
                }
                var seen = list
                seen.fold(folds)
                var collapsed = try Self.collapsed(list, like: folds)
                #expect(seen == collapsed, "REORDERD_SEED=\(seed)")
                _ = collapsed.update(SettingsUpdate(collapseSubElements: false))
                #expect(seen.rowCount == collapsed.rowCount, "REORDERD_SEED=\(seed)")

                let rows = 0..<max(1, seen.rowCount + 1)
                var request = MoveRequest(
                    .row(Int.random(in: rows, using: &requests.random)),
                    to: Destination(row: Int.random(in: rows, using: &requests.random)))
                let before = list
                let expected = Result { try collapsed.move(request) }
                request.folds = folds
                let outcome = Result { try list.move(request) }
                switch (outcome, expected) {
                case (.success(let outcome), .success(let expected)):
                    #expect(outcome == expected, "REORDERD_SEED=\(seed)")
                    moved += 1
                case (.failure(let refusal as Refusal), .failure(let expected as Refusal)):
                    #expect(refusal == expected, "REORDERD_SEED=\(seed)")
                    #expect(list == before, "REORDERD_SEED=\(seed)")
                    refused += 1
                default: Issue.record("\(outcome), \(expected), REORDERD_SEED=\(seed)")
                }
                // The order is the same, and nothing is collapsed for the others.
                seen = list
                seen.fold(folds)
                _ = seen.update(SettingsUpdate(collapseSubElements: false))
                #expect(seen == collapsed, "REORDERD_SEED=\(seed)")
                for task in before.tasks {
                    #expect(list.task(task.id)?.content.collapsed == task.content.collapsed)
                }
            }
        }
        #expect(moved > 0 && refused > 0)
    }

    /// The list after operations that collapse its tasks for everyone.
    private static func collapsed(
        _ list: ReorderableList, like folds: [TaskID: Bool]
    ) throws -> ReorderableList {
        var list = list
        for (task, isFolded) in folds where list.contains(task) {
            _ = try list.collapse(task, isFolded)
        }
        return list
    }
}
