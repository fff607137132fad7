import Measuring

/// What an app does without this engine: an array of ids, moved by index.
enum PlainArray {
    /// Nanoseconds a move takes in an array of `size` ids: removal and insertion, where both
    /// indices are known, or where the task has to be found by its id.
    static func measure(_ size: Int, findingTheTask: Bool) -> Double {
        var ids = (0..<size).map(taskID)
        var random = SeededGenerator(seed: 1)
        func prepare() -> (id: String, from: Int, to: Int) {
            (
                taskID(Int.random(in: 0..<size, using: &random)),
                Int.random(in: 0..<size, using: &random), Int.random(in: 0..<size, using: &random)
            )
        }
        return nanoseconds(
            perOperationIn: size > 10_000 ? 20 : 500, batches: 20, prepare: prepare
        ) { operation in
            let from = findingTheTask ? ids.firstIndex(of: operation.id) : operation.from
            ids.insert(ids.remove(at: from ?? 0), at: operation.to)
        }
    }
}
