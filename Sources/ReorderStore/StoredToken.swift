/// A token that was made over HTTP. To a store, its content is bytes.
package struct StoredToken: Sendable, Equatable {
    /// ASCII.
    package var id: String
    package var bytes: [UInt8]

    package init(id: String, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}
