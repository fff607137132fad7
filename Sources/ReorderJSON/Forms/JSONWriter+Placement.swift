import ReorderEngine

extension JSONWriter {
    /// Writes a placement as members of the current object.
    package mutating func members(of placement: Placement) {
        let texts = (placement.section?.utf8.count ?? 0) + (placement.parent?.utf8.count ?? 0)
        compose(atMost: texts * Self.maximumEscapedBytes + 2 * Self.maximumDigits + 60) { end in
            end.write(#""section":"#)
            end.write(quotedOrNull: placement.section)
            end.write(#","parent":"#)
            end.write(quotedOrNull: placement.parent)
            end.write(#","position":"#)
            end.write(placement.position)
            end.write(#","row":"#)
            if let row = placement.row { end.write(row) } else { end.write("null") }
        }
    }
}
