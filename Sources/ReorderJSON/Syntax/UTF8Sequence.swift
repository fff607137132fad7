extension UnsafeBufferPointer<UInt8> {
    /// The length of the well-formed UTF-8 sequence of several bytes at `index` (2 to 4), or 0:
    /// overlong forms, surrogates and values above U+10FFFF are not well-formed (Unicode, table
    /// 3-7).
    @inline(__always)
    func lengthOfUTF8Sequence(at index: Int) -> Int {
        let first = self[index]
        let left = count - index
        switch first {
        case 0xC2...0xDF:
            return left >= 2 && isContinuation(at: index + 1) ? 2 : 0
        case 0xE0...0xEF:
            guard left >= 3, isContinuation(at: index + 1), isContinuation(at: index + 2) else {
                return 0
            }
            let second = self[index + 1]
            if first == 0xE0 && second < 0xA0 || first == 0xED && second > 0x9F { return 0 }
            return 3
        case 0xF0...0xF4:
            guard left >= 4, isContinuation(at: index + 1), isContinuation(at: index + 2),
                isContinuation(at: index + 3)
            else { return 0 }
            let second = self[index + 1]
            if first == 0xF0 && second < 0x90 || first == 0xF4 && second > 0x8F { return 0 }
            return 4
        default:
            return 0
        }
    }

    @inline(__always)
    private func isContinuation(at index: Int) -> Bool { self[index] & 0xC0 == 0x80 }
}

extension [UInt8] {
    /// Appends a scalar's UTF-8. `scalar` must not be a surrogate, and must be at most U+10FFFF.
    mutating func append(utf8Of scalar: UInt32) {
        switch scalar {
        case ..<0x80:
            append(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            appendContinuation(scalar)
        case ..<0x10000:
            append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            appendContinuation(scalar >> 6)
            appendContinuation(scalar)
        default:
            append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            appendContinuation(scalar >> 12)
            appendContinuation(scalar >> 6)
            appendContinuation(scalar)
        }
    }

    private mutating func appendContinuation(_ bits: UInt32) {
        append(UInt8(truncatingIfNeeded: 0x80 | bits & 0x3F))
    }
}
