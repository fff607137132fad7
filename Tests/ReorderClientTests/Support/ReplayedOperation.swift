import Foundation

/// The server's result for an operation that is sent again.
struct ReplayedOperation {
    var status: Int
    /// Whether the server reports that it had decided the operation before.
    var isReplayed: Bool

    /// Batches of operations. Each is small, because a response lists a limited number of tasks.
    static func batches(of operations: [[UInt8]]) -> [[UInt8]] {
        stride(from: 0, to: operations.count, by: 50).map { start in
            let some = operations[start..<min(start + 50, operations.count)]
            return Array(#"{"atomic":false,"ops":["#.utf8) + Array(some.joined(separator: [0x2C]))
                + Array("]}".utf8)
        }
    }

    static func all(in answer: [UInt8]) throws -> [ReplayedOperation] {
        let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        return (object?["results"] as? [[String: Any]] ?? []).map { result in
            ReplayedOperation(
                status: result["status"] as? Int ?? 0,
                isReplayed: result["replayed"] as? Bool ?? false)
        }
    }
}
