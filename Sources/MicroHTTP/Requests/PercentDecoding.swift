/// Appends `bytes` to `output` with each `%XX` replaced by its byte.
///
/// Returns false if a `%` is not followed by two hexadecimal digits; then `output` is invalid.
func appendPercentDecoded<Bytes: Sequence<UInt8>>(
    _ bytes: Bytes, to output: inout [UInt8]
) -> Bool {
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
        guard byte == UInt8(ascii: "%") else {
            output.append(byte)
            continue
        }
        guard let high = iterator.next().flatMap(hexadecimalValue),
            let low = iterator.next().flatMap(hexadecimalValue)
        else { return false }
        output.append(high << 4 | low)
    }
    return true
}

private func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
