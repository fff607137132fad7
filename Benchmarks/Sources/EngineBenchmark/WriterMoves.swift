import Measuring
@testable import ReorderEngine

/// Moves as the server's writer makes them: each on a copy, while the version before is alive.
enum WriterMoves {
    static func run(size: Int) {
        var random = SeededGenerator(seed: 1)
        func anyTask() -> TaskID { taskID(.random(in: 0..<size, using: &random)) }
        let moves = (0..<1_100).map { _ in (anyTask(), anyTask()) }
        var published = Shape.flat.list(of: size)
        move(moves[..<100], in: &published)
        countedMoves(moves[100...], in: &published)
        blackHole(published)
    }

    /// `scripts/bench-engine --instructions` finds this function by its name.
    @inline(never)
    private static func countedMoves(
        _ moves: ArraySlice<(TaskID, TaskID)>, in published: inout ReorderableList
    ) {
        move(moves, in: &published)
    }

    @inline(never)
    private static func move(
        _ moves: ArraySlice<(TaskID, TaskID)>, in published: inout ReorderableList
    ) {
        for (task, anchor) in moves {
            var next = published
            next.changeStamp = ChangeStamp(time: 1, author: nil)
            blackHole(try? next.move(MoveRequest(.task(task), to: Destination(after: anchor))))
            // Used here, so that the optimizer does not move in place.
            blackHole(published)
            published = next
        }
    }
}
