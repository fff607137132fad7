/// The stored responses of a `MemoryListStore`.
struct MemoryResponses {
    private var responses: [StoredResponseKey: StoredResponse] = [:]
    /// All keys, in no particular order, and the number of them that the current removal pass has
    /// checked.
    private var keys: [StoredResponseKey] = []
    private var checkedCount = 0

    func find(_ keys: [StoredResponseKey]) -> [StoredResponseKey: StoredResponse] {
        var found: [StoredResponseKey: StoredResponse] = [:]
        for key in keys { found[key] = responses[key] }
        return found
    }

    /// - Returns: the first new response whose key already has an unexpired response.
    func conflict(with new: [StoredResponse]) -> StoredResponse? {
        guard !new.isEmpty else { return nil }
        var expiries: [StoredResponseKey: Int64] = [:]
        for answer in new {
            let kept = expiries[answer.key] ?? responses[answer.key]?.expires
            if let kept, kept > answer.at { return answer }
            expiries[answer.key] = answer.expires
        }
        return nil
    }

    mutating func keep(_ new: [StoredResponse]) {
        for answer in new where responses.updateValue(answer, forKey: answer.key) == nil {
            keys.append(answer.key)
        }
    }

    mutating func remove(expiredAt time: Int64, limit: Int) -> Bool {
        var room = limit
        for _ in 0..<Self.keysPerCall where checkedCount < keys.count {
            let key = keys[checkedCount]
            if let answer = responses[key], answer.expires > time {
                checkedCount += 1
                continue
            }
            if room == 0 { return true }
            room -= 1
            responses[key] = nil
            keys.swapAt(checkedCount, keys.count - 1)
            keys.removeLast()
        }
        if checkedCount < keys.count { return true }
        checkedCount = 0
        return false
    }

    private static let keysPerCall = 4_096
}
