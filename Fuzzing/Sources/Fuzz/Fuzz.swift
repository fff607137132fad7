import FuzzTargets
import Glibc

/// The program's start, by the name that the package manager gives it: libFuzzer's own main function.
@_cdecl("Fuzz_main")
public func main(
    _ argumentCount: CInt,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var argumentCount = argumentCount
    var arguments = arguments
    return runFuzzer(&argumentCount, &arguments, feed)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ feed: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Which target is fed, as the environment says.
private let target = FuzzTarget(
    rawValue: getenv("REORDERD_FUZZ_TARGET").map { String(cString: $0) } ?? "")

/// Takes one input. A fault ends the process, as a trap does: libFuzzer then keeps the input.
private func feed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else {
        print("REORDERD_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue))")
        exit(64)
    }
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = target.fault(in: bytes) {
        print("\(target.rawValue): \(fault)")
        abort()
    }
    return 0
}
