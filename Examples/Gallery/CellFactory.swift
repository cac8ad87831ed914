#if GTK
    import CGtk4
    import ExampleWidgets

    /// Makes the grid's cells and binds them to photos.
    ///
    /// GTK reuses a few cells for all photos while the grid scrolls.
    @MainActor
    final class CellFactory {
        let handle: OpaquePointer

        /// All cells by their list items.
        private(set) var cells: [gpointer: PhotoCell] = [:]

        init(photos: [Photo]) {
            handle = gtk_signal_list_item_factory_new()
            onSignal("setup", of: handle) { [unowned self] item in
                guard let item else { return }
                let cell = PhotoCell()
                cells[item] = cell
                gtk_list_item_set_child(OpaquePointer(item), cell.widget)
            }
            onSignal("bind", of: handle) { [unowned self] item in
                guard let item else { return }
                cells[item]?.show(photos[Int(gtk_list_item_get_position(OpaquePointer(item)))])
            }
            onSignal("unbind", of: handle) { [unowned self] item in
                guard let item else { return }
                cells[item]?.clear()
            }
            onSignal("teardown", of: handle) { [unowned self] item in
                guard let item else { return }
                gtk_list_item_set_child(OpaquePointer(item), nil)
                cells[item] = nil
            }
        }
    }
#endif
