/// The limits of titles, `data` and nesting. The limit of ids is in `Identifier`.
package enum FormLimits {
    // Never lower a limit: stored documents are read with the same limits as those of clients.

    /// The maximum length of a title, in bytes of UTF-8.
    package static let titleBytes = 4 << 10
    /// The maximum length of the `data` of a task or section, in bytes without white space.
    package static let dataBytes = 8 << 10
    /// The maximum nesting of arrays and objects in `data`.
    package static let dataNesting = 13
    /// The maximum nesting of a request. An update in a batch contains `data` four levels down. With one
    /// more level, the refusal of data that is too deep can name its place.
    package static let nesting = dataNesting + 5
    /// The maximum nesting of documents written by the server.
    static let storedNesting = nesting + 8
}
