import ReorderStore

extension ListService {
    /// A secret that all servers of the store have, created by the first call. Blocks, so call it
    /// before the server accepts requests.
    package func sharedSecret(_ name: String, byteCount: Int) throws(StoreError) -> [UInt8] {
        // A list can't have this id.
        let key = StoredResponseKey(.list, of: ".", name)
        while true {
            if let stored = try store.responses(to: [key])[key] { return stored.bytes }
            let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
            do throws(StoreError) {
                try store.append(
                    [], responses: [StoredResponse(key: key, at: 0, expires: .max, bytes: bytes)])
                return bytes
            } catch .conflict {
                // Another server has created it at the same time.
            }
        }
    }
}
