/// The resources that a store uses, for metrics. A value is nil if it is unknown, or if the store has no such resource.
package struct StoreUsage: Sendable {
    /// The store's size on its device.
    package var sizeBytes: Int?
    /// The free space on its device.
    package var freeBytes: Int?
    /// The open connections to a database.
    package var connections: Int?
    /// The maximum number of open connections.
    package var connectionLimit: Int?

    package init(
        sizeBytes: Int? = nil, freeBytes: Int? = nil, connections: Int? = nil,
        connectionLimit: Int? = nil
    ) {
        self.sizeBytes = sizeBytes
        self.freeBytes = freeBytes
        self.connections = connections
        self.connectionLimit = connectionLimit
    }
}
