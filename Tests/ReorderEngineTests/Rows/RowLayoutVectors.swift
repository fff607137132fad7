import Foundation
import ReorderEngine

/// Drops of tasks of some lists, with the results of the engine, as JSON. Other clients test the
/// same drops (`Tests/Fixtures/README.md`).
enum RowLayoutVectors {
    private static let outlines: [(String, MovePolicy)] = [
        ("", .anywhere),
        ("#s1 #s2", .anywhere),
        ("a b c", .anywhere),
        ("milk bread #fruit apples pears #empty", .anywhere),
        ("#s1 a b #s2 #s3 c d #s4", .anywhere),
        ("a b(b1 b2) c+(c1(c11)) d+ #s1 e(e1(e11 e12) e2) #s2 #s3 f", .anywhere),
        ("a(a1(a11(a111)) a2) b #s1 c(c1)", .anywhere),
        ("a+(a1 a2) #s1 b+ c(c1+(c11))", .anywhere),
        ("a! b(b1! b2) #s1 c", .anywhere),
        ("a b(b1 b2(b21)) #s1 c #s2", .siblings),
        (Outline.chain("d", levels: 15) + " a(a1(a11)) #s1 b", .anywhere),
    ]

    /// The content of the file: one line for each drop.
    static func json() throws -> String {
        let lists = try outlines.map { outline, moves in
            try json(of: ReorderableList(outline, moves: moves), outline)
        }
        return #"{"lists":["# + "\n" + lists.joined(separator: ",\n") + "\n]}\n"
    }

    private static func json(of list: ReorderableList, _ outline: String) throws -> String {
        let rows = list.tasks(fromRow: 0, limit: list.rowCount).map { task in
            [
                "id": task.id, "section": value(task.placement.section),
                "parent": value(task.placement.parent), "position": task.placement.position,
                "depth": task.depth, "collapsed": task.content.collapsed,
            ]
        }
        let head: [String: Any] = [
            "outline": outline, "moves": list.settings.moves.rawValue,
            "sections": list.sections.map(\.id), "rows": rows,
        ]
        var drops = try subjects(in: list).map { tasks in
            try drop(of: tasks, in: list)
        }
        for chain in ["x", "x(y)", "x(y(z(w)))"] {
            let other = try ReorderableList(chain)
            let task = other.tasks.map(\.id)[other.count - 1]
            var drop = try gaps(of: RowLayout(of: list, receiving: .task(task), from: other), list)
            drop["tasks"] = NSNull()
            drop["depth"] = other.count - 1
            drop["height"] = 1
            drops.append(drop)
        }
        let lines = try drops.map(text)
        return try text(head).dropLast() + #","drops":["# + "\n"
            + lines.joined(separator: ",\n") + "\n]}"
    }

    /// Each task, and some tasks together, in the order of their rows and against it.
    private static func subjects(in list: ReorderableList) -> [[TaskID]] {
        let ids = list.taskIDs
        let isLong = ids.count > 12
        var subjects = (isLong ? Array(ids.suffix(5)) : ids).map { [$0] }
        guard let last = ids.last, ids.count > 1 else { return subjects }
        subjects.append([ids[ids.count - 2], last])
        if ids.count > 2, !isLong {
            subjects += [[ids[1], last], [last, ids[1]], [ids[0], ids[1], last]]
        }
        return subjects
    }

    private static func drop(of tasks: [TaskID], in list: ReorderableList) throws -> [String: Any] {
        let subject = MoveRequest.Subject.tasks(tasks)
        let layout = try RowLayout(of: list, moving: subject)
        var drop = try gaps(of: layout, list)
        drop["tasks"] = tasks
        drop["depth"] = tasks.compactMap { list.task($0)?.depth }.min()
        drop["height"] =
            tasks.map { task -> Int in
                let depths = list.subtree(of: task).map(\.depth)
                return (depths.max() ?? 0) - depths[0] + 1
            }.max() ?? 1
        drop["refusals"] = try layout.allGaps.map { gap in
            try levels(at: gap, of: layout).map { level -> Any in
                var copy = list
                let rows = RowDestination(.rowInSection(gap.row, gap.section), level: level)
                do throws(Refusal) {
                    _ = try copy.move(MoveRequest(subject, to: Destination(rows)))
                    return NSNull()
                } catch {
                    return "\(error)"
                }
            }
        }
        return drop
    }

    /// The gaps, their levels and places, and the indices of the gaps of all rows and offsets.
    private static func gaps(
        of layout: RowLayout, _ list: ReorderableList
    ) throws -> [String: Any] {
        let gaps = layout.allGaps
        func index(_ target: RowTarget) -> Any {
            value((try? layout.gap(at: target)).flatMap { gaps.firstIndex(of: $0) })
        }
        let (rows, offsets) = (0...layout.rowCount + 1, 0...list.rowCount + 1)
        return [
            "gaps": try gaps.map { try json(of: $0, layout) },
            "rows": rows.map { index(.row($0)) },
            "offsets": offsets.map { index(.offset($0)) },
            "sections": layout.allSections.map { section in
                [
                    "section": value(section),
                    "rows": rows.map { index(.rowInSection($0, section)) },
                    "paths": rows.map { index(.path(section, row: $0)) },
                    "offsets": offsets.map { index(.offsetInSection(section, $0)) },
                ]
            },
        ]
    }

    private static func json(of gap: RowLayout.Gap, _ layout: RowLayout) throws -> [String: Any] {
        let levels = try levels(at: gap, of: layout)
        let allowed = layout.levels(at: gap)
        let destinations = try levels.map { try layout.destination(at: gap, level: $0) }
        let chosen = destinations.firstIndex(of: try layout.destination(at: gap)) ?? -1
        return [
            "section": value(gap.section), "row": gap.row,
            "levels": [levels.lowerBound, levels.upperBound],
            "allowed": value(allowed.map { [$0.lowerBound, $0.upperBound] }),
            "level": levels.lowerBound + chosen,
            "places": destinations.map { destination in
                var parent: TaskID?
                if case .subtasks(let task)? = destination.place?.siblings { parent = task }
                return [
                    "after": value(destination.after), "before": value(destination.before),
                    "parent": value(parent), "position": destination.place?.position ?? -1,
                ]
            },
        ]
    }

    /// The levels that the rows beside a gap allow.
    private static func levels(
        at gap: RowLayout.Gap, of layout: RowLayout
    ) throws -> ClosedRange<Int> {
        do {
            _ = try layout.destination(at: gap, level: -1)
        } catch .levelNotPossible(_, let levels) {
            return levels
        }
        throw NotRefused()
    }

    private struct NotRefused: Error {}

    private static func value(_ value: (any Sendable)?) -> Any { value ?? NSNull() }

    private static func text(_ object: [String: Any]) throws -> String {
        let json = try JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: json, as: UTF8.self)
    }
}

extension RowLayout {
    fileprivate var allSections: [SectionID?] { [nil] + list.sections.map { Optional($0.id) } }

    fileprivate var allGaps: [Gap] {
        allSections.flatMap { section in
            (rows(in: section) ?? 0...0).map { Gap(section: section, row: $0) }
        }
    }
}
