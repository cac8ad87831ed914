import Alcedo
import Foundation

/// One picture of the gallery.
struct Photo: Sendable {
    let title: String

    /// What a cell shows, reduced.
    let thumbnail: KF.ImageResource

    /// What the detail page shows.
    let large: KF.ImageResource

    /// A picture that is somewhere.
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
