import Foundation
import ReorderJSON

/// Decodes unambiguous JSON only. For example, a duplicate member could have one value here, and
/// another value for the software that wrote or signed the JSON.
enum StrictJSON {
    /// The maximum nesting of arrays and objects.
    private static let maximumDepth = 32

    /// - Throws: `JSONError` if the bytes are not such JSON, or an error of the value's decoding.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        _ = try JSONText(checking: bytes, maximumDepth: maximumDepth)
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
