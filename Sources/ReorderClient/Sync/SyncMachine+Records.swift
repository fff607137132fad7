import ReorderEngine
import ReorderJSON

/// The state as records of the file.
extension SyncMachine {
    /// The list of a document, with its version and epoch.
    static func document(_ json: [UInt8]) throws -> (list: ReorderableList, syncPoint: SyncPoint) {
        var reader = JSONReader(try JSONText(checking: json, maximumDepth: 24))
        var syncPoint = SyncPoint(version: 0)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": syncPoint.version = try reader.readCount()
            case "epoch": syncPoint.epoch = try reader.readString()
            default: break
            }
        }
        let document = try ListDocument(json: json, ignoresUnknownMembers: true)
        return (try document.makeList(), syncPoint)
    }

    /// The list and version of a document.
    static func list(_ json: [UInt8]) throws -> (ReorderableList, version: Int) {
        let document = try document(json)
        return (document.list, document.syncPoint.version)
    }

    /// The records for the complete state.
    var records: [OutboxRecord] {
        var records = [OutboxRecord.client(client)]
        guard let local else { return records }
        records.append(
            .document(
                ListDocument.json(
                    id: list, version: local.version, epoch: local.epoch, of: local.base)))
        for operation in local.pending { records.append(.operation(Self.json(operation))) }
        if let batch = local.batch {
            records.append(.sent(count: batch.count, isInBase: batch.isInBase))
        }
        for refusal in refusals { records.append(.refused(refusal.json())) }
        return records
    }

    package static func json(_ operation: PendingOperation) -> [UInt8] {
        var writer = JSONWriter()
        writer.operation(operation)
        return writer.bytes
    }
}
