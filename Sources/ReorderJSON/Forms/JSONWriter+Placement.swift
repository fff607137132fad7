import ReorderEngine

extension JSONWriter {
    /// Where a task is, as members of an object that was begun.
    package mutating func members(of placement: Placement) {
        name("section")
        stringOrNull(placement.section)
        name("parent")
        stringOrNull(placement.parent)
        name("position")
        int(placement.position)
        name("row")
        intOrNull(placement.row)
    }
}
