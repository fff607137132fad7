extension DataPath {
    /// The value in a task's data, for an order; nil if there is none, and for null, objects and arrays. O(length of the
    /// data).
    ///
    /// - Parameter data: canonical text.
    package func scalar(in data: UnsafeBufferPointer<UInt8>) -> JSONScalar? {
        let value = value(in: data).flatMap { JSONScalar($0) }
        return value == .null ? nil : value
    }
}
