import Foundation
import ReorderEngine

/// The excerpt for widgets, and the background, in which the app has no time to write it later.
extension ListRunner {
    /// Writes the excerpt a second after the first change that it lacks.
    func writeExcerptSoon(_ state: inout State) {
        guard excerpt != nil, !state.isExcerptDue else { return }
        state.isExcerptDue = true
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in self?.writeExcerpt() }
    }

    /// Writes the excerpt, if it lacks changes. It waits for the disk. Don't call it with the lock.
    func writeExcerpt() {
        guard let excerpt else { return }
        excerpt.writing.withLock { _ in
            let content = state.withLock {
                state -> (id: String, list: LocalList?, shown: ReorderableList?)? in
                guard state.isExcerptDue else { return nil }
                state.isExcerptDue = false
                return (state.machine.list, state.machine.local, state.machine.shown)
            }
            guard let content else { return }
            let syncPoint = content.list?.syncPoint ?? SyncPoint(version: 0)
            excerpt.write(content.shown, content.id, at: syncPoint)
        }
    }

    /// Sets whether the file stays locked, as it must not be while the process is suspended.
    func setHeld(_ isHeld: Bool) {
        storage.setHeld(isHeld)
        if !isHeld { queue.async { [self] in writeExcerpt() } }
    }
}
