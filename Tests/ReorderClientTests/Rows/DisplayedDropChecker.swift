import ReorderEngine
import SmallLists

@testable import ReorderClient

/// Makes all drops of a row, and compares the list and the displayed rows with the model's.
@MainActor struct DisplayedDropChecker {
    let shown: ShownSmallList

    private var small: SmallList { shown.small }
    private var display: RowDisplay { shown.display }

    /// The first fault; nil if there is none.
    func fault(dropping source: RowPath, _ count: inout DisplayedDropCount) -> String? {
        guard shown.shown == shown.rows else { return "displays \(shown.shown)" }
        var drops = ExpectedDrops(of: source, in: shown)
        for index in drops.places.indices {
            if let fault = faultOfReordering(drops, source, index, &count) {
                return "reordered to \(drops.places[index]): \(fault)"
            }
        }
        for (index, section) in shown.sections.enumerated() {
            let gaps = drops.rest.gaps(in: section)
            for row in gaps {
                let path = RowPath(row: row - gaps.lowerBound, section: index)
                // All possible levels, and one that is not.
                let levels = drops.rest.levels(atRow: row, in: section)
                for wanted in Set(levels + [drops.depth, (levels.max() ?? 0) + 1]) {
                    var drop = SmallDrop(tasks: [drops.task], section: section, row: row)
                    drop.level = nearest(
                        to: wanted, among: small.allowedLevels(of: drop) ?? levels, drops.depth)
                    let expected = drops.result(of: drop)
                    if let fault = faultOfDrags(
                        drops, expected, path, wanted - drops.depth, &count)
                    {
                        return "dragged to \(path) at \(wanted): \(fault)"
                    }
                }
            }
        }
        return nil
    }

    /// Among siblings, a row keeps its level.
    private func nearest(to wanted: Int, among levels: [Int], _ depth: Int) -> Int? {
        if small.moves == .siblings { return depth }
        return levels.min { abs($0 - wanted) < abs($1 - wanted) }
    }

    // MARK: Reorder controls

    private func faultOfReordering(
        _ drops: ExpectedDrops, _ source: RowPath, _ proposed: Int,
        _ count: inout DisplayedDropCount
    ) -> String? {
        guard display.canEdit(drops.task) != drops.isLocked else { return "locked or not" }
        if drops.isLocked {
            count.locked += 1
            return nil
        }
        let (own, path) = (drops.own, drops.places[proposed])
        var index = proposed
        while index != own, drops.reordered[index] == nil { index += index < own ? 1 : -1 }
        let target = display.target(from: source, proposed: path)
        guard target == drops.places[index] else { return "target \(target)" }
        if target == path { count.moved += 1 } else { count.retargeted += 1 }
        let result = drops.reordered[index] ?? drops.unchanged
        if target != source, let fault = faultOfMove(from: source, to: target, result) {
            return fault
        }
        guard target != path else { return nil }
        // A view that does not ask for the target: the row returns.
        count.refused += 1
        return faultOfMove(from: source, to: path, drops.unchanged)
    }

    /// The view has moved the row.
    private func faultOfMove(
        from source: RowPath, to target: RowPath, _ result: ExpectedDrops.Result
    ) -> String? {
        defer { shown.reset() }
        let order = display.order
        guard let task = order[source] else { return "no row" }
        let moved = order.moving(source, to: target)
        guard order.movedRow(in: moved, expecting: task) == task else { return "another row" }
        guard let found = order.movedRow(in: moved, expecting: nil),
            let former = order.path(of: found), let now = moved.path(of: found),
            order.moving(former, to: now) == moved
        else { return "the moved row is not found" }
        display.didMove(task, to: target)
        display.update()
        return fault(expecting: result)
    }

    // MARK: Drags

    private enum End: CaseIterable { case drop, viewMoves, cancel }

    private func faultOfDrags(
        _ drops: ExpectedDrops, _ expected: ExpectedDrops.Result?, _ path: RowPath,
        _ levels: Int, _ count: inout DisplayedDropCount
    ) -> String? {
        if expected == nil { count.refused += 1 } else { count.moved += 1 }
        for leavesBlank in [false, true] {
            for end in End.allCases where !(leavesBlank && end == .viewMoves) {
                defer { shown.reset() }
                guard display.lift(drops.task, leavesBlank: leavesBlank) != drops.isLocked else {
                    return "lifted or not"
                }
                if drops.isLocked { return fault(expecting: drops.unchanged) }
                let level = display.hover(at: path, deeper: levels)
                guard (level != nil) == (expected != nil) else { return "level \(level ?? -1)" }
                if leavesBlank, let fault = faultOfHovering(drops, expected != nil, path) {
                    return fault
                }
                let isOwnPlace = display.order.path(of: drops.task) == path
                switch end {
                case .cancel: display.cancel()
                case .viewMoves where level != nil && !isOwnPlace:
                    display.didMove(drops.task, to: path)
                case .drop, .viewMoves:
                    // Without a blank row, a view drops nothing at a place that the rules refuse.
                    if leavesBlank || level != nil { display.drop() } else { display.cancel() }
                }
                display.update()
                let result = end == .cancel ? nil : expected
                if let fault = fault(expecting: result ?? drops.unchanged) {
                    return "\(end), blank: \(leavesBlank): \(fault)"
                }
                guard display.blank == nil, display.lifted == nil else { return "still lifted" }
            }
        }
        return nil
    }

    /// The rows while the finger is at the place: the subtasks are folded, and a blank row is where the row would be dropped.
    private func faultOfHovering(
        _ drops: ExpectedDrops, _ isAllowed: Bool, _ path: RowPath
    ) -> String? {
        var folded = drops.foldedRows
        if isAllowed {
            folded = drops.restRows
            folded[path.section].insert(drops.task, at: path.row)
        }
        guard shown.shown == folded else { return "hovering displays \(shown.shown)" }
        return display.blank == drops.task ? nil : "there is no blank row"
    }

    private func fault(expecting result: ExpectedDrops.Result) -> String? {
        guard result.list.matches(shown.list.snapshot) else {
            return "the list differs from \(result.list.outline)"
        }
        return shown.shown == result.rows ? nil : "displays \(shown.shown)"
    }
}
