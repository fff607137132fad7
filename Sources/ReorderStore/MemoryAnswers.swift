/// The answers that a `MemoryListStore` keeps.
struct MemoryAnswers {
    private var answers: [AnswerKey: StoredAnswer] = [:]
    /// All keys, in no order, and how many of them this pass of removing is through with.
    private var keys: [AnswerKey] = []
    private var looked = 0

    func find(_ keys: [AnswerKey]) -> [AnswerKey: StoredAnswer] {
        var found: [AnswerKey: StoredAnswer] = [:]
        for key in keys { found[key] = answers[key] }
        return found
    }

    /// - Returns: the first answer whose key has one that counts.
    func conflict(with new: [StoredAnswer]) -> StoredAnswer? {
        guard !new.isEmpty else { return nil }
        var expiries: [AnswerKey: Int64] = [:]
        for answer in new {
            let kept = expiries[answer.key] ?? answers[answer.key]?.expires
            if let kept, kept > answer.at { return answer }
            expiries[answer.key] = answer.expires
        }
        return nil
    }

    mutating func keep(_ new: [StoredAnswer]) {
        for answer in new where answers.updateValue(answer, forKey: answer.key) == nil {
            keys.append(answer.key)
        }
    }

    mutating func remove(expiredAt time: Int64, limit: Int) -> Bool {
        var room = limit
        for _ in 0..<Self.keysInOneLook where looked < keys.count {
            let key = keys[looked]
            if let answer = answers[key], answer.expires > time {
                looked += 1
                continue
            }
            if room == 0 { return true }
            room -= 1
            answers[key] = nil
            keys.swapAt(looked, keys.count - 1)
            keys.removeLast()
        }
        if looked < keys.count { return true }
        looked = 0
        return false
    }

    private static let keysInOneLook = 4_096
}
