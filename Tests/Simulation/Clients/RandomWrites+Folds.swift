import ListModel
import RandomRuns
import ReorderEngine

// Requests of a person who sees tasks folded in a way of their own.

extension RandomWrites {
    private static let folds = "f0"

    /// Folds or unfolds a task for the person.
    mutating func fold() -> Intention {
        guard lists[Self.folds] != nil || random.chance(10) else {
            return intention(
                "put folds", .put, "/lists/\(Self.folds)", "{\"title\":\"\(Self.folds)\"}",
                list: Self.folds, .replace(ListModel(settings: ListSettings(title: Self.folds))))
        }
        let task = parent()
        let isFolded = random.chance(60)
        return intention(
            "fold", .post, "/tasks/\(task)/collapse?folds=\(Self.folds)",
            "{\"collapsed\":\(isFolded)}", .fold(task, isFolded))
    }

    /// Moves a row that the person sees.
    mutating func foldedMove(in list: String) -> Intention {
        var seen =
            lists[list].map { ListModel($0) } ?? ListModel(settings: ListSettings(title: list))
        if let folds = lists[Self.folds] { seen.fold(ListModel(folds).folds) }
        seen.settings.collapseSubElements = false
        let rows = max(1, seen.rows.count)
        let move = usual(in: seen) { writes in
            MoveRequest(
                .row(writes.random.below(rows)),
                to: Destination(row: writes.random.below(rows + 1)))
        }
        return intention(
            "move with folds", .post, "/lists/\(list)/move?folds=\(Self.folds)",
            "{\(move.members)}", list: list, .foldedMove(move, folds: Self.folds))
    }
}
