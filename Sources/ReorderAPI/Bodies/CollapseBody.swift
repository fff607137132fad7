import ReorderJSON

/// The body of a collapse: `{"collapsed": true}`. If the member is omitted, it is true.
struct CollapseBody {
    let collapsed: Bool

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var collapsed = true
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "collapsed": collapsed = try reader.readBool()
            default: throw reader.unknownMember(allowed: ["collapsed"])
            }
        }
        self.collapsed = collapsed
    }
}
