import ReorderEngine

@testable import ReorderClient

/// What must be.
extension TroubledDevice {
    func check() throws {
        guard let local = machine.local else { throw Difference(text: "no list") }
        let ids = local.pending.map(\.id)
        if Set(ids).count < ids.count { throw Difference(text: "waits twice in \(ids)") }
        var rest = local.pending[...]
        while !rest.isEmpty {
            let length = PendingOperation.stepLength(in: rest)
            if length != 2 { throw Difference(text: "a part of a step in \(ids)") }
            rest = rest.dropFirst(length)
        }
        if Set(local.waiting.map(\.id)) != open {
            throw Difference(text: "\(local.waiting.map(\.id)) wait, not \(open.sorted())")
        }
        let refusals = machine.refusals.map(\.id)
        if refusals.count != refused.count || Set(refusals) != refused {
            throw Difference(text: "\(refusals) are refused, not \(refused.sorted())")
        }
        guard !lacksRecords else { return }
        let stored = try Self.machine(MemoryStorage(storage.bytes))
        if stored.local?.pending != local.pending || stored.local?.syncPoint != local.syncPoint
            || stored.refusals.map(\.id) != refusals
        {
            throw Difference(
                text: "the file has \(stored.local?.pending.map(\.id) ?? []), not \(ids)")
        }
        let count = OutboxRecord.waitingCount(in: storage.bytes)
        if count != local.waitingCount {
            throw Difference(text: "\(count) wait in the file, not \(local.waitingCount)")
        }
    }

    /// Everything is sent and received, and the app starts once more.
    mutating func end() throws {
        storage.appendsLeft = nil
        for _ in 0..<2 {
            try receive()
            try send()
            try receive()
            try check()
            try restart()
        }
        let (ids, titles) = (titles, try server.list("l").tasks.map(\.content.title))
        let wanted = ids.filter { !lost.contains($0.key) && !refused.contains($0.key) }.values
            .sorted()
        if Array(titles.dropFirst(2)).sorted() != wanted {
            throw Difference(text: "the list has \(titles), not \(wanted)")
        }
        if machine.local?.pending.isEmpty != true { throw Difference(text: "something waits") }
        try server.stop()
    }
}
