/// A text of a list that many tasks refer to: a string, and its UTF-8 bytes at a fixed address. A reader of
/// the list refers to the bytes without counting references.
///
/// `@unchecked Sendable`: the bytes are written only by `init`.
final class FixedText: @unchecked Sendable {
    let string: String
    /// Valid as long as something holds the text.
    let bytes: UnsafeBufferPointer<UInt8>

    init(_ string: String) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: string.utf8.count)
        _ = copy.initialize(fromContentsOf: string.utf8)
        self.string = string
        bytes = UnsafeBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
