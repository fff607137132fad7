/// Reads the body of a request in slices while it arrives, so that the body is never in memory as a whole.
///
/// While the reader reads a slice, the connection receives nothing. When the body is complete, the handler is
/// called, and `Request.body` has the bytes that the reader has not read.
package protocol BodyReader: AnyObject, Sendable {
    /// Whether the reader needs the rest of the body. If this is false, the rest is discarded. The handler is called
    /// nevertheless, and must refuse the request.
    var needsMore: Bool { get }

    /// The memory of what was read, in bytes.
    var memoryBytes: Int { get }

    /// Reads a slice of the body. Called on an event loop's thread, so it must not block.
    ///
    /// - Parameter whenDone: call it once, on any thread, with the bytes at the end of the slice that can't be read
    ///   without the bytes after them. The next slice begins with them.
    func read(_ slice: [UInt8], whenDone: @escaping @Sendable (_ rest: [UInt8]) -> Void)
}
