#if GTK
    public import Alcedo
    public import Foundation

    /// An item of a list, for the closure of ``ImageCells``.
    public struct ImageListItem {
        /// Its position in the model.
        public let position: Int

        /// The item itself, a `GObject`; valid only during the call.
        public let object: UnsafeMutableRawPointer
    }

    /// The cells of a `GtkListView` or `GtkGridView` that show images, which load, cancel and prefetch by themselves.
    ///
    /// A cell loads its image when it becomes visible and cancels the load when it is scrolled away. GTK reuses a few cells
    /// for all items: a cell never shows the image of an earlier item. The images of as many items as are visible are
    /// prefetched in the direction of scrolling, at half of their priority.
    @MainActor
    public struct ImageCells<Content: KFImageProtocol> {
        private let model: OpaquePointer
        private let size: CGSize
        private let prefetchLimit: Int
        private let image: @MainActor (ImageListItem) -> Content
        private var content = ImageCellContent()

        /// Describes the cells of a list.
        ///
        /// - Parameters:
        ///   - model: the `GListModel` that the list view shows; its selection model may be around it. It must live until
        ///     ``makeFactory()`` is called, and no block of an image may change it at once.
        ///   - size: the least size of a cell, in points; it does not depend on the images. A grid widens its cells to fill a
        ///     row.
        ///   - prefetchLimit: the maximum number of images that are prefetched at a time; 64 by default, 0 for none.
        ///   - image: the image of an item, on the main thread; called whenever a cell or a prefetch needs it, so it must be
        ///     fast. Images are always resizable.
        public init(
            of model: OpaquePointer,
            size: CGSize,
            prefetchLimit: Int = 64,
            image: @escaping @MainActor (ImageListItem) -> Content
        ) {
            self.model = model
            self.size = size
            self.prefetchLimit = prefetchLimit
            self.image = image
        }

        /// Gives each cell a title, a subtitle and a badge.
        ///
        /// - Parameters:
        ///   - placement: where the title and the subtitle are.
        ///   - caption: the texts of an item, on the main thread; called whenever a cell shows it.
        /// - Returns: the cells with captions.
        public func caption(
            _ placement: ImageCaption.Placement = .below,
            _ caption: @escaping @MainActor (ImageListItem) -> ImageCaption
        ) -> Self {
            var copy = self
            (copy.content.placement, copy.content.caption) = (placement, caption)
            return copy
        }

        /// Calls `action` for each click on a cell, and for the Enter key on the selected one.
        ///
        /// The list view then activates its items by single clicks. A button in a cell receives its own clicks.
        public func onClick(_ action: @escaping @MainActor (ImageListItem) -> Void) -> Self {
            var copy = self
            copy.content.click = action
            return copy
        }

        /// Creates a `GtkListItemFactory`, which the caller owns; `gtk_grid_view_new` and `gtk_list_view_new` take it.
        ///
        /// It retains the model and what `image` captures.
        public func makeFactory() -> OpaquePointer {
            let image = image
            let cells = ImageCellFactory(
                model: model, size: size, content: content, prefetchLimit: prefetchLimit,
                makeView: { Content.makeHoldingView(surface: $0) },
                show: { position, object, view, binder in
                    let content = image(ImageListItem(position: position, object: object))
                    binder.bind(content.context.settings) {
                        if let view = view as? Content.HoldingView { content.configure(view) }
                    }
                },
                settings: { image(ImageListItem(position: $0, object: $1)).context.settings })
            return cells.makeFactory()
        }
    }
#endif
