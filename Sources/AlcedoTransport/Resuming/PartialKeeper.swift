import Foundation

/// Stores the body of a transfer as it arrives, in batches, so that it outlives the process.
struct PartialKeeper {
    /// Bytes that are written at a time.
    private static let batch = 64 << 10

    /// Bodies from this length on are written before they break off; of shorter ones little would be left to resume.
    private static let writeBehindLength = 128 << 10

    private let key: String
    private let response: PartialResponse
    private let store: any PartialStore

    /// Nil until there is something to write.
    private var file: (any PartialFile)?

    /// Bytes that have not been written.
    private var pending = Data()

    private(set) var count: Int

    /// Whether received bytes may be stored.
    var isWriting: Bool

    /// Keeps a body that follows the body of `response`, which is in `file` if there is one.
    init(
        _ response: PartialResponse, in file: (any PartialFile)? = nil, forKey key: String,
        store: any PartialStore, isWriting: Bool = true
    ) {
        self.key = key
        self.response = response
        self.store = store
        self.file = file
        self.isWriting = isWriting
        count = response.body.count
    }

    /// Drops what follows the body of the response, which comes once more.
    mutating func rewind() {
        pending = Data()
        count = response.body.count
        file?.rewind()
    }

    mutating func append(_ bytes: Data) {
        guard isWriting else { return }
        pending.append(bytes)
        count += bytes.count
        if pending.count >= Self.batch, response.total >= Self.writeBehindLength { write() }
    }

    /// Ends with the transfer; the body is kept if it broke off and is long enough.
    mutating func end(keeps: Bool) {
        guard keeps, count >= PartialResponse.minimumBytes, count < response.total else {
            file?.remove()
            file = nil
            return
        }
        if isWriting, !pending.isEmpty { write() }
        file?.keep()
        file = nil
    }

    private mutating func write() {
        let file = file ?? store.makeFile(for: key, response)
        self.file = file
        file.append(pending, at: count - pending.count)
        pending = Data()
    }
}
