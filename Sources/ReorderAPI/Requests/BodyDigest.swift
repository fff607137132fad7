import ReorderCrypto

/// A digest of a body that is read in pieces. It does not depend on the sizes of the pieces: it is a chain of the
/// digests of blocks.
struct BodyDigest: Sendable {
    private static let blockBytes = 64 << 10
    private var chain = [UInt8](repeating: 0, count: SHA256.byteCount)
    /// Less than a block.
    private var block: [UInt8] = []

    mutating func add(_ piece: ArraySlice<UInt8>) {
        var piece = piece
        while block.count + piece.count >= Self.blockBytes {
            let part = piece.prefix(Self.blockBytes - block.count)
            chain = SHA256.digest(of: chain + block + part)
            block = []
            piece = piece.dropFirst(part.count)
        }
        block += piece
    }

    /// The digest of all pieces.
    var value: [UInt8] { SHA256.digest(of: chain + block) }
}
