import Foundation
import ReorderJSON

/// Unambiguous JSON: a duplicate member could have one value here, and another for the software
/// that wrote or signed it.
enum StrictJSON {
    /// The maximum nesting of arrays and objects.
    private static let maximumDepth = 32

    /// - Throws: `JSONError` if the bytes are not such JSON, or an error of the value's decoding.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        _ = try JSONText(checking: bytes, maximumDepth: maximumDepth)
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
