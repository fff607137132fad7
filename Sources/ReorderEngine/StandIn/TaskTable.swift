struct TaskTable: Sendable {
    struct Row: Sendable { var id, title: String; var data: String?; var done, locked: Bool }
    var rows: [NodeID: Row] = [:]
    var nodes: [String: NodeID] = [:]
    mutating func insert(
        _ node: NodeID, id: String, title: String, data: String?, done: Bool, locked: Bool
    ) {
        rows[node] = Row(id: id, title: title, data: data, done: done, locked: locked)
        nodes[id] = node
    }
    mutating func remove(_ node: NodeID) {
        if let r = rows.removeValue(forKey: node) { nodes[r.id] = nil }
    }
    func node(for id: String) -> NodeID? { nodes[id] }
    func id(of n: NodeID) -> String { rows[n]!.id }
    func title(of n: NodeID) -> String { rows[n]!.title }
    func data(of n: NodeID) -> String? { rows[n]!.data }
    func isDone(_ n: NodeID) -> Bool { rows[n]!.done }
    func isLocked(_ n: NodeID) -> Bool { rows[n]!.locked }
    mutating func setTitle(of n: NodeID, _ v: String) { rows[n]!.title = v }
    mutating func setData(of n: NodeID, _ v: String?) { rows[n]!.data = v }
    mutating func setDone(of n: NodeID, _ v: Bool) { rows[n]!.done = v }
    mutating func setLocked(of n: NodeID, _ v: Bool) { rows[n]!.locked = v }
    var count: Int { rows.count }
    func checkInvariants() -> String? { nil }
}
