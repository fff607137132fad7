import ReorderEngine

extension TaskContent {
    /// The id that a member of the task's `data` contains, for example the list that a task of an
    /// index stands for; nil if the member is missing or is no id.
    package func reference(_ member: StaticString) -> String? {
        guard let data, let text = try? JSONText(checking: Array(data.utf8)) else { return nil }
        var reader = JSONReader(text)
        guard (try? reader.beginObject()) != nil else { return nil }
        while let name = reader.nextMember() {
            switch name {
            case member:
                return (try? reader.readString()).flatMap { Identifier.isValid($0) ? $0 : nil }
            default: reader.skip()
            }
        }
        return nil
    }
}
