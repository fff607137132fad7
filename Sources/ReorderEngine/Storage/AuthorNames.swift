/// The authors of a list's changes, with a number for each, so that a task needs only the numbers.
///
/// It is a value. A name stays until the list is loaded again, even if no task refers to it any
/// more.
struct AuthorNames: Sendable {
    private var names: [FixedText] = []
    /// By the UTF-8 bytes, because equal strings can have different bytes.
    private var numbers: [[UInt8]: UInt32] = [:]

    /// The approximate memory in bytes.
    private(set) var byteCount = 0

    /// Without the three copies of the text.
    private static let bytesPerName = 160

    /// The number of a name, which is added if it is new; 0 for an unknown author. O(1), but
    /// O(names) if a name is new.
    mutating func number(of name: String?) -> UInt32 {
        guard let name else { return 0 }
        let bytes = Array(name.utf8)
        if let number = numbers[bytes] { return number }
        names.append(FixedText(name))
        byteCount += Self.bytesPerName + 3 * bytes.count
        let number = UInt32(names.count)
        numbers[bytes] = number
        return number
    }

    /// The name with a number; nil for 0.
    @inline(__always)
    func name(of number: UInt32) -> FixedText? { number == 0 ? nil : names[Int(number) - 1] }
}
