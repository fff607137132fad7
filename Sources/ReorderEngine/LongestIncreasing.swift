/// The indices of a longest strictly increasing subsequence, in order. O(n log n).
///
/// In a new order of siblings, these are the most siblings that can stay where they are.
package func longestIncreasingSubsequence(of values: [Int]) -> [Int] {
    /// For each length, the index of the least value that ends a subsequence of this length.
    var ends: [Int] = []
    /// For each value, the index of the one before it in the subsequence that it ends; -1 without one.
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[index] = ends[low - 1] }
        if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
        result.append(index)
        index = previous[index]
    }
    return result.reversed()
}
