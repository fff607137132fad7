import Foundation

/// The resident memory of this process in bytes.
package func residentBytes() -> Int {
    let statistics = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Runs this program again with `arguments`, and returns the number that it prints.
package func numberPrintedByChild(_ arguments: [String]) -> Double? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
}

/// An id of 36 bytes, like a UUID.
package func taskID(_ number: Int) -> String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: 12 - digits.count)
    return "018f3c5e-7b1a-7c3d-9e2f-" + zeros + digits
}

/// A title of 24 bytes.
package func taskTitle(_ number: Int) -> String {
    let digits = String(number)
    return "Task number " + String(repeating: "0", count: 12 - digits.count) + digits
}
