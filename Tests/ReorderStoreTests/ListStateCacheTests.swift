import Testing

@testable import SQLiteStore

@Suite struct ListStateCacheTests {
    @Test func aListHasItsLatestState() {
        var cache = ListStateCache(capacity: 2)
        for version in 1...20 {
            let list = "l\(version % 3)"
            cache.list(list).state = ListState(key: 0, version: version, change: 0, count: 0)
            cache.trim()
            #expect(cache.list(list).state?.version == version)
            // The list before is remembered too.
            if version > 1 {
                #expect(cache.list("l\((version - 1) % 3)").state?.version == version - 1)
            }
        }
    }
}
