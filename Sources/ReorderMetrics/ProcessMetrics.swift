import Glibc

/// The system's statistics of this process. A value is nil if the system does not provide it.
package struct ProcessMetrics: Sendable {
    package var residentBytes: Int?
    /// The limit of the process's control group, or else the machine's memory.
    package var memoryLimitBytes: Int?
    package var openDescriptors: Int?
    package var maximumDescriptors: Int?
    /// User and system time.
    package var processorSeconds: Double
    /// Since 1970-01-01 UTC.
    package var startSeconds: Double?

    /// The current values. Complexity: O(open descriptors).
    package static var now: ProcessMetrics {
        var limit = rlimit()
        let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        // The second field is the number of resident pages.
        let statm = text(of: "/proc/self/statm").split(separator: " ")
        let pages = statm.count > 1 ? Int(statm[1]) : nil
        let pageBytes = sysconf(Int32(_SC_PAGESIZE))
        return ProcessMetrics(
            residentBytes: pages.map { $0 * pageBytes },
            memoryLimitBytes: controlGroupLimit ?? sysconf(Int32(_SC_PHYS_PAGES)) * pageBytes,
            openDescriptors: entries(in: "/proc/self/fd"),
            maximumDescriptors: hasLimit ? Int(clamping: limit.rlim_cur) : nil,
            processorSeconds: seconds(of: CLOCK_PROCESS_CPUTIME_ID),
            startSeconds: startSeconds)
    }

    /// The smallest limit of the process's control group and those above it. nil without a limit, and for
    /// control groups of version 1.
    private static var controlGroupLimit: Int? {
        let line = text(of: "/proc/self/cgroup").split(separator: "\n").first {
            $0.hasPrefix("0::/")
        }
        guard var group = line?.dropFirst("0::".count) else { return nil }
        var limit: Int?
        while true {
            let file = "/sys/fs/cgroup\(group)/memory.max"
            if let bytes = Int(text(of: file).filter(\.isNumber)) {
                limit = min(limit ?? bytes, bytes)
            }
            guard let end = group.lastIndex(of: "/") else { return limit }
            group = group[..<end]
        }
    }

    /// The system reports the process's start in clock ticks since the system's start. The system's
    /// start is computed from two clocks.
    private static var startSeconds: Double? {
        // The name, in parentheses, may contain any character, so the fields after it are used.
        let stat = text(of: "/proc/self/stat")
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ")
        guard fields.count > 20, let ticks = Double(fields[20]) else { return nil }
        let systemStart = seconds(of: CLOCK_REALTIME) - seconds(of: CLOCK_BOOTTIME)
        return systemStart + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    private static func entries(in folder: String) -> Int? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without `.`, `..` and the descriptor that reads the directory.
        return count - 3
    }

    private static func text(of file: String) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
