import Foundation
import RandomRuns
import ReorderEngine
import SmallLists
import Testing

@testable import ReorderClient

/// Every drop that SwiftUI's `onMove` can report in small lists, compared with a plain array of rows. Each is undone and redone.
@MainActor @Suite struct EveryOffsetTests {
    private static let isComplete =
        ProcessInfo.processInfo.environment["REORDERD_EVERY_DROP"] != nil

    @Test(arguments: [false, true])
    func everyOffsetDoesWhatTheRowsDo(hasLimits: Bool) throws {
        let tasks = Self.isComplete ? 0...5 : 0...4
        let share = Self.isComplete ? 1 : Double(RandomRun.operations(percent: 25)) / 200_000
        let seed = RandomRun.seed
        var (moved, refused, unchanged) = (0, 0, 0)
        for small in SmallLists(
            tasks: tasks, share: share, seed: seed, hasLimits: hasLimits)
        {
            // An undo can't add to an excess.
            if small.exceedsLimits { continue }
            let list = try OffsetChecker(small)
            for drop in list.drops {
                switch try list.outcome(of: drop) {
                case .moved: moved += 1
                case .refused: refused += 1
                case .unchanged: unchanged += 1
                case .fault(let fault):
                    Issue.record("REORDERD_SEED=\(seed): \(small.outline): \(drop): \(fault)")
                    return
                }
            }
        }
        print("Drops by offset: \(moved) moved, \(refused) refused, \(unchanged) unchanged")
        #expect(moved > 0 && refused > 0 && unchanged > 0)
    }
}

@MainActor private final class OffsetChecker {
    struct Drop {
        /// The index in `sections` of the list.
        var section: Int
        var rows: IndexSet
        var offset: Int
    }

    enum Outcome {
        case moved, refused, unchanged
        case fault(String)
    }

    let small: SmallList
    let list: LiveList

    init(_ small: SmallList) throws {
        self.small = small
        let memory = MemoryLists(["l": try small.makeList()])
        list = LiveList(id: "l", client: ReorderClient(memory: memory))
    }

    /// One or two rows to each offset in their section.
    var drops: [Drop] {
        list.sections.indices.flatMap { section -> [Drop] in
            let count = list.sections[section].rows.count
            return (0..<count).flatMap { first in
                (first..<count).flatMap { last in
                    (0...count).map {
                        Drop(section: section, rows: IndexSet([first, last]), offset: $0)
                    }
                }
            }
        }
    }

    func outcome(of drop: Drop) throws -> Outcome {
        let section = list.sections[drop.section]
        let named = drop.rows.map { section.rows[$0].id }
        let roots = small.roots(of: named)
        let number = small.rows[small.index(of: named[0])].section
        let start = small.visible.count { small.rows[$0].section < number }
        let row = small.row(ofOffset: start + drop.offset, dropping: roots)
        var expected: SmallList?
        do throws(SmallRefusal) {
            expected = try small.after(SmallDrop(tasks: roots, section: number, row: row))
        } catch {}
        let isChanged = list.move(drop.rows, to: drop.offset, in: section)
        guard let expected else {
            guard !isChanged, list.notice != nil else { return .fault("not refused") }
            list.dismissNotice()
            return isShown(small) ? .refused : .fault("a refused drop changed the list")
        }
        guard isChanged == (expected != small), list.notice == nil else {
            return .fault("changed: \(isChanged), notice: \(list.notice?.message ?? "")")
        }
        guard isShown(expected) else { return .fault("another result") }
        guard isChanged else { return .unchanged }
        guard list.undo(), isShown(small) else { return .fault("not undone") }
        guard list.redo(), isShown(expected) else { return .fault("not redone") }
        guard list.undo(), isShown(small) else { return .fault("not undone again") }
        return .moved
    }

    /// Whether the sections have exactly the visible rows.
    private func isShown(_ small: SmallList) -> Bool {
        guard small.matches(list.snapshot) else { return false }
        var rows: [SectionID?: [String]] = [:]
        for index in small.visible {
            let row = small.rows[index]
            rows[SmallList.id(of: row.section), default: []].append("\(row.depth)\(row.id)")
        }
        let hasUnsectioned = small.sections == 0 || small.rows.contains { $0.section == 0 }
        let ids = (hasUnsectioned ? 0 : 1)..<max(small.sections + 1, 1)
        return list.sections.map(\.id) == ids.map { SmallList.id(of: $0) }
            && list.sections.allSatisfy { section in
                section.rows.map { "\($0.level)\($0.id)" } == rows[section.id] ?? []
            }
    }
}
