/// Where the forest lists a node: the leaf, and the label that the node has there.
///
/// Neighbours that come and go change a node's index in its leaf, but mostly not its seat. So a seat
/// can be kept elsewhere, and is written anew when the node itself moves, when leaves are split or
/// joined, and now and then when a neighbour comes.
struct Seat: BitwiseCopyable, Equatable {
    /// The leaf in the upper bits, the label in the lower ones.
    private let bits: UInt32
    private static var labelBits: UInt32 { 7 }
    /// Chunks must have smaller numbers: those of 2 GiB have.
    static var limit: Int { 1 << (UInt32.bitWidth - Int(labelBits)) }

    /// That of a node which no leaf lists.
    static var none: Seat { Seat(bits: absent) }
    private init(bits: UInt32) { self.bits = bits }

    @inline(__always)
    init(leaf: UInt32, label: UInt8) {
        bits = leaf &<< Self.labelBits | UInt32(label)
    }

    @inline(__always)
    var leaf: UInt32 { bits &>> Self.labelBits }
    @inline(__always)
    var label: UInt8 { UInt8(truncatingIfNeeded: bits & (1 &<< Self.labelBits - 1)) }
}
