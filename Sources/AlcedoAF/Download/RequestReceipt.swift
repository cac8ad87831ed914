import Alcedo

/// One caller's share in a download.
///
/// Safe because it does not change once it is made.
open class RequestReceipt: @unchecked Sendable {
    /// The request, which other receipts may share.
    public let request: DataRequest

    /// Tells it from the other shares.
    public let receiptID: String

    /// The share in the engine's words; nil if the request could not be made.
    let share: DownloadTask?

    init(request: DataRequest, receiptID: String, share: DownloadTask?) {
        self.request = request
        self.receiptID = receiptID
        self.share = share
    }
}
