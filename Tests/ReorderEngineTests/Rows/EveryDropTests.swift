import Foundation
import RandomRuns
import ReorderEngine
import SmallLists
import Testing

/// Every drop in every small list, compared with a plain array of rows. By default it takes a sample
/// of the lists; `REORDERD_EVERY_DROP=1` takes all.
@Suite struct EveryDropTests {
    static let isComplete = ProcessInfo.processInfo.environment["REORDERD_EVERY_DROP"] != nil
    /// The number of drops in all lists, roughly.
    private static let allDrops = 53_000_000

    /// The share of the lists for a number of drops.
    static func share(percent: Int) -> Double {
        Double(RandomRun.operations(percent: percent)) / Double(allDrops)
    }

    @Test(arguments: [false, true])
    func everyDropDoesWhatTheRowsDo(hasLimits: Bool) throws {
        var share = Self.isComplete ? 1 : Self.share(percent: hasLimits ? 30 : 60)
        var count = DropCount()
        let seed = RandomRun.seed
        // A small sample can have no list, or only lists without rows.
        while (count.moved == 0 || count.refused == 0), share <= 1 {
            for list in SmallLists(share: share, seed: seed, hasLimits: hasLimits) {
                let checker = try DropChecker(list)
                for subject in list.subjects {
                    if let fault = try checker.fault(dropping: subject, &count) {
                        Issue.record(
                            "REORDERD_SEED=\(seed): \(list.outline): \(subject): \(fault)")
                        return
                    }
                }
                count.lists += 1
            }
            share *= 2
        }
        print("Drops: \(count)")
        #expect(count.moved > 0 && count.refused > 0)
    }
}

struct DropCount: CustomStringConvertible {
    var lists = 0
    var moved = 0
    var refused = 0
    /// The number of named rows, offsets and index paths.
    var targets = 0

    var description: String {
        "\(lists) lists, \(moved) moved, \(refused) refused, \(targets) other names of gaps"
    }
}

private struct DropChecker {
    let small: SmallList
    let list: ReorderableList

    init(_ small: SmallList) throws {
        self.small = small
        list = try small.makeList()
    }

    /// The first fault of the drops of a subject; nil if there is none.
    func fault(dropping subject: [TaskID], _ count: inout DropCount) throws -> String? {
        let roots = small.roots(of: subject)
        let rest = small.without(roots)
        let layout = try RowLayout(of: list, moving: .tasks(subject))
        guard layout.rowCount == rest.visible.count else { return "rowCount \(layout.rowCount)" }
        for section in 0...small.sections {
            let gaps = rest.gaps(in: section)
            guard layout.rows(in: SmallList.id(of: section)) == gaps else { return "rows(in:)" }
            for row in gaps {
                for level in [nil, 0, 1, 2, 3, 4] {
                    let drop = SmallDrop(tasks: roots, section: section, row: row, level: level)
                    if let fault = self.fault(of: drop, named: subject, layout, &count) {
                        return "\(drop): \(fault)"
                    }
                }
            }
        }
        return faultOfTargets(subject, roots, rest, layout, &count)
    }

    private func fault(
        of drop: SmallDrop, named subject: [TaskID], _ layout: RowLayout, _ count: inout DropCount
    ) -> String? {
        let section = SmallList.id(of: drop.section)
        let target = RowTarget.rowInSection(drop.row, section)
        let request = MoveRequest(
            subject.count == 1 ? .task(subject[0]) : .tasks(subject),
            to: Destination(RowDestination(target, level: drop.level)))
        let levels = layout.levels(at: .init(section: section, row: drop.row))
        do throws(SmallRefusal) {
            let expected = try small.after(drop)
            var moved = list
            guard (try? moved.move(request)) != nil else { return "refused" }
            guard expected.matches(moved) else { return "the result differs" }
            guard moved.row(of: drop.tasks[0]) == drop.row else { return "another row" }
            count.moved += 1
            // The same drop by ids.
            let gap = RowLayout.Gap(section: section, row: drop.row)
            guard let ids = try? layout.destination(at: gap, level: drop.level) else {
                return "no destination"
            }
            for part in ids.parts {
                var copy = list
                guard (try? copy.move(MoveRequest(request.subject, to: part))) != nil else {
                    return "refused by ids \(part)"
                }
                guard expected.matches(copy) else { return "the result by ids \(part) differs" }
            }
            if let level = drop.level, levels?.contains(level) != true { return "levels(at:)" }
        } catch {
            var copy = list
            do throws(Refusal) {
                _ = try copy.move(request)
                return "not refused"
            } catch let actual {
                guard error.matches(actual) else { return "\(actual), expected \(error)" }
            }
            if let level = drop.level, case .levelNotPossible = error,
                levels?.contains(level) == true
            {
                return "levels(at:)"
            }
            if case .maxDepth = error, let level = drop.level, levels?.contains(level) == true {
                return "levels(at:) below the last level"
            }
            if case .notSiblings = error, let level = drop.level, levels?.contains(level) == true {
                return "levels(at:) among siblings"
            }
            count.refused += 1
        }
        return nil
    }

    private func faultOfTargets(
        _ subject: [TaskID], _ roots: [TaskID], _ rest: SmallList, _ layout: RowLayout,
        _ count: inout DropCount
    ) -> String? {
        func fault(_ target: RowTarget, _ section: Int, _ row: Int) -> String? {
            count.targets += 1
            let gap = RowLayout.Gap(section: SmallList.id(of: section), row: row)
            return (try? layout.gap(at: target)) == gap ? nil : "\(target) is not \(gap)"
        }
        let (rows, all) = (rest.visible.count, small.visible.count)
        for row in 0...rows {
            let section = small.section(ofRow: row, dropping: roots)
            if let fault = fault(.row(row), section, row) { return fault }
        }
        for offset in 0...all {
            let row = small.row(ofOffset: offset, dropping: roots)
            let section = small.section(ofRow: row, dropping: roots)
            if let fault = fault(.offset(offset), section, row) { return fault }
        }
        for section in 0...small.sections {
            let gaps = rest.gaps(in: section)
            let id = SmallList.id(of: section)
            for row in 0..<gaps.count {
                if let fault = fault(.path(id, row: row), section, gaps.lowerBound + row) {
                    return fault
                }
            }
            let before = small.visible.count { small.rows[$0].section < section }
            let own = small.visible.count { small.rows[$0].section == section }
            for offset in 0...own {
                let row = small.row(ofOffset: before + offset, dropping: roots)
                if let fault = fault(.offsetInSection(id, offset), section, row) { return fault }
            }
        }
        return nil
    }
}

extension Destination {
    /// Each of its alternatives by itself.
    fileprivate var parts: [Destination] {
        [
            after.map { Destination(after: $0) }, before.map { Destination(before: $0) },
            place.map { Destination(place: $0) },
        ].compactMap(\.self)
    }
}

extension SmallRefusal {
    fileprivate func matches(_ refusal: Refusal) -> Bool {
        switch (self, refusal) {
        case (.levelNotPossible, .levelNotPossible), (.locked, .locked),
            (.notSiblings, .notSiblings), (.maxDepth, .maxDepth), (.sectionFull, .sectionFull),
            (.parentFull, .parentFull):
            true
        default: false
        }
    }
}
