/// What the response to a batch repeats of its ops, so that clients can match results to ops.
struct BatchOps {
    private var ops: [Op] = []
    /// The steps as ranges of ops; nil if the batch has none.
    var steps: [Range<Int>]?

    struct Op {
        var kind: BatchBody.Kind
        var id: String?
    }

    subscript(index: Int) -> Op { ops[index] }

    mutating func add(_ kind: BatchBody.Kind, id: String?) { ops.append(Op(kind: kind, id: id)) }

    /// The JSON Pointer to an op in the body. O(log n).
    func pointer(to index: Int) -> String {
        guard let steps else { return "/ops/\(index)" }
        var (low, high) = (0, steps.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if steps[middle].lowerBound <= index { low = middle } else { high = middle }
        }
        return "/steps/\(low)/\(index - steps[low].lowerBound)"
    }
}
