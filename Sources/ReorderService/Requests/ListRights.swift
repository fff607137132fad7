/// What a client may do with lists. An object, because requests with it are copied.
package protocol ListRights: AnyObject, Sendable {
    func allowReading(_ list: String) -> Bool
    /// Never true for a list that the client may not read.
    func allowWriting(_ list: String) -> Bool
}

extension ListRights {
    func checkReading(_ list: String) throws(ServiceError) {
        guard allowReading(list) else { throw .listForbidden(list) }
    }

    /// Checks that the client may change a list, or create it. The error depends on whether the client may read the list, but not on whether it exists.
    package func checkWriting(_ list: String) throws(ServiceError) {
        try checkReading(list)
        guard allowWriting(list) else { throw .listReadOnly(list) }
    }
}
