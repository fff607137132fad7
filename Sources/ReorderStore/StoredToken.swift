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

/// Which tokens a read returns.
package enum TokenQuery: Sendable, Equatable {
    /// The first tokens after an id; nil: from the first.
    case page(after: String?, limit: Int)
    /// The tokens with these ids, which are different.
    case ids([String])
    /// The links to a list.
    case links(list: String)
}

/// Shows whether tokens were added or removed. The greatest id would not do: a token can be stored after one with a
/// greater id, and while another one is removed.
package struct TokenState: Sendable, Equatable {
    package var count: Int
    /// The sum of `checksum(of:)` of all ids.
    package var checksum: Int

    package init(count: Int, checksum: Int) {
        self.count = count
        self.checksum = checksum
    }

    package init(of ids: some Sequence<String>) {
        self.init(count: 0, checksum: 0)
        for id in ids { add(1, id) }
    }

    mutating func add(_ number: Int, _ id: String) {
        count += number
        checksum += number * Self.checksum(of: id)
    }

    /// A number made of the last five bytes of an id, which are random in a UUID. PostgreSQL computes the same.
    private static func checksum(of id: String) -> Int {
        let bytes = Array(id.utf8.suffix(5))
        return (1...5).reduce(0) { sum, place in
            guard let byte = bytes.suffix(place).first else { return sum }
            return sum + Int(byte) << (7 * (place - 1))
        }
    }
}

/// The ids of tokens, ascending, and of the links to each list.
package struct TokenIndex: Sendable {
    package private(set) var ids: [String] = []
    private var lists: [String: String] = [:]
    private var idsOfLists: [String: Set<String>] = [:]

    package private(set) var state = TokenState(count: 0, checksum: 0)

    package init() {}

    /// The ids of the links to a list.
    package func links(to list: String) -> Set<String> { idsOfLists[list] ?? [] }

    /// Adding an id again does nothing. Complexity: O(log number) for a new greatest id.
    package mutating func insert(_ id: String, list: String?) {
        let place = place(of: id)
        guard place == ids.count || ids[place] != id else { return }
        ids.insert(id, at: place)
        state.add(1, id)
        lists[id] = list
        if let list { idsOfLists[list, default: []].insert(id) }
    }

    package mutating func remove(_ id: String) {
        let place = place(of: id)
        guard place < ids.count, ids[place] == id else { return }
        ids.remove(at: place)
        state.add(-1, id)
        guard let list = lists.removeValue(forKey: id) else { return }
        idsOfLists[list]?.remove(id)
        if idsOfLists[list]?.isEmpty == true { idsOfLists[list] = nil }
    }

    /// The ids after another one.
    package func ids(after id: String) -> ArraySlice<String> {
        let place = place(of: id)
        return ids[(place < ids.count && ids[place] == id ? place + 1 : place)...]
    }

    /// The index of the first id that is not less.
    private func place(of id: String) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
