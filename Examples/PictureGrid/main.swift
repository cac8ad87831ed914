#if GTK
    import AlcedoGTK
    import CGtk4
    import Foundation

    // A complete GTK program: a scrolling grid of the images in the folder in the arguments, with their names. A click opens an
    // image in the program of the desktop.

    guard CommandLine.arguments.count > 1 else {
        print("usage: PictureGrid FOLDER")
        exit(2)
    }
    let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { ["gif", "jpeg", "jpg", "png", "webp"].contains($0.pathExtension.lowercased()) }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }

    var shown: Set<URL> = []

    let application = GTKApplication(id: "com.example.PictureGrid")
    let status = application.run { application in
        guard let list = gtk_string_list_new(nil) else { return }
        for file in files { gtk_string_list_append(list, file.lastPathComponent) }
        let cells = ImageCells(of: list, size: CGSize(width: 160, height: 160)) { item in
            let file = files[item.position]
            return KFImage(file)
                .downsampling(size: CGSize(width: 320, height: 320))
                .fade(duration: 0.2)
                .scaledToFill()
                .accessibilityLabel(file.lastPathComponent)
                .retryButton()
                .onSuccess { _ in
                    print("shown: \(file.lastPathComponent)")
                    shown.insert(file)
                    if shown.count == files.count, CommandLine.arguments.contains("--quit") {
                        application.quit()
                    }
                }
        }
        .caption { item in ImageCaption(title: files[item.position].lastPathComponent) }
        .onClick { item in
            g_app_info_launch_default_for_uri_async(files[item.position].absoluteString, nil, nil, nil, nil)
        }
        let grid = gtk_grid_view_new(gtk_no_selection_new(list), cells.makeFactory())
        guard let grid else { return }
        application.show(grid, title: folder.lastPathComponent)
    }
    exit(status)
#else
    print("This example needs the trait GTK: swift run --traits GTK PictureGrid FOLDER")
#endif
