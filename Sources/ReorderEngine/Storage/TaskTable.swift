/// The tasks' contents by node, and the lookup of a node by its task's id.
///
/// Ids are compared as UTF-8 bytes. It is a value: a copy costs O(1) and does not change when the
/// original does (see `PagedMemory`). Texts are packed (`TextStore`), and so is the lookup
/// (`HashIndex`).
struct TaskTable: Sendable {
    private var texts = TextStore()
    private var index = HashIndex()
    private var records = PagedArray<Record>()
    private var authors = AuthorNames()
    /// The number of tasks. O(1).
    private(set) var count = 0

    /// Bytes of memory. O(1).
    var byteCount: Int {
        texts.byteCount + index.byteCount + records.byteCount + authors.byteCount
    }

    /// A node's reference to its text and to its entry in the index.
    private struct Record: BitwiseCopyable {
        /// The handle of the text; 0 if the node has no task.
        var text: UInt32
        var hash: UInt32
    }

    init() {}

    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Adds a task; neither its id nor the node may be in the table. O(1) amortized.
    mutating func insert(
        _ node: NodeID, id: String, title: String, data: String?, done: Bool, locked: Bool,
        stamps: TaskStamps = TaskStamps()
    ) {
        let missing = Int(node.index) + 1 - records.count
        if missing > 0 { records.append(repeating: Record(text: 0, hash: 0), count: missing) }
        precondition(records[Int(node.index)].text == 0, "the node has a task already")
        let flags = (done ? TextBlock.doneBit : 0) | (locked ? TextBlock.lockedBit : 0)
        let stamps = packed(stamps, isDone: done)
        withUTF8Bytes(id, title, data) { id, title, data in
            let byteCount = TextBlock.byteCount(id: id, title: title, data: data)
            let (handle, base) = texts.allocate(byteCount: byteCount)
            TextBlock.write(
                flags: flags, stamps: stamps, id: id, title: title, data: data, at: base)
            let hash = Self.hash(id)
            index.insert(node.index, hash: hash)
            records[Int(node.index)] = Record(text: handle, hash: hash)
        }
        count += 1
        compactSparsePages()
    }

    /// Removes the task of `node`. O(1) amortized.
    mutating func remove(_ node: NodeID) {
        let record = records[Int(node.index)]
        precondition(record.text != 0, "the node has no task")
        index.remove(node.index, hash: record.hash)
        records[Int(node.index)].text = 0
        count -= 1
        texts.free(record.text)
        compactSparsePages()
    }

    /// The node of the task with this id. O(1) expected.
    func node(for id: String) -> NodeID? {
        withUTF8Bytes(id) { find($0, hash: Self.hash($0)) }
    }

    /// The handle of a node's text, valid until the task is changed.
    func text(of node: NodeID) -> UInt32 { records.pointer(at: Int(node.index)).pointee.text }

    /// A task's content. `collapsed` is not in the table.
    func content(of node: NodeID, collapsed: Bool) -> TaskContent {
        let block = block(node)
        let (id, title, data) = block.parts
        return TaskContent(
            id: String(decoding: id, as: UTF8.self), title: String(decoding: title, as: UTF8.self),
            collapsed: collapsed, locked: block.flags & TextBlock.lockedBit != 0,
            done: block.flags & TextBlock.doneBit != 0,
            data: data.map { String(decoding: $0, as: UTF8.self) }, stamps: stamps(of: block))
    }

    /// A reference to a task's texts and flags, by the handle of its text.
    func block(at text: UInt32) -> TextBlock { texts.block(text) }

    func id(of node: NodeID) -> String { String(decoding: block(node).id, as: UTF8.self) }
    func title(of node: NodeID) -> String { String(decoding: block(node).title, as: UTF8.self) }
    func data(of node: NodeID) -> String? {
        block(node).data.map { String(decoding: $0, as: UTF8.self) }
    }
    func stamps(of node: NodeID) -> TaskStamps { stamps(of: block(node)) }
    func updatedAt(of node: NodeID) -> Int64? { block(node).stamps.updatedAt }
    func isDone(_ node: NodeID) -> Bool { block(node).flags & TextBlock.doneBit != 0 }
    func isLocked(_ node: NodeID) -> Bool { block(node).flags & TextBlock.lockedBit != 0 }

    /// The UTF-8 bytes of the id, without a copy; valid in `body` only.
    func withIDBytes<Result>(of node: NodeID, _ body: (Bytes) throws -> Result) rethrows -> Result {
        try body(block(node).id)
    }

    /// The UTF-8 bytes of the title, without a copy; valid in `body` only.
    func withTitleBytes<Result>(
        of node: NodeID, _ body: (Bytes) throws -> Result
    ) rethrows -> Result {
        try body(block(node).title)
    }

    /// The UTF-8 bytes of the data, without a copy; nil if the task has none; valid in `body` only.
    func withDataBytes<Result>(
        of node: NodeID, _ body: (Bytes?) throws -> Result
    ) rethrows -> Result {
        try body(block(node).data)
    }

    /// Changes a task's title. O(1) amortized, like the other setters.
    mutating func setTitle(of node: NodeID, _ title: String) {
        withUTF8Bytes(title) { title in
            rewrite(node) { ($0.id, title, $0.data) }
        }
        compactSparsePages()
    }

    mutating func setData(of node: NodeID, _ data: String?) {
        withOptionalUTF8Bytes(data) { data in
            rewrite(node) { ($0.id, $0.title, data) }
        }
        compactSparsePages()
    }

    /// - Parameter stamp: when and by whom the task was done; nil if unknown. Ignored if it is not
    ///   done.
    mutating func setDone(of node: NodeID, _ done: Bool, _ stamp: ChangeStamp? = nil) {
        setFlag(TextBlock.doneBit, done, of: node)
        var stamps = stamps(of: node)
        stamps.completedAt = stamp?.time
        stamps.completedBy = stamp?.author
        setStamps(of: node, stamps)
    }

    mutating func setLocked(of node: NodeID, _ locked: Bool) {
        setFlag(TextBlock.lockedBit, locked, of: node)
    }

    /// Ignores when and by whom the task was done if it is not done.
    mutating func setStamps(of node: NodeID, _ stamps: TaskStamps) {
        let stamps = packed(stamps, isDone: isDone(node))
        TextBlock.setStamps(stamps, at: texts.writableBlock(records[Int(node.index)].text))
    }

    mutating func setUpdated(of node: NodeID, _ stamp: ChangeStamp) {
        TextBlock.setUpdated(
            at: stamp.time, by: authors.number(of: stamp.author),
            in: texts.writableBlock(text(of: node)))
    }

    private mutating func packed(_ stamps: TaskStamps, isDone: Bool) -> TextBlock.Stamps {
        TextBlock.Stamps(
            createdAt: stamps.createdAt, updatedAt: stamps.updatedAt,
            completedAt: isDone ? stamps.completedAt : nil,
            createdBy: authors.number(of: stamps.createdBy),
            updatedBy: authors.number(of: stamps.updatedBy),
            completedBy: isDone ? authors.number(of: stamps.completedBy) : 0)
    }

    /// The stamps of a block of this table.
    func stamps(of block: TextBlock) -> TaskStamps {
        let stamps = block.stamps
        return TaskStamps(
            createdAt: stamps.createdAt, updatedAt: stamps.updatedAt,
            completedAt: stamps.completedAt,
            createdBy: authors.name(of: stamps.createdBy)?.string,
            updatedBy: authors.name(of: stamps.updatedBy)?.string,
            completedBy: authors.name(of: stamps.completedBy)?.string)
    }

    /// The UTF-8 bytes of the name of a stamp's author, without a copy; nil if unknown. Valid until the
    /// next write.
    func authorBytes(_ author: UInt32) -> Bytes? { authors.name(of: author)?.bytes }

    /// The first violated invariant, or nil. O(tasks).
    func checkInvariants() -> String? {
        var seen = 0
        for node in 0..<records.count where records[node].text != 0 {
            seen += 1
            let record = records[node]
            let block = texts.block(record.text)
            if block.isFree { return "node \(node): text" }
            if block.flags & TextBlock.doneBit == 0,
                block.stamps.completedAt != nil || block.stamps.completedBy != 0
            {
                return "node \(node): completed, but it is not done"
            }
            if record.hash != Self.hash(block.id) { return "node \(node): hash" }
            if find(block.id, hash: record.hash)?.index != UInt32(node) {
                return "node \(node): the index's entry"
            }
        }
        if seen != count { return "\(seen) tasks have a text, \(count) are counted" }
        return texts.checkInvariants() ?? index.checkInvariants(expecting: count)
    }
}

extension TaskTable {
    @inline(__always)
    private func block(_ node: NodeID) -> TextBlock {
        let handle = records.pointer(at: Int(node.index)).pointee.text
        assert(handle != 0, "the node has no task")
        return texts.block(handle)
    }

    private func find(_ id: Bytes, hash: UInt32) -> NodeID? {
        index.find(hash) { TextBlock.areEqual(block(NodeID(index: $0)).id, id) }
            .map { NodeID(index: $0) }
    }

    /// The standard library's hash function: SipHash with a random seed for each process, so that
    /// clients can't choose colliding ids.
    private static func hash(_ id: Bytes) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(id))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private mutating func setFlag(_ bit: UInt8, _ value: Bool, of node: NodeID) {
        let flags = block(node).flags
        TextBlock.setFlags(
            value ? flags | bit : flags & ~bit,
            at: texts.writableBlock(records[Int(node.index)].text))
    }

    /// Moves the text of a node to a new block with the content that `parts` returns.
    private mutating func rewrite(
        _ node: NodeID, freeing: Bool = true,
        _ parts: (TextBlock) -> (id: Bytes, title: Bytes, data: Bytes?)
    ) {
        let handle = records[Int(node.index)].text
        precondition(handle != 0, "the node has no task")
        let before = parts(texts.block(handle))
        let byteCount = TextBlock.byteCount(
            id: before.id, title: before.title, data: before.data)
        let (new, base) = texts.allocate(byteCount: byteCount)
        // Looked up again, because allocating may have moved the page.
        let old = texts.block(handle)
        let (id, title, data) = parts(old)
        TextBlock.write(
            flags: old.flags, stamps: old.stamps, id: id, title: title, data: data, at: base)
        records[Int(node.index)].text = new
        if freeing { texts.free(handle) }
    }

    /// Empties the pages that consist mostly of holes. Each operation ends with this call.
    private mutating func compactSparsePages() {
        while let page = texts.takeSparsePage() {
            for handle in texts.blocks(of: page) {
                // The block does not refer to its node, which is found by the id.
                let id = texts.block(handle).id
                guard let node = find(id, hash: Self.hash(id)) else {
                    preconditionFailure("a text whose id is not in the index")
                }
                rewrite(node, freeing: false) { ($0.id, $0.title, $0.data) }
            }
            texts.vacate(page)
        }
    }
}

/// The UTF-8 bytes of a string, copied only if they are not contiguous (bridged strings).
@inline(__always)
private func withUTF8Bytes<Result>(
    _ string: String, _ body: (TaskTable.Bytes) -> Result
) -> Result {
    if let result = string.utf8.withContiguousStorageIfAvailable(body) { return result }
    return Array(string.utf8).withUnsafeBufferPointer(body)
}

private func withOptionalUTF8Bytes<Result>(
    _ string: String?, _ body: (TaskTable.Bytes?) -> Result
) -> Result {
    guard let string else { return body(nil) }
    return withUTF8Bytes(string) { body($0) }
}

private func withUTF8Bytes(
    _ id: String, _ title: String, _ data: String?,
    _ body: (TaskTable.Bytes, TaskTable.Bytes, TaskTable.Bytes?) -> Void
) {
    withUTF8Bytes(id) { id in
        withUTF8Bytes(title) { title in
            withOptionalUTF8Bytes(data) { data in body(id, title, data) }
        }
    }
}
