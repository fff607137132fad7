import ReorderEngine
import ReorderJSON

/// The state as records of the file.
extension SyncMachine {
    /// The list of a document, with its version and epoch.
    ///
    /// - Parameter id: the id that the list must have; nil: any.
    /// - Throws: if it is not a document of this list.
    static func document(
        _ json: [UInt8], of id: String? = nil
    ) throws -> (list: ReorderableList, syncPoint: SyncPoint) {
        var reader = try JSONReader(answer: json)
        var version: Int?
        var epoch: String?
        var list: String?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": list = try reader.readString()
            case "version": version = try reader.readCount()
            case "epoch": epoch = try reader.readString()
            default: break
            }
        }
        guard let version else { throw reader.missingMember("version") }
        guard id == nil || list == id else { throw reader.invalid("This is another list.") }
        let document = try ListDocument(json: json, ignoresUnknownMembers: true)
        return (try document.makeList(), SyncPoint(version: version, epoch: epoch))
    }

    /// The records for the complete state.
    var records: [OutboxRecord] {
        var records = [OutboxRecord.client(client)]
        guard let local else { return records }
        records.append(
            .document(
                ListDocument.json(
                    id: list, version: local.version, epoch: local.epoch, of: local.base)))
        for operation in local.pending { records.append(.operation(operation.json())) }
        for operation in local.pending {
            guard let version = operation.answeredAt else { continue }
            records.append(.answered(operation.id, version: version))
        }
        for refusal in refusals { records.append(.refused(refusal.json())) }
        return records
    }
}
