import Alcedo
import Foundation

/// One photo of the gallery.
struct Photo: Sendable {
    let title: String

    /// The source of the cell's thumbnail.
    let thumbnail: KF.ImageResource

    /// The source of the detail page's image.
    let large: KF.ImageResource

    /// A photo at a URL.
    init(url: URL) {
        title = url.lastPathComponent
        thumbnail = KF.ImageResource(downloadURL: url)
        large = thumbnail
    }

    init(title: String, thumbnail: KF.ImageResource, large: KF.ImageResource) {
        self.title = title
        self.thumbnail = thumbnail
        self.large = large
    }
}
