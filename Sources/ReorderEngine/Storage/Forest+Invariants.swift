extension Forest {
    /// The first violated invariant, or nil: links, counts, weights, heights and free lists.
    /// O(nodes).
    func checkInvariants() -> String? {
        var (seenNodes, seenChunks) = (0, 0)
        var pending = [Self.root.index]
        while let owner = pending.popLast() {
            seenNodes += 1
            if seenNodes > nodeCount { return "more nodes are linked than are in use" }
            let record = nodes[Int(owner)]
            if record.isFree { return "node \(owner) is linked and free" }
            var survey = Survey(owner: owner)
            if let wrong = survey.walk(self, from: record.children) { return wrong }
            seenChunks += survey.chunkCount
            if record.childCount != survey.children.count { return "node \(owner): child count" }
            if record.expanded != survey.weight { return "node \(owner): rows below" }
            if record.height != survey.height + 1 { return "node \(owner): height" }
            pending += survey.children
        }
        if seenNodes != nodeCount { return "\(seenNodes) nodes are linked, \(nodeCount) in use" }
        var (free, node) = (0, freeNode)
        while node != absent {
            if !nodes[Int(node)].isFree { return "node \(node) is in use and in the free list" }
            free += 1
            if free > nodes.count { return "the free list of nodes has a cycle" }
            node = nodes[Int(node)].parent
        }
        if free + nodeCount != nodes.count { return "nodes are neither free nor in use" }
        return chunks.checkInvariants(chunksInUse: seenChunks)
    }

    /// The totals of one sibling sequence, computed from its leaves.
    private struct Survey {
        let owner: UInt32
        var children: [UInt32] = []
        var weight: UInt32 = 0
        var height: UInt32 = 0
        var chunkCount = 0

        init(owner: UInt32) { self.owner = owner }

        mutating func walk(_ forest: Forest, from root: UInt32) -> String? {
            if root == absent { return nil }
            var leafLevel: Int?
            var pending = [(chunk: root, level: 0)]
            while let (chunk, level) = pending.popLast() {
                let view = forest.chunks.reading(chunk)
                chunkCount += 1
                if view.isFree { return "chunk \(chunk) is linked and free" }
                if level == 0 {
                    if view.parent != absent { return "chunk \(chunk): parent" }
                    if view.owner != owner { return "chunk \(chunk): owner" }
                }
                if !view.isLeaf || level > 0, view.sizeClass != forest.chunks.regularClass {
                    return "chunk \(chunk): size class"
                }
                if view.count == 0 || view.count > view.capacity { return "chunk \(chunk): count" }
                let ids = UnsafeBufferPointer(start: view.ids, count: view.count)
                if view.isLeaf {
                    if leafLevel ?? level != level { return "leaves at different levels" }
                    leafLevel = level
                    if let wrong = check(leaf: chunk, forest) { return wrong }
                    children += ids
                } else {
                    if level == 0, view.count < 2 { return "root chunk \(chunk) is not needed" }
                    if let wrong = check(inner: chunk, forest) { return wrong }
                    pending += ids.reversed().map { ($0, level + 1) }
                }
            }
            return nil
        }

        private mutating func check(leaf chunk: UInt32, _ forest: Forest) -> String? {
            let view = forest.chunks.reading(chunk)
            var greatest: UInt32 = 0
            for index in 0..<view.count {
                let record = forest.nodes[Int(view.ids[index])]
                if record.leaf != chunk { return "node \(view.ids[index]): leaf" }
                if record.parent != owner { return "node \(view.ids[index]): parent" }
                if record.weight != view.weights[index] { return "chunk \(chunk): weight" }
                weight += record.weight
                greatest = max(greatest, record.height)
            }
            if view.height != greatest { return "chunk \(chunk): height" }
            height = max(height, greatest)
            return nil
        }

        private func check(inner chunk: UInt32, _ forest: Forest) -> String? {
            let view = forest.chunks.reading(chunk)
            var greatest: UInt32 = 0
            for index in 0..<view.count {
                let child = forest.chunks.reading(view.ids[index])
                if child.parent != chunk { return "chunk \(view.ids[index]): parent" }
                if child.siblings != view.counts[index] { return "chunk \(chunk): sibling count" }
                if child.weight != view.weights[index] {
                    return "chunk \(chunk): weight"
                }
                greatest = max(greatest, child.height)
            }
            return view.height == greatest ? nil : "chunk \(chunk): height"
        }
    }
}
