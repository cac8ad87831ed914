#if GTK
    /// The texts of a list's cell beside its image; nil for none.
    ///
    /// Give all items of a list the same parts, an empty text where one has none, so that all cells have one size.
    public struct ImageCaption: Sendable, Equatable {
        /// A line below the image, shortened at its end if it is too long.
        public var title: String?

        /// A second line, in a smaller and paler font.
        public var subtitle: String?

        /// A short text in the image's upper corner at the end of the line, such as a number.
        ///
        /// Its style class is `alcedo-badge`.
        public var badge: String?

        public init(title: String? = nil, subtitle: String? = nil, badge: String? = nil) {
            (self.title, self.subtitle, self.badge) = (title, subtitle, badge)
        }

        /// Where the title and the subtitle are.
        public enum Placement: Sendable {
            /// Centred below the image, for a grid.
            case below
            /// Beside the image, for a list.
            case beside
        }
    }

    /// What a list's cells have beside their images, and what a click on them does.
    @MainActor
    struct ImageCellContent {
        var placement = ImageCaption.Placement.below
        var caption: (@MainActor (ImageListItem) -> ImageCaption)?
        var click: (@MainActor (ImageListItem) -> Void)?
    }
#endif
