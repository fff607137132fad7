import Measuring

/// The usual implementation in an app without this engine: an array of ids, moved by index.
enum PlainArray {
    /// The nanoseconds for a move in one of `count` arrays of `size` ids: removal and insertion,
    /// with known indices or after a search for the task's id.
    static func measure(_ size: Int, lists count: Int, findingTheTask: Bool) -> Double {
        var lists = (0..<count).map { _ in (0..<size).map(taskID) }
        var random = SeededGenerator(seed: 1)
        func prepare() -> (list: Int, id: String, from: Int, to: Int) {
            (
                Int.random(in: 0..<count, using: &random),
                taskID(Int.random(in: 0..<size, using: &random)),
                Int.random(in: 0..<size, using: &random), Int.random(in: 0..<size, using: &random)
            )
        }
        return nanoseconds(
            perOperationIn: size > 10_000 ? 20 : 500, batches: 20, prepare: prepare
        ) { operation in
            let list = operation.list
            let from =
                findingTheTask ? lists[list].firstIndex(of: operation.id) : operation.from
            let id = lists[list].remove(at: from ?? 0)
            lists[list].insert(id, at: operation.to)
        }
    }
}
