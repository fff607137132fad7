import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// The rows that a table view draws again after changes, compared with a look at each row.
@Suite struct ChangedRowsTests {
    @Test func theChangedRowsAreThoseThatLookDifferent() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        var list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [("s1", ""), ("s2", "")],
            tasks: (0..<12).map {
                ReorderableList.Entry(
                    content: TaskContent(id: "t\($0)", title: ""), section: $0 < 6 ? "s1" : "s2",
                    parent: nil)
            })
        var sections = LiveList.Section.all(of: list, RowMarks())
        var count = 0
        for number in 0..<300 {
            for _ in 0...random.below(2) {
                let task = "t\(random.below(12))"
                switch random.below(3) {
                case 0:
                    _ = try list.update(task, TaskUpdate(title: "\(number)"))
                case 1:
                    _ = try list.collapse(task, random.chance(30))
                default:
                    let (place, level) = (RowTarget.row(random.below(12)), random.below(3))
                    _ = try? list.move(
                        MoveRequest(
                            .task(task), to: Destination(RowDestination(place, level: level))))
                }
            }
            let new = LiveList.Section.all(of: list, RowMarks())
            let changed = new.changedRows(since: sections)
            let old = sections.flatMap(\.rows)
            let different = new.flatMap(\.rows).filter { row in
                old.contains { $0.id == row.id && $0 != row }
            }
            try #require(changed == different.map(\.id), "REORDERD_SEED=\(seed), step \(number)")
            count += changed.count
            sections = new
        }
        #expect(count > 0)
    }
}
