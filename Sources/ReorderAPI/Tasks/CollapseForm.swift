import ReorderJSON

/// The body of a collapse: `{"collapsed": true}`.
struct CollapseForm {
    let collapsed: Bool

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var collapsed: Bool?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "collapsed": collapsed = try reader.readBool()
            default: throw reader.unknownMember()
            }
        }
        guard let collapsed else { throw reader.missingMember("collapsed") }
        self.collapsed = collapsed
    }
}
