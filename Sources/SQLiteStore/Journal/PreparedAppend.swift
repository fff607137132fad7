/// The pieces and staged tasks that a large append has written before its last transaction.
struct PreparedAppend {
    /// The bodies that are in pieces.
    var bodies: [LongBody.ID: LongBody] = [:]
    /// All pieces of these bodies. They are marked as discarded until the append is valid.
    var pieces: ClosedRange<Int>?
    /// The slot of each list that receives staged tasks; nil if no changes of tasks are staged.
    var slots: [String: Int]?
}
