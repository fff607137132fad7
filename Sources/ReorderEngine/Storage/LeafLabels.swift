/// The labels of the nodes that a leaf lists: numbers below 127 that ascend as the nodes do.
///
/// They are a set of bits, so a label tells the index of its node: as many nodes stand before it as
/// there are lower labels. These 16 bytes stand apart from the leaf, because so those of all leaves
/// are few enough to stay in a processor's caches: from its seat a node's index and the rows before
/// it are known without the leaf.
///
/// There are three labels for each node that a leaf has room for. So one that comes mostly finds
/// a label between those of its neighbours; where not, a few of them make room.
struct LeafLabels: BitwiseCopyable {
    private var bits: UInt128 = 0

    /// As many labels as there are, and where `bits` tells of weights.
    private static let end = 127
    private static var weightsBit: UInt128 { 1 &<< UInt128(end) }

    /// No labels.
    init() {}

    /// Those of `count` nodes of a leaf for `capacity`, with room where it is going to grow.
    init(of count: Int, capacity: Int, growing: Forest.Split) {
        let places = growing == .middle ? count : capacity
        let first = growing == .first ? capacity - count : 0
        for place in first..<(first + count) { insert((2 * place + 1) * Self.end / (2 * places)) }
    }

    /// Whether a node of the leaf weighs other than 1.
    @inline(__always)
    var hasWeights: Bool {
        get { bits & Self.weightsBit != 0 }
        set { bits = bits & ~Self.weightsBit | (newValue ? Self.weightsBit : 0) }
    }

    /// The index of the node with this label. O(1).
    @inline(__always)
    func index(of label: UInt8) -> Int {
        (bits & (1 &<< UInt128(label) &- 1)).nonzeroBitCount
    }

    /// The label of the node at `index`, which is there. O(labels of the leaf).
    func label(at index: Int) -> Int {
        let low = UInt64(truncatingIfNeeded: bits)
        let lowCount = low.nonzeroBitCount
        let isLow = index < lowCount
        var rest = isLow ? low : UInt64(truncatingIfNeeded: bits &>> 64)
        for _ in 0..<(isLow ? index : index - lowCount) { rest &= rest &- 1 }
        return rest.trailingZeroBitCount + (isLow ? 0 : 64)
    }

    /// The lowest label above this one, or 127. O(1).
    @inline(__always)
    func label(after label: Int) -> Int {
        label + 1 + ((bits | Self.weightsBit) &>> UInt128(label + 1)).trailingZeroBitCount
    }

    /// Makes a label for a node that comes to stand at `index` among `count` others, which leave room
    /// for it in the leaf.
    ///
    /// - Returns: the label, and the indices, the new node counted, of those that have another label
    ///   now.
    mutating func insert(
        at index: Int, among count: Int, capacity: Int
    ) -> (label: Int, changed: Range<Int>) {
        let below = index == 0 ? -1 : label(at: index - 1)
        let above = label(after: below)
        let gap = above - below
        if gap > 1 {
            // At an end more are likely to come.
            let share = max(1, gap / (capacity - count + 1))
            let label =
                index == count ? below + share : index == 0 ? above - share : below + gap / 2
            insert(label)
            return (label, index..<index)
        }
        // The nearest label that is free: as many nodes as stand before it make room.
        let taken = bits | Self.weightsBit
        let up = (~taken &>> UInt128(above)).trailingZeroBitCount
        let down = below < 0 ? Self.end : (~taken &<< UInt128(Self.end - below)).leadingZeroBitCount
        if up <= down {
            insert(above + up)
            return (above, index + 1..<index + 1 + up)
        }
        insert(below - down)
        return (below, index - down..<index)
    }

    private mutating func insert(_ label: Int) { bits |= 1 &<< UInt128(label) }

    /// Takes back the label of a node that is listed no more. O(1).
    mutating func remove(_ label: UInt8) { bits &= ~(1 &<< UInt128(label)) }

    /// Takes back the labels of the first nodes, or of all but these. O(labels of the leaf).
    mutating func removeFirst(_ count: Int) {
        bits &= Self.weightsBit | ~Self.labels(below: count == 0 ? 0 : label(at: count - 1) + 1)
    }
    mutating func keepFirst(_ count: Int) {
        bits &= Self.weightsBit | Self.labels(below: count == 0 ? 0 : label(at: count - 1) + 1)
    }

    private static func labels(below label: Int) -> UInt128 { 1 &<< UInt128(label) &- 1 }

    /// Nil, or what is wrong.
    func checkInvariants(count: Int, hasWeights: Bool) -> String? {
        if self.hasWeights != hasWeights { return "whether it has weights" }
        let labels = (bits & ~Self.weightsBit).nonzeroBitCount
        return labels == count ? nil : "\(labels) labels"
    }
}
