import ReorderEngine

/// The members for a destination in JSON: ids and positions, or a place between rows.
package struct DestinationForm {
    private enum Name: JSONName, CaseIterable {
        case after, before, section, parent, position, toRow, to, toOffset, level

        var isRow: Bool {
            switch self {
            case .toRow, .to, .toOffset, .level: true
            case .after, .before, .section, .parent, .position: false
            }
        }
    }

    package static let members = Name.allCases.filter { !$0.isRow }.map(\.rawValue)
    /// Those for a place between rows, which only existing tasks can get.
    package static let rowMembers = Name.allCases.filter(\.isRow).map(\.rawValue)

    private var after = Member<TaskID>.absent
    private var before = Member<TaskID>.absent
    private var section = Member<SectionID>.absent
    private var parent = Member<TaskID>.absent
    private(set) var position: Int?
    private var toRow: Int?
    private var to: (section: SectionID?, row: Int)?
    private var toOffset: Int?
    private var level: Int?

    package init() {}

    /// Reads the value of a member if it is part of a destination.
    ///
    /// - Parameter hasRows: whether it can be a place between rows.
    /// - Returns: false if it is another member. Then nothing was read.
    package mutating func read(
        _ name: JSONName, from reader: inout JSONReader, hasRows: Bool = true
    ) throws(JSONTypeError) -> Bool {
        guard let name = Name(rawValue: name), hasRows || !name.isRow else { return false }
        switch name {
        // null: the task has no neighbor on this side.
        case .after: after = try reader.readMember()
        case .before: before = try reader.readMember()
        case .section: section = try reader.readMember()
        case .parent: parent = try reader.readMember()
        case .position: position = try reader.readCount()
        case .toRow: toRow = try reader.readCount()
        case .to: to = try reader.readSectionRow()
        case .toOffset: toOffset = try reader.readCount()
        case .level: level = try reader.readCount()
        }
        return true
    }

    /// The destination from the members that were read; `reader` is at the end of the object.
    ///
    /// - Returns: nil if there are none, or only neighbors that are null.
    package func destination(
        _ reader: borrowing JSONReader
    ) throws(JSONTypeError) -> Destination? {
        if let target = try rowTarget(reader) {
            return Destination(RowDestination(target, level: level))
        }
        guard level == nil else {
            throw reader.invalid("level needs toRow, to or toOffset.")
        }
        let place = Destination.Place(parent: parent, section: section, position: position)
        guard after.value != nil || before.value != nil || place != nil else { return nil }
        return Destination(after: after.value, before: before.value, place: place)
    }

    /// - Parameters:
    ///   - noun: what needs the destination, for messages.
    ///   - isToList: whether the tasks move into another list, at its end if there is no destination.
    package func destination(
        _ reader: borrowing JSONReader, of noun: String, isToList: Bool
    ) throws(JSONTypeError) -> Destination {
        if let destination = try destination(reader) { return destination }
        guard isToList else {
            throw reader.invalid(
                "A \(noun) needs a destination: after, before, parent, section, position, toRow, to, "
                    + "toOffset or toList.")
        }
        return Destination(place: .init(.section(nil)))
    }

    private func rowTarget(_ reader: borrowing JSONReader) throws(JSONTypeError) -> RowTarget? {
        var targets: [RowTarget] = []
        if let toRow {
            targets.append(
                section == .absent ? .row(toRow) : .rowInSection(toRow, section.value))
        }
        if let toOffset {
            targets.append(
                section == .absent ? .offset(toOffset) : .offsetInSection(section.value, toOffset))
        }
        let allowsSection = !targets.isEmpty
        if let to { targets.append(.path(to.section, row: to.row)) }
        guard let target = targets.first else { return nil }
        guard targets.count == 1, after == .absent, before == .absent, parent == .absent,
            position == nil, allowsSection || section == .absent
        else {
            throw reader.invalid(
                "toRow, to and toOffset can't be combined with another destination. toRow and "
                    + "toOffset can have a section.")
        }
        return target
    }
}

extension Destination.Place {
    /// The place that members name; nil if they name none.
    package init?(
        parent: Member<TaskID>, section: Member<SectionID> = .absent, position: Int?
    ) {
        switch (parent, section) {
        case (.value(let parent), _): self.init(.subtasks(of: parent), position: position)
        case (_, .value(let section)): self.init(.section(section), position: position)
        case (_, .null): self.init(.section(nil), position: position)
        case (.null, .absent): self.init(.topLevel, position: position)
        case (.absent, .absent):
            guard let position else { return nil }
            self.init(.own, position: position)
        }
    }
}

extension JSONReader {
    /// Reads a row of a section: `{"section": "fruit", "row": 0}`. A section that is null has the tasks without a section.
    mutating func readSectionRow() throws(JSONTypeError) -> (section: SectionID?, row: Int) {
        var section = Member<SectionID>.absent
        var row: Int?
        try readObject(allowed: ["section", "row"]) { name, reader throws(JSONTypeError) in
            switch name {
            case "section": section = try reader.readMember()
            case "row": row = try reader.readCount()
            default: return false
            }
            return true
        }
        guard section != .absent else { throw missingMember("section") }
        return (section.value, try required(row, "row"))
    }
}
