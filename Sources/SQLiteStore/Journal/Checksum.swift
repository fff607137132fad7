/// A checksum of a version's bytes, which detects damage.
///
/// SQLite does not checksum its pages, and a flipped bit can turn a position, a title or a flag
/// into another valid one. Damage within eight bytes is always detected, because each step is a
/// bijection of the state; other damage is detected with a probability of 1 − 2⁻⁶⁴. It does not
/// protect against forgery.
///
/// O(bytes), eight at a time.
func checksum(of bytes: [UInt8], version: Int) -> Int {
    var state = step(0xcbf2_9ce4_8422_2325, UInt64(bitPattern: Int64(version)))
    bytes.withUnsafeBytes { buffer in
        let words = buffer.count / 8
        for word in 0..<words {
            let value = buffer.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
            state = step(state, UInt64(littleEndian: value))
        }
        for byte in buffer[(words * 8)...] {
            state = step(state, UInt64(byte))
        }
        state = step(state, UInt64(buffer.count))
    }
    return Int(Int64(bitPattern: state))
}

private func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
    return product ^ (product >> 32)
}
