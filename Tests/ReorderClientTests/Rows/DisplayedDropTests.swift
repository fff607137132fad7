import Foundation
import RandomRuns
import ReorderEngine
import SmallLists
import Testing

@testable import ReorderClient

/// Every drop of one row in every small list, as the adapters of table views report it, compared with a plain array of rows. By default
/// it takes a sample of the lists; `REORDERD_EVERY_DROP=1` takes all.
@MainActor @Suite struct DisplayedDropTests {
    private static let isComplete =
        ProcessInfo.processInfo.environment["REORDERD_EVERY_DROP"] != nil
    /// The number of drops of all lists, roughly.
    private static let allDrops = 30_000_000

    @Test(arguments: [false, true])
    func everyDropDoesWhatTheRowsDo(hasLimits: Bool) async throws {
        let seed = RandomRun.seed
        let share =
            Self.isComplete ? 1 : Double(RandomRun.operations(percent: 30)) / Double(Self.allDrops)
        var count = DisplayedDropCount()
        for small in SmallLists(share: share, seed: seed, hasLimits: hasLimits) {
            let shown = try ShownSmallList(small)
            let checker = DisplayedDropChecker(shown: shown)
            for (section, rows) in shown.rows.enumerated() {
                for row in rows.indices {
                    let source = RowPath(row: row, section: section)
                    if let fault = checker.fault(dropping: source, &count) {
                        Issue.record(
                            "REORDERD_SEED=\(seed): \(small.outline): \(rows[row]): \(fault)")
                        return
                    }
                }
            }
            count.lists += 1
            // The display's own updates.
            await Task.yield()
        }
        print("Displayed drops: \(count)")
        #expect(count.moved > 0)
        // A sample can be without these.
        guard Self.isComplete else { return }
        #expect(count.refused > 0 && count.retargeted > 0 && (hasLimits || count.locked > 0))
    }
}

struct DisplayedDropCount {
    var lists = 0
    var moved = 0
    var refused = 0
    /// Drops at another place than the proposed one.
    var retargeted = 0
    var locked = 0
}

/// A small list, and what a view displays of it.
@MainActor final class ShownSmallList {
    let small: SmallList
    let list: ImmediateList
    let display: RowDisplay
    /// The displayed sections of the small list.
    let sections: [Int]
    /// The visible rows of the small list by section.
    private(set) lazy var rows = rows(of: small)
    /// The rows that the view displays.
    private(set) var shown: [[TaskID]] = []

    init(_ small: SmallList) throws {
        self.small = small
        list = ImmediateList(try small.makeList())
        display = RowDisplay(list)
        let hasRowsWithoutSection = small.rows.contains { $0.section == 0 }
        sections = Array(
            (small.sections > 0 && !hasRowsWithoutSection ? 1 : 0)...small.sections)
        display.start { [weak self] in self?.shown = $0.order.sections.map(\.rows) }
    }

    /// The visible rows of a small list by section.
    func rows(of list: SmallList) -> [[TaskID]] {
        sections.map { section in
            list.visible.map { list.rows[$0] }.filter { $0.section == section }.map(\.id)
        }
    }

    /// Back to the list before the drops. If a drop has not changed the list, the display shows it already.
    func reset() {
        guard list.isChanged else { return }
        list.reset()
        display.update()
    }
}

/// A list without a client: changes are made at once.
@MainActor final class ImmediateList: DisplayedList {
    private(set) var snapshot: ReorderableList
    private(set) var sections: [LiveList.Section]
    /// Whether a move has changed the list.
    private(set) var isChanged = false
    private let original: (list: ReorderableList, sections: [LiveList.Section])

    init(_ list: ReorderableList) {
        snapshot = list
        sections = LiveList.Section.all(of: list, RowMarks())
        original = (list, sections)
    }

    /// Back to the list before the moves.
    func reset() {
        (snapshot, sections) = original
        isChanged = false
    }

    func row(_ task: TaskID) -> LiveList.Row? { snapshot.task(task).map { RowMarks().row($0) } }

    func move(_ tasks: [TaskID], to place: Destination) -> Bool {
        guard let outcome = try? snapshot.move(MoveRequest(.naming(tasks), to: place)) else {
            return false
        }
        sections = LiveList.Section.all(of: snapshot, RowMarks())
        isChanged = true
        return outcome.changed
    }

    func delete(_ tasks: [TaskID]) -> Bool { false }

    func announceDrag(of task: TaskID) -> DragAnnouncement? { nil }
}
