import ReorderEngine
import ReorderJSON
import ReorderService

/// The body of a move.
struct MoveBody: ~Copyable {
    /// The command, or the move into another list.
    let action: WriteRequest.Action
    /// As in `WriteRequest`.
    let rowVersions: [RowVersions]
    /// The list that the tasks move into.
    let toList: String?

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var other = OtherListMembers()
        let form = try CommandForm(
            bodyOf: .move, from: &reader, further: OtherListMembers.members
        ) { name, reader throws(JSONTypeError) in
            try other.read(name, from: &reader)
        }
        let move = try form.move(reader, isToList: other.toList != nil)
        rowVersions = try other.rowVersions(of: move, reader).map { [$0] } ?? []
        toList = other.toList
        action = if let toList { .transfer(move, to: toList) } else { .command(.move(move)) }
    }
}

/// The members of a move or drag that only requests have: the versions in which its rows are counted, and another list.
struct OtherListMembers {
    private enum Name: JSONName, CaseIterable { case version, toVersion, toList }

    static let members = Name.allCases.map(\.rawValue)

    /// The version of the list in the path in which rows are counted.
    private var version: RequestedVersion?
    /// The version of the other list in which its rows are counted.
    private var toVersion: RequestedVersion?
    /// The list that the tasks move into.
    private(set) var toList: String?

    /// Reads the value of a member if it is one of these.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        guard let name = Name(rawValue: name) else { return false }
        switch name {
        case .version: version = try reader.readVersion()
        case .toVersion: toVersion = try reader.readVersion()
        case .toList: toList = try reader.readReference()
        }
        return true
    }

    /// The versions in which the rows of a request are counted; `reader` is at the end of the object.
    ///
    /// - Parameter request: the request of these members.
    /// - Returns: nil if all are the current ones.
    func rowVersions(
        of request: MoveRequest, _ reader: borrowing JSONReader
    ) throws(JSONTypeError) -> RowVersions? {
        guard version != nil || toVersion != nil else { return nil }
        let hasRowsOfTarget = toList != nil && request.destination.rows != nil
        let hasRows = request.subject.countsRows || request.destination.rows != nil && toList == nil
        guard version == nil || hasRows else {
            throw reader.invalid("version needs a row of the list in the path.")
        }
        guard toVersion == nil || hasRowsOfTarget else {
            throw reader.invalid("toVersion needs toList and a row of that list.")
        }
        return RowVersions(list: version, otherList: toVersion)
    }
}
