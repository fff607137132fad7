/// Routes by the segments of their paths. Literal segments go before parameters.
struct RouteTree: Sendable {
    struct Match {
        var node: Int
        /// The raw segments at the parameters, in the order of the path.
        var parameters: [Range<Int>]
    }

    private struct Node: Sendable {
        /// Few at each place: comparing bytes beats hashing them.
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var endpoints: [(method: HTTPMethod, endpoint: Int)] = []
    }

    private var nodes = [Node()]

    /// Adds an endpoint. Returns false where this method and path are taken.
    mutating func insert(_ endpoint: Int, method: HTTPMethod, segments: [Substring]) -> Bool {
        var index = 0
        for segment in segments {
            let existing =
                segment.first == ":"
                ? nodes[index].parameter
                : nodes[index].literals.first { $0.segment.elementsEqual(segment.utf8) }?.node
            if let existing {
                index = existing
                continue
            }
            nodes.append(Node())
            if segment.first == ":" {
                nodes[index].parameter = nodes.count - 1
            } else {
                nodes[index].literals.append((Array(segment.utf8), nodes.count - 1))
            }
            index = nodes.count - 1
        }
        guard !nodes[index].endpoints.contains(where: { $0.method == method }) else { return false }
        nodes[index].endpoints.append((method, endpoint))
        return true
    }

    func endpoint(at node: Int, method: HTTPMethod) -> Int? {
        nodes[node].endpoints.first { $0.method == method }?.endpoint
    }

    func methods(at node: Int) -> [HTTPMethod] {
        nodes[node].endpoints.map(\.method)
    }

    /// The node of a path whose segments are each preceded by `separator`.
    ///
    /// Complexity: O(length of the path) but for literals and parameters at the same place.
    func match(_ path: UnsafeBufferPointer<UInt8>, separator: UInt8) -> Match? {
        var parameters: [Range<Int>] = []
        guard let node = descend(from: 0, path, at: 0, separator, &parameters) else { return nil }
        return Match(node: node, parameters: parameters)
    }

    private func descend(
        from node: Int, _ path: UnsafeBufferPointer<UInt8>, at start: Int, _ separator: UInt8,
        _ parameters: inout [Range<Int>]
    ) -> Int? {
        guard start < path.count else { return nodes[node].endpoints.isEmpty ? nil : node }
        guard path[start] == separator else { return nil }
        let first = start + 1
        var end = first
        while end < path.count, path[end] != separator { end += 1 }

        let segment = UnsafeBufferPointer(rebasing: path[first..<end])
        // By index: each literal that is copied has its count changed.
        for index in nodes[node].literals.indices
        where nodes[node].literals[index].segment.elementsEqual(segment) {
            let next = nodes[node].literals[index].node
            if let found = descend(from: next, path, at: end, separator, &parameters) {
                return found
            }
        }
        guard let parameter = nodes[node].parameter, first < end else { return nil }
        parameters.append(first..<end)
        if let found = descend(from: parameter, path, at: end, separator, &parameters) {
            return found
        }
        parameters.removeLast()
        return nil
    }
}
