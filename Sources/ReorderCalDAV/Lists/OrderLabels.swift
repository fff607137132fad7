import ReorderEngine
import ReorderJSON

/// The sort keys of siblings, which the server keeps ascending in the order of the list.
///
/// Clients that move a task below another one give it the next key, and then push those below down, one after
/// another, until no two keys are equal. So equal keys stay as they are until their tasks were not changed for a
/// while.
struct OrderLabels {
    struct Sibling: Sendable {
        /// nil without a key.
        var key: Int?
        /// When the task was changed, in milliseconds since 1970.
        var changedAt: Int64?
    }

    /// How long equal keys of tasks that do not change are left.
    static let quietMilliseconds: Int64 = 30_000

    /// The keys, in the order of the siblings.
    private(set) var keys: [Int]
    /// When equal keys that were left have to be looked at again; nil if there are none.
    private(set) var nextCheck: Int64?

    /// Gives all siblings keys, and changes as few as possible. O(n log n).
    ///
    /// - Parameter now: in milliseconds since 1970.
    init(repairing given: [Sibling], now: Int64) {
        var siblings = given
        // Keys that the server does not make are left as long as equal ones.
        for (index, sibling) in siblings.enumerated() {
            guard let key = sibling.key, !OrderKey.made.contains(key) else { continue }
            if let end = Self.end(of: sibling.changedAt, now) {
                nextCheck = min(nextCheck ?? .max, end)
            } else {
                siblings[index].key = nil
            }
        }
        let known = siblings.compactMap(\.key)
        if known.count == siblings.count, zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) {
            keys = known
            return
        }
        var kept = [Int?](repeating: nil, count: siblings.count)
        for index in Self.ascending(siblings, now, &nextCheck) { kept[index] = siblings[index].key }
        keys = []
        fill(&kept, now)
        keys = kept.map { $0 ?? OrderKey.made.lowerBound }
    }

    /// Where a task belongs that a client gives this key, among its siblings without it.
    ///
    /// Before the first larger key. Among equal ones, a new task is the last, because the client has put it after them;
    /// another one is the first, because the client takes the next key of the one above.
    func place(of key: Int, isNew: Bool) -> Int {
        keys.firstIndex { isNew ? $0 > key : $0 >= key } ?? keys.count
    }

    /// The key of a task that is added at the end; nil if all are used.
    func next(now: Int64) -> Int? {
        let time = min(max(OrderKey.at(now), OrderKey.made.lowerBound), OrderKey.made.upperBound)
        let key = max((keys.last ?? 0) + 1, time)
        return key <= OrderKey.made.upperBound ? key : nil
    }

    // MARK: Repair

    /// The siblings that keep their keys: a longest ascending run.
    private static func ascending(
        _ siblings: [Sibling], _ now: Int64, _ nextCheck: inout Int64?
    ) -> [Int] {
        var ties: [Int: [Int]] = [:]
        let indices = siblings.indices.filter { siblings[$0].key != nil }
        for index in indices { ties[siblings[index].key ?? 0, default: []].append(index) }
        // For each key with several tasks, whether it is left.
        var isLeft: [Int: Bool] = [:]
        for (key, indices) in ties where indices.count > 1 {
            let end = end(of: indices.compactMap { siblings[$0].changedAt }.max(), now)
            let areNeighbors = indices.last == (indices.first ?? 0) + indices.count - 1
            isLeft[key] = areNeighbors && end != nil
            if let end, areNeighbors { nextCheck = min(nextCheck ?? .max, end) }
        }
        let sorted = indices.sorted { one, other in
            let (key, otherKey) = (siblings[one].key ?? 0, siblings[other].key ?? 0)
            if key != otherKey { return key < otherKey }
            return (isLeft[key] == true) == (one < other)
        }
        var rank = [Int](repeating: 0, count: siblings.count)
        for (position, index) in sorted.enumerated() { rank[index] = position }
        return longestIncreasingSubsequence(of: indices.map { rank[$0] }).map { indices[$0] }
    }

    /// When a task that was changed at a time is quiet; nil if it is.
    private static func end(of changedAt: Int64?, _ now: Int64) -> Int64? {
        guard let changedAt else { return nil }
        let end = changedAt + quietMilliseconds
        // A time that is far ahead is wrong.
        return end > now && end <= now + 2 * quietMilliseconds ? end : nil
    }

    /// Gives keys to the runs without one.
    private func fill(_ keys: inout [Int?], _ now: Int64) {
        var start = 0
        while start < keys.count {
            guard keys[start] == nil else {
                start += 1
                continue
            }
            var end = start
            while end < keys.count, keys[end] == nil { end += 1 }
            var window = start..<end
            if !append(window, &keys, now), !prepend(window, &keys) {
                while !spread(window, &keys) { widen(&window, keys) }
            }
            start = window.upperBound
        }
    }

    /// At the end: up to now, or after the last one.
    private func append(_ window: Range<Int>, _ keys: inout [Int?], _ now: Int64) -> Bool {
        guard window.upperBound == keys.count else { return false }
        let last = window.lowerBound > 0 ? keys[window.lowerBound - 1] ?? 0 : 0
        let time = min(max(OrderKey.at(now), OrderKey.made.lowerBound), OrderKey.made.upperBound)
        let first = time - (window.count - 1) * OrderKey.step
        let (start, step) =
            first > last && first >= OrderKey.made.lowerBound
            ? (first, OrderKey.step) : (max(last + 1, OrderKey.made.lowerBound), 1)
        guard start + (window.count - 1) * step <= OrderKey.made.upperBound else { return false }
        for (offset, index) in window.enumerated() { keys[index] = start + offset * step }
        return true
    }

    /// At the beginning, before the first one.
    private func prepend(_ window: Range<Int>, _ keys: inout [Int?]) -> Bool {
        guard window.lowerBound == 0, window.upperBound < keys.count,
            let next = keys[window.upperBound]
        else { return false }
        let start = min(next, OrderKey.made.upperBound + 1) - window.count * OrderKey.step
        guard start >= OrderKey.made.lowerBound else { return false }
        for (offset, index) in window.enumerated() { keys[index] = start + offset * OrderKey.step }
        return true
    }

    /// The keys around a window; nothing is smaller or larger than the keys that the server makes.
    private func bounds(_ window: Range<Int>, _ keys: [Int?]) -> (low: Int, high: Int) {
        let low = window.lowerBound > 0 ? keys[window.lowerBound - 1] ?? 0 : 0
        let high = window.upperBound < keys.count ? keys[window.upperBound] ?? 0 : .max
        return (
            max(low, OrderKey.made.lowerBound - 1), min(high, OrderKey.made.upperBound + 1)
        )
    }

    /// Between the keys around: in the middle, or with equal distances.
    private func spread(_ window: Range<Int>, _ keys: inout [Int?]) -> Bool {
        let (low, high) = bounds(window, keys)
        guard high - low > window.count else { return false }
        for (offset, index) in window.enumerated() {
            keys[index] = low + (high - low) * (offset + 1) / (window.count + 1)
        }
        return true
    }

    /// Adds the neighbor beyond which there is more room.
    private func widen(_ window: inout Range<Int>, _ keys: [Int?]) {
        func room(_ window: Range<Int>) -> Int {
            guard window.lowerBound >= 0, window.upperBound <= keys.count else { return .min }
            let (low, high) = bounds(window, keys)
            return high - low - window.count
        }
        let left = window.lowerBound - 1..<window.upperBound
        var right = window.lowerBound..<window.upperBound + 1
        while right.upperBound < keys.count, keys[right.upperBound] == nil {
            right = right.lowerBound..<right.upperBound + 1
        }
        window = room(left) >= room(right) ? left : right
    }
}
