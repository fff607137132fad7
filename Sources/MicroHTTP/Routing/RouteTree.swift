/// Routes by the segments of their paths. A literal segment takes precedence over a parameter.
struct RouteTree: Sendable {
    /// The node of a path, and the ranges of the parameters in the path, in their order.
    struct Match {
        var node = 0
        private var ranges = (0..<0, 0..<0, 0..<0, 0..<0)
        private(set) var parameterCount = 0

        static let mostParameters = 4

        subscript(index: Int) -> Range<Int> {
            switch index {
            case 0: ranges.0
            case 1: ranges.1
            case 2: ranges.2
            default: ranges.3
            }
        }

        fileprivate mutating func append(_ range: Range<Int>) {
            switch parameterCount {
            case 0: ranges.0 = range
            case 1: ranges.1 = range
            case 2: ranges.2 = range
            default: ranges.3 = range
            }
            parameterCount += 1
        }

        fileprivate mutating func removeLast() { parameterCount -= 1 }
    }

    /// Has no references, so that walking the tree needs no reference counting.
    private struct Node: Sendable {
        /// The literal segment of this node, in `texts`. A node has few children, so comparing is faster than hashing.
        var segment = 0..<0
        /// The first child with a literal segment.
        var firstLiteral: Int?
        /// The next sibling with a literal segment.
        var nextLiteral: Int?
        var parameter: Int?
        var hasRoutes = false
    }

    private var nodes = [Node()]
    private var texts: [UInt8] = []
    /// The routes of each node, as indices in the router's `routes`.
    private var routes: [[(method: HTTPMethod, index: Int)]] = [[]]

    /// Adds a route. Returns false if this method and path are taken.
    mutating func insert(_ route: Int, method: HTTPMethod, segments: [Substring]) -> Bool {
        var index = 0
        for segment in segments {
            let existing =
                segment.first == ":"
                ? nodes[index].parameter : literal(Array(segment.utf8)[...], below: index)
            index = existing ?? addNode(segment, below: index)
        }
        guard self.route(at: index, method: method) == nil else { return false }
        routes[index].append((method, route))
        nodes[index].hasRoutes = true
        return true
    }

    private mutating func addNode(_ segment: Substring, below index: Int) -> Int {
        var node = Node()
        if segment.first == ":" {
            nodes[index].parameter = nodes.count
        } else {
            node.segment = texts.count..<texts.count + segment.utf8.count
            texts += segment.utf8
            // In the order of the routes, of which the most used ones come first.
            if var last = nodes[index].firstLiteral {
                while let next = nodes[last].nextLiteral { last = next }
                nodes[last].nextLiteral = nodes.count
            } else {
                nodes[index].firstLiteral = nodes.count
            }
        }
        nodes.append(node)
        routes.append([])
        return nodes.count - 1
    }

    private func literal(_ segment: ArraySlice<UInt8>, below index: Int) -> Int? {
        var next = nodes[index].firstLiteral
        while let node = next, !texts[nodes[node].segment].elementsEqual(segment) {
            next = nodes[node].nextLiteral
        }
        return next
    }

    func route(at node: Int, method: HTTPMethod) -> Int? {
        for route in routes[node] where route.method == method { return route.index }
        return nil
    }

    func methods(at node: Int) -> [HTTPMethod] {
        routes[node].map(\.method)
    }

    /// The node of a path whose segments are each preceded by `separator`.
    ///
    /// Complexity: O(length of the path). It is more if a segment matches both a literal and a
    /// parameter.
    func match(_ path: UnsafeBufferPointer<UInt8>, separator: UInt8) -> Match? {
        var match = Match()
        let isFound = nodes.withUnsafeBufferPointer { nodes in
            texts.withUnsafeBufferPointer { texts in
                Self.descend(from: 0, nodes, texts, path, at: 0, separator, &match)
            }
        }
        return isFound ? match : nil
    }

    private static func descend(
        from node: Int, _ nodes: UnsafeBufferPointer<Node>, _ texts: UnsafeBufferPointer<UInt8>,
        _ path: UnsafeBufferPointer<UInt8>, at start: Int, _ separator: UInt8, _ match: inout Match
    ) -> Bool {
        guard start < path.count else {
            match.node = node
            return nodes[node].hasRoutes
        }
        guard path[start] == separator else { return false }
        let first = start + 1
        var end = first
        while end < path.count, path[end] != separator { end += 1 }

        var literal = nodes[node].firstLiteral
        while let next = literal {
            let segment = nodes[next].segment
            if segment.count == end - first, equal(texts, segment.lowerBound, path, first..<end) {
                if descend(from: next, nodes, texts, path, at: end, separator, &match) {
                    return true
                }
            }
            literal = nodes[next].nextLiteral
        }
        guard let parameter = nodes[node].parameter, first < end else { return false }
        match.append(first..<end)
        if descend(from: parameter, nodes, texts, path, at: end, separator, &match) { return true }
        match.removeLast()
        return false
    }

    private static func equal(
        _ texts: UnsafeBufferPointer<UInt8>, _ start: Int,
        _ path: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Bool {
        for index in range where texts[start + index - range.lowerBound] != path[index] {
            return false
        }
        return true
    }
}
