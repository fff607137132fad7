import ReorderEngine
import ReorderJSON
import ReorderService

/// The members for the destination of a move or drag: ids and positions, or a place between rows.
struct TargetMembers {
    /// Those of a move in a batch, which changes one list only.
    static let membersInOneList: [StaticString] =
        ["toRow", "to", "toOffset", "level", "version"] + DestinationMembers.members
    static let members = membersInOneList + ["toVersion", "toList"]

    private var place = DestinationMembers()
    private var toRow: Int?
    private var to: SectionRow?
    private var toOffset: Int?
    private var level: Int?
    /// The version of the list in the path in which rows are counted.
    private var version: RequestedVersion?
    /// The version of the other list in which its rows are counted.
    private var toVersion: RequestedVersion?
    /// The list that the tasks move into.
    private(set) var toList: String?

    /// Reads a member if it is part of a destination.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "toRow": toRow = try reader.readCount()
        case "to": to = try SectionRow(from: &reader)
        case "toOffset": toOffset = try reader.readCount()
        case "level": level = try reader.readCount()
        case "version": version = try reader.readVersion()
        case "toVersion": toVersion = try reader.readVersion()
        case "toList": toList = try reader.readReference()
        default: return try place.read(name, from: &reader)
        }
        return true
    }

    /// The destination from the members that were read; `reader` is at the end of the object.
    ///
    /// - Parameter noun: what needs the destination, for messages.
    func destination(
        _ reader: borrowing JSONReader, of noun: String
    ) throws(JSONTypeError) -> Destination {
        if let target = try rowTarget(reader) {
            return Destination(RowDestination(target, level: level))
        }
        guard level == nil else {
            throw reader.invalid("level needs toRow, to or toOffset.")
        }
        if let destination = place.destination { return destination }
        guard toList != nil else {
            throw reader.invalid(
                "A \(noun) needs a destination: after, before, parent, section, position, toRow, to, "
                    + "toOffset or toList.")
        }
        return Destination(place: .init(.section(nil)))
    }

    private func rowTarget(_ reader: borrowing JSONReader) throws(JSONTypeError) -> RowTarget? {
        var rest = place
        let section = place.section
        var targets: [RowTarget] = []
        if let toRow {
            targets.append(
                section == .absent ? .row(toRow) : .rowInSection(toRow, section.value))
        }
        if let toOffset {
            targets.append(
                section == .absent ? .offset(toOffset) : .offsetInSection(section.value, toOffset))
        }
        if !targets.isEmpty { rest.section = .absent }
        if let to { targets.append(.path(to.section, row: to.row)) }
        guard let target = targets.first else { return nil }
        guard targets.count == 1, rest.isEmpty else {
            throw reader.invalid(
                "toRow, to and toOffset can't be combined with another destination. toRow and "
                    + "toOffset can have a section.")
        }
        return target
    }

    /// The versions in which the rows of a request are counted.
    ///
    /// - Parameter request: the request of these members.
    func rowVersions(
        of request: MoveRequest, _ reader: borrowing JSONReader
    ) throws(JSONTypeError) -> RowVersions {
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

/// A row of a section: `{"section": "fruit", "row": 0}`.
struct SectionRow {
    /// nil for the tasks without a section.
    let section: SectionID?
    let row: Int

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var section = Member<SectionID>.absent
        var row: Int?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "section": section = try reader.readReferenceOrNull().map { .value($0) } ?? .null
            case "row": row = try reader.readCount()
            default: throw reader.unknownMember(allowed: ["section", "row"])
            }
        }
        guard section != .absent else { throw reader.missingMember("section") }
        guard let row else { throw reader.missingMember("row") }
        self.section = section.value
        self.row = row
    }
}
