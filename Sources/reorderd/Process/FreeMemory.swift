import CTCMalloc
import Dispatch

/// Gives memory that the process does not use back to the system.
///
/// The allocator itself gives back a little of the free memory when other memory is freed. So after large work, such as the
/// upload or the deletion of a large list, an idle server would keep all of it.
final class FreeMemory {
    /// Kept for the next requests.
    static let keptBytes = 32 << 20
    /// Memory that was free for so long is given back.
    private static let periodSeconds = 3

    private let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "reorderd.memory", qos: .utility))

    /// Begins to give back memory. It ends when this object is released.
    init() {
        var least = Int.max
        var seconds = 0
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        timer.setEventHandler {
            // Memory that is used again and again is not given back, because getting it again takes time.
            least = min(least, Self.freeBytes)
            seconds += 1
            guard seconds == Self.periodSeconds else { return }
            if least > Self.keptBytes { Self.release(least - Self.keptBytes) }
            (least, seconds) = (.max, 0)
        }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Memory that is free and not given back.
    static var freeBytes: Int {
        var count = 0
        let isKnown = MallocExtension_GetNumericProperty("tcmalloc.pageheap_free_bytes", &count)
        return isKnown == 0 ? 0 : count
    }

    static func release(_ bytes: Int) {
        // In parts, because other threads may have to wait for one.
        for _ in 0..<(bytes + partBytes - 1) / partBytes {
            MallocExtension_ReleaseToSystem(partBytes)
        }
    }

    private static let partBytes = 8 << 20
}
