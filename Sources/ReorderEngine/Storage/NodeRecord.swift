/// The handle of a node in a `Forest`; it is reused after the node is removed.
struct NodeID: Hashable, Sendable {
    var index: UInt32
}

/// "No node", "no chunk" in the fields of records.
let absent = UInt32.max

/// A forest's record of a node.
struct NodeRecord: BitwiseCopyable {
    /// The parent's index; in a free record the index of the next free one.
    var parent: UInt32
    /// The leaf that lists the node among its siblings, or `absent`.
    var leaf: UInt32
    /// The root chunk of the children's tree, or `absent`.
    var children: UInt32
    var childCount: UInt32
    /// The number of rows below the node that are visible when it is expanded.
    var expanded: UInt32
    private var heightAndFlags: UInt32

    init(isRow: Bool) {
        parent = absent
        leaf = absent
        children = absent
        childCount = 0
        expanded = 0
        heightAndFlags = 1 << Self.heightShift | (isRow ? Self.rowBit : 0)
    }

    private static var rowBit: UInt32 { 1 }
    private static var collapsedBit: UInt32 { 2 }
    private static var freeBit: UInt32 { 4 }
    private static var heightShift: UInt32 { 3 }

    /// Whether the node is a row; sections and the root are not.
    @inline(__always)
    var isRow: Bool { heightAndFlags & Self.rowBit != 0 }

    @inline(__always)
    var isCollapsed: Bool {
        get { heightAndFlags & Self.collapsedBit != 0 }
        set {
            heightAndFlags =
                heightAndFlags & ~Self.collapsedBit | (newValue ? Self.collapsedBit : 0)
        }
    }

    @inline(__always)
    var isFree: Bool { heightAndFlags & Self.freeBit != 0 }

    /// The number of levels of the subtree: 1 for a leaf.
    @inline(__always)
    var height: UInt32 {
        get { heightAndFlags &>> Self.heightShift }
        set {
            let flags = heightAndFlags & (1 &<< Self.heightShift - 1)
            heightAndFlags = newValue &<< Self.heightShift | flags
        }
    }

    /// 1 if the node is a row, else 0.
    @inline(__always)
    var ownWeight: UInt32 { heightAndFlags & Self.rowBit }

    /// The number of rows below the node that are visible if the node itself is visible.
    @inline(__always)
    var visibleDescendants: UInt32 { isCollapsed ? 0 : expanded }

    /// The number of rows that the subtree adds to its parent.
    @inline(__always)
    var weight: UInt32 { ownWeight &+ visibleDescendants }

    /// Turns the record into an element of the free list.
    mutating func free(next: UInt32) {
        self = NodeRecord(isRow: false)
        parent = next
        heightAndFlags |= Self.freeBit
    }
}
