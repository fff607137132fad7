import Foundation
import ReorderEngine
import Testing

/// The engine against the model, request after request. `REORDERD_SEED` sets the seed of the first
/// list (each list counts on by one), `REORDERD_OPERATIONS` how many requests are made in all.
@Suite struct RandomRequestTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seed =
        environment["REORDERD_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    static let requests = environment["REORDERD_OPERATIONS"].flatMap(Int.init) ?? 100_000
    static let requestsEachList = 250
    static let strands = 4

    @Test(arguments: 0..<strands)
    func everyRequestDoesWhatTheModelDoes(strand: Int) throws {
        let lists = Self.requests / (Self.strands * Self.requestsEachList) + 1
        var met = Set<String>()
        for number in strand * lists..<(strand + 1) * lists {
            let seed = Self.seed &+ UInt64(number)
            var comparison = try Comparison(seed: seed)
            for _ in 0..<Self.requestsEachList {
                if let difference = try comparison.step() {
                    Issue.record("REORDERD_SEED=\(seed) shows it again. Differs: \(difference)")
                    return
                }
            }
            met.formUnion(comparison.met)
        }
        if Self.requests >= 100_000 {
            let missing = Comparison.all.subtracting(met).sorted()
            #expect(missing.isEmpty, "never met with REORDERD_SEED=\(Self.seed)")
        }
    }
}
