/// The bodies of a route that are read while they arrive.
package struct StreamedBody: Sendable {
    let mediaType: StaticString
    /// Called when the head of a request has arrived and its route is known.
    let makeReader: @Sendable (Request, _ maximumPartBytes: Int) -> any BodyReader

    /// - Parameters:
    ///   - mediaType: the media type of these bodies. Bodies of other types are kept as a whole.
    ///   - makeReader: makes the reader of a body, on an event loop's thread. `maximumPartBytes` is the maximum
    ///     number of bytes that the reader may need at once; it must refuse a body that needs more.
    package init(
        mediaType: StaticString,
        makeReader: @escaping @Sendable (Request, _ maximumPartBytes: Int) -> any BodyReader
    ) {
        self.mediaType = mediaType
        self.makeReader = makeReader
    }
}
