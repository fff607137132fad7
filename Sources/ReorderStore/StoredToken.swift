/// A token that was made over HTTP. To a store, its content is bytes.
package struct StoredToken: Sendable, Equatable {
    /// ASCII.
    package var id: String
    package var bytes: [UInt8]
    /// The list of a link to a list. The store removes the token when it deletes this list.
    package var list: String?

    package init(id: String, bytes: [UInt8], list: String? = nil) {
        self.id = id
        self.bytes = bytes
        self.list = list
    }
}
