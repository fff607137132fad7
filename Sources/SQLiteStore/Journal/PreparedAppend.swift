/// The bodies and staged tasks that a large append has written before its last transaction.
struct PreparedAppend {
    /// The bodies that are in pieces.
    var bodies: [LongBody.ID: LongBody] = [:]
    /// The slot of each list that receives staged tasks; nil if no changes of tasks are staged.
    var slots: [String: Int]?
}
