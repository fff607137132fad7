/// A mutation with its place and its number.
package struct Sampled {
    package let number: Int
    package let file: String
    package let mutation: Mutation
}

/// Takes mutations at random, from each module in proportion to the number of its mutations. Mutations that overlap one that was
/// taken are passed over.
package func sample(
    _ count: Int, seed: UInt64, of modules: [[(file: String, mutations: [Mutation])]]
) -> [Sampled] {
    var random = Random(state: seed)
    let sizes = modules.map { $0.reduce(0) { $0 + $1.mutations.count } }
    let all = sizes.reduce(0, +)
    var sampled: [Sampled] = []
    var end = 0
    for (module, size) in zip(modules, sizes) {
        let before = end
        end += size
        // The shares add up to the count.
        var share = all == 0 ? 0 : count * end / all - count * before / all
        var taken: [String: [Mutation]] = [:]
        for place in module.flatMap({ entry in entry.mutations.map { (entry.file, $0) } }).shuffled(
            using: &random)
        {
            if share == 0 { break }
            let (file, mutation) = place
            if taken[file, default: []].contains(where: mutation.overlaps) { continue }
            taken[file, default: []].append(mutation)
            sampled.append(Sampled(number: sampled.count, file: file, mutation: mutation))
            share -= 1
        }
    }
    return sampled
}

/// SplitMix64: the same numbers for the same seed, on all systems.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
