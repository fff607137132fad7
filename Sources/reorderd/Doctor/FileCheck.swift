import Foundation
import ReorderStore
import SQLiteStore

/// A file store.
struct FileCheck {
    let diagnosis: Diagnosis
    /// Whether a server answers at the address of the options; nil if that is unknown.
    let isServing: Bool?

    private static let quickCheckSeconds = 10.0
    /// A server keeps its log below this, except during long reads.
    private static let longLogBytes = 80 << 20
    /// How the names of network file systems begin.
    private static let networks = ["nfs", "cifs", "smb", "ceph", "9p", "afs", "lustre", "fuse."]

    func run(_ path: String) -> StoreState {
        do throws(StoreError) {
            let file = try FileDiagnosis(path: path)
            checkRights(file)
            checkDisk(file)
            return checkContent(file, isOpen: checkUse(file))
        } catch {
            diagnosis.check("file").problem(error.reason, "Create it, or correct --store")
            return StoreState()
        }
    }

    private func checkRights(_ file: FileDiagnosis) {
        let check = diagnosis.check("rights")
        let (denials, foreign, user) = (file.denials, file.filesOfOthers, geteuid())
        for denial in denials { check.problem(denial, "The server needs this right") }
        for other in foreign {
            check.problem(
                "\(other) does not belong to the owner of \(file.path)",
                "Run \"chown --reference=\(file.path) \(other)\" as root")
        }
        guard denials.isEmpty, foreign.isEmpty else { return }
        let doubt =
            user == 0 && file.owner != 0
            ? "; not checked for the owner, user \(file.owner ?? 0): run this as that user" : ""
        check.ok("user \(user) may write the file, its folder and the files beside it\(doubt)")
    }

    private func checkDisk(_ file: FileDiagnosis) {
        let check = diagnosis.check("disk")
        let system = file.fileSystem ?? "an unknown file system"
        if Self.networks.contains(where: system.hasPrefix) {
            check.warning(
                "\(file.path) is on a network (\(system)), where locks and syncs may not hold",
                "Use a local disk, or PostgreSQL")
        } else if ["tmpfs", "ramfs"].contains(system) {
            check.warning(
                "\(file.path) is in memory (\(system)), which a restart empties", "Use a disk")
        }
        let space = file.space
        let free =
            "\(space.freeBytes.map(Diagnosis.size) ?? "an unknown number of bytes") free on \(system)"
        if space.isFull {
            check.problem(
                "it is full: \(free)",
                "Make space, or delete lists permanently: then writes succeed without a restart")
        } else if space.isShort {
            check.warning("it is almost full: \(free)", "Make space")
        } else {
            check.ok(free)
        }
    }

    /// - Returns: whether a process has the file open.
    private func checkUse(_ file: FileDiagnosis) -> Bool {
        let check = diagnosis.check("use")
        guard let opener = file.openedBy else {
            check.ok("no process that this one can see has the file open")
            return false
        }
        let command = try? String(contentsOfFile: "/proc/\(opener)/comm", encoding: .utf8)
        let name = opener == 0 ? "a process in another container" : "process \(opener)"
        let finding = "\(name)\(command.map { " (\($0.dropLast()))" } ?? "") has the file open"
        if isServing == false {
            check.problem(
                "\(finding), but no server responds at the address",
                "End it unless it makes a backup: until then no other server can start (73)")
        } else {
            check.ok(finding)
        }
        return true
    }

    private func checkContent(_ file: FileDiagnosis, isOpen: Bool) -> StoreState {
        let check = diagnosis.check("content")
        do throws(SQLiteBackupError) {
            guard
                let content = try file.read(isOpen: isOpen, limitSeconds: Self.quickCheckSeconds)
            else {
                check.warning(
                    "\(file.path) does not exist or is empty, so a server begins without lists",
                    "If there should be lists, correct --store, or restore a backup")
                return StoreState()
            }
            report(content, file, check)
            return StoreState(latestTime: content.latestTime, tokens: content.tokens)
        } catch {
            check.problem(
                error.reason, "docs/operations.md has what to do (\"The store cannot be opened\")")
            return StoreState()
        }
    }

    private func report(
        _ content: FileDiagnosis.Content, _ file: FileDiagnosis, _ check: Diagnosis.Check
    ) {
        let log = file.logBytes ?? 0
        if log > Self.longLogBytes {
            check.warning(
                "the log has \(Diagnosis.size(log))", "Let long reads, such as a backup, end")
        }
        let isOld = content.format < SQLiteListStore.format
        let facts =
            "format \(content.format)\(isOld ? ", which the start converts" : ""), "
            + "\(Diagnosis.size(file.sizeBytes ?? 0)), a log of \(Diagnosis.size(log))"
        switch content.quickCheck {
        case .notRun:
            check.ok("\(facts); not checked, because the next start first reads the log of a crash")
        case .notEnded:
            check.ok("\(facts); no damage found in 10 s: \"reorderd check\" checks everything")
        case .found([]): check.ok("\(facts); SQLite's quick check finds no damage")
        case .found(let damage):
            check.problem(
                "\(file.path) is damaged: \(damage.joined(separator: "; "))",
                "Keep a copy, run \"reorderd check\" on it, and restore a backup")
        }
    }
}
