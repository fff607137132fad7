import Foundation
import ReorderStore
import SQLiteStore

/// A store in a file.
struct FileCheck {
    let diagnosis: Diagnosis
    /// Whether a server responds at the address of the options; nil if that is unknown.
    let isServing: Bool?

    private static let limitSeconds = 10.0

    /// - Returns: the time of the newest change.
    func run(_ path: String) -> Int64? {
        let check = diagnosis.check("file")
        do throws(StoreError) {
            let file = try FileDiagnosis(path: path)
            checkRights(file)
            checkDisk(file)
            let isOpen = checkUse(file, check)
            return try checkContent(file, path, isOpen: isOpen, check)
        } catch {
            check.problem(
                error.reason,
                "If needed, create the folder, correct --store, or see \"The store cannot be opened\" in docs/operations.md"
            )
            return nil
        }
    }

    private func checkRights(_ file: FileDiagnosis) {
        let check = diagnosis.check("rights")
        let problems = file.rightsProblems
        for problem in problems { check.problem(problem, "The server needs this right") }
        guard problems.isEmpty else { return }
        let user = geteuid()
        let doubt = user == 0 ? "; the server's user may lack rights: run this as that user" : ""
        check.ok("user \(user) may write the file, its folder and the files beside it\(doubt)")
    }

    private func checkDisk(_ file: FileDiagnosis) {
        let (check, space) = (diagnosis.check("disk"), file.space)
        let free = space.freeBytes.map { "\($0 >> 20) MiB are free" } ?? "its free space is unknown"
        if space.isFull {
            check.problem(
                "it is full, or almost: \(free)",
                "Make space, or delete lists permanently: then writes succeed without a restart")
        } else {
            check.ok(free)
        }
    }

    /// - Returns: whether a process has the file open.
    private func checkUse(_ file: FileDiagnosis, _ check: Diagnosis.Check) -> Bool {
        guard let opener = file.openedBy else { return false }
        let command = try? String(contentsOfFile: "/proc/\(opener)/comm", encoding: .utf8)
        let name = opener == 0 ? "a process in another container" : "process \(opener)"
        let finding = "\(name)\(command.map { " (\($0.dropLast()))" } ?? "") has it open"
        if isServing == false {
            check.problem(
                "\(finding), but no server responds at the address",
                "Give the server's --host and --port, or end it unless it makes a backup: until then no other server can start"
            )
        } else {
            check.ok(finding)
        }
        return true
    }

    private func checkContent(
        _ file: FileDiagnosis, _ path: String, isOpen: Bool, _ check: Diagnosis.Check
    ) throws(StoreError) -> Int64? {
        guard let content = try file.read(isOpen: isOpen, limitSeconds: Self.limitSeconds) else {
            check.warning(
                "\(path) does not exist or is empty, so a server begins without lists",
                "If there should be lists, correct --store, or restore a backup")
            return nil
        }
        let isOld = content.format < SQLiteListStore.format
        let format = "it has format \(content.format)\(isOld ? ", which the start converts" : "")"
        switch content.damage {
        case nil: check.ok("\(format); \"reorderd check\" on a backup looks for damage")
        case "": check.ok("\(format), and SQLite's quick check finds no damage")
        case let damage?:
            check.problem(
                "\(path) is damaged: \(damage)",
                "Keep a copy, run \"reorderd check\" on it, and restore a backup")
        }
        return content.latestTime
    }
}
