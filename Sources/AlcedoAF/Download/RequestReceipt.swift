import Alcedo

/// Identifies one caller's download, to cancel it.
///
/// Safe because it is immutable.
open class RequestReceipt: @unchecked Sendable {
    /// The request; coalesced downloads have the same one.
    public let request: DataRequest

    /// The identifier of the receipt.
    public let receiptID: String

    /// The task of Alcedo's downloader; nil if the request could not be created.
    let task: DownloadTask?

    init(request: DataRequest, receiptID: String, task: DownloadTask?) {
        self.request = request
        self.receiptID = receiptID
        self.task = task
    }
}
