import Foundation
import ReorderJSON

/// JSON of which there is one reading only: a member that stands twice would be one value here, and
/// another to whoever wrote or signed it.
enum StrictJSON {
    /// How deep arrays and objects may be nested.
    private static let maximumDepth = 32

    /// - Throws: `JSONError` where it is none, or what the value's own decoding throws.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        _ = try JSONText(checking: bytes, maximumDepth: maximumDepth)
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
