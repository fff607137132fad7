/// A value whose parts are members of an object in JSON.
package protocol JSONMembers {
    /// The table of the members, in the order in which they are written and named in messages.
    associatedtype Name: RawRepresentable<JSONName>, CaseIterable

    /// Reads the value of a member.
    mutating func read(_ name: Name, from reader: inout JSONReader) throws(JSONTypeError)
    /// Writes a member, or nothing if it has no value.
    func write(_ name: Name, to writer: inout JSONWriter)
}

extension JSONMembers {
    package static var names: [JSONName] { Name.allCases.map(\.rawValue) }

    /// Reads the value of a member if it is in the table.
    ///
    /// - Returns: false if it is not. Then nothing was read.
    package mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        guard let name = Name(rawValue: name) else { return false }
        try read(name, from: &reader)
        return true
    }
}

extension JSONReader {
    /// Reads an object that has these members only.
    package mutating func read<Members: JSONMembers>(
        into members: inout Members
    ) throws(JSONTypeError) {
        try beginObject()
        while let name = nextMember() {
            guard try members.read(name, from: &self) else {
                throw unknownMember(allowed: Members.names)
            }
        }
    }
}

extension JSONWriter {
    /// Writes all members that have a value.
    package mutating func members<Members: JSONMembers>(of members: Members) {
        for name in Members.Name.allCases { members.write(name, to: &self) }
    }

    /// Writes an object with these members.
    package mutating func object(_ members: some JSONMembers) {
        beginObject()
        self.members(of: members)
        endObject()
    }
}
