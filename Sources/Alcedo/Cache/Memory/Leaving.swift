/// Values that leave a cache, kept until its lock has been left; the first needs no memory of its own.
struct Leaving<Value> {
    private var first: Value?
    private var others: [Value] = []

    mutating func append(_ value: Value) {
        if first == nil { first = value } else { others.append(value) }
    }
}
