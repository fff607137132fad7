extension LiveList {
    /// Gives up the changes of this list that wait to be sent: the rows show the server's list again. Use it after the user has agreed, for
    /// example while ``phase`` is `notFound` or `unauthorized`. Nothing else discards changes.
    ///
    /// A change that is on its way may still be made. What is discarded can't be undone or redone.
    ///
    /// - Returns: false if the device could not store it; then nothing has changed, and ``notice`` has the reason.
    @discardableResult
    public func discardWaiting() -> Bool {
        guard let synced else { return true }
        do {
            undoStack.forget(Set(try synced.discardWaiting()))
        } catch {
            report(error)
            return false
        }
        refresh()
        return true
    }
}
