/// A request method. Methods are case-sensitive.
package enum HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    case get, head, post, put, patch, delete, options
    case other(String)

    /// The method of a route that handles all of them.
    static let any = HTTPMethod.other("*")

    package init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self =
            switch bytes.count {
            case 3 where bytes.equals("GET"): .get
            case 3 where bytes.equals("PUT"): .put
            case 4 where bytes.equals("POST"): .post
            case 4 where bytes.equals("HEAD"): .head
            case 5 where bytes.equals("PATCH"): .patch
            case 6 where bytes.equals("DELETE"): .delete
            case 7 where bytes.equals("OPTIONS"): .options
            default: .other(String(decoding: bytes, as: UTF8.self))
            }
    }

    static let known: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options]

    package var rawValue: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }

    package var description: String { rawValue }

    /// Whether it is GET or HEAD.
    package var isRead: Bool {
        switch self {
        case .get, .head: true
        default: false
        }
    }
}
