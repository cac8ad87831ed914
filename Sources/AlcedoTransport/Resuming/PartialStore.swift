package import Foundation

/// The storage of a ``ResumingTransport``; its methods may be called on any thread and return at once.
///
/// The calls for one key take effect in their order.
package protocol PartialStore: Sendable {
    /// Takes the partial response of `key`, and calls `found` once, on this thread or another.
    ///
    /// Until its file is kept or removed, no other request gets it. Nil if there is none, if it is in use or if the disk is slow.
    func take(
        _ key: String,
        _ found: @escaping @Sendable ((response: PartialResponse, file: any PartialFile)?) -> Void)

    /// Creates a file for the body of `response`, which replaces the one that is there.
    func makeFile(for key: String, _ response: PartialResponse) -> any PartialFile
}

/// The file of a body that is being received; its methods return at once.
package protocol PartialFile: AnyObject, Sendable {
    /// Adds the bytes of the body that start at `offset`.
    ///
    /// Does nothing if the file ends elsewhere, because the disk has failed or is slow: a file never has a gap.
    func append(_ bytes: Data, at offset: Int)

    /// Drops the bytes that were added since the file was taken.
    func rewind()

    /// Ends the use of the file, and keeps it for the next request.
    func keep()

    func remove()
}
