/// The operations of extensions.
extension ListRunner {
    func adoptInbox() { queue.async { [weak self] in self?.takeInbox() } }

    /// Takes over the operations of extensions. It waits for the disk.
    ///
    /// - Returns: false after a failure: they stay in the inbox.
    @discardableResult
    func takeInbox() -> Bool {
        guard let inbox else { return true }
        let taken: Void? = try? inbox.take { operations in
            try update { try $0.adopt(operations, at: $1) }
            try storage.sync()
            writeExcerpt()
        }
        return taken != nil
    }
}
