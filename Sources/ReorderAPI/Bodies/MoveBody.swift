import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a move.
struct MoveBody {
    /// The command, or the move into another list.
    let action: WriteRequest.Action
    let rowVersions: RowVersions
    /// The list that the tasks move into.
    let toList: String?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var other = OtherListMembers()
        let form = try CommandForm(
            bodyOf: .move, from: &reader, further: OtherListMembers.members
        ) { name, reader throws(JSONTypeError) in
            try other.read(name, from: &reader)
        }
        toList = other.toList
        let move = try form.move(reader, isToList: toList != nil)
        rowVersions = try other.rowVersions(of: move, reader)
        action = if let toList { .transfer(move, to: toList) } else { .command(.move(move)) }
    }
}
