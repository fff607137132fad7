/// A valid JSON text, the input of a reader.
package struct JSONText: Sendable {
    /// The text as received.
    package let bytes: [UInt8]

    /// Checks a text with ``JSONSyntax/check(_:maximumDepth:)``.
    package init(checking bytes: [UInt8], maximumDepth: Int = 16) throws(JSONError) {
        try JSONSyntax.check(bytes, maximumDepth: maximumDepth)
        self.bytes = bytes
    }
}
