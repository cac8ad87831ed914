#if GTK
    import AlcedoGTK
    import Foundation

    // A complete GTK program: a window with one image, loaded from the URL in the arguments.

    guard CommandLine.arguments.count > 1, let url = URL(string: CommandLine.arguments[1]) else {
        print("usage: PictureWindow URL")
        exit(2)
    }
    let application = GTKApplication(id: "com.example.PictureWindow")
    let status = application.run { application in
        let view = ImageView()
        view.kf.indicatorType = .activity
        view.kf.setImage(with: url, options: [.transition(.fade(0.2))]) { result in
            switch result {
            case .success(let value): print("shown: \(value.image.size.width) points wide")
            case .failure(let error): print(error.localizedDescription)
            }
            if CommandLine.arguments.contains("--quit") { application.quit() }
        }
        application.show(view, title: url.lastPathComponent, size: CGSize(width: 400, height: 300))
    }
    exit(status)
#else
    print("This example needs the trait GTK: swift run --traits GTK PictureWindow URL")
#endif
