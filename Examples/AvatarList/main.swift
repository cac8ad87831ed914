#if GTK
    import AlcedoGTK
    import CGtk4
    import Foundation

    struct Person: Decodable {
        let name: String
        let role: String
        let picture: URL?
    }

    guard CommandLine.arguments.count == 2 else {
        print("usage: AvatarList PEOPLE.json")
        exit(2)
    }
    let file = URL(fileURLWithPath: CommandLine.arguments[1])
    let people: [Person]
    do {
        people = try JSONDecoder().decode([Person].self, from: Data(contentsOf: file))
    } catch {
        print("Could not read \(file.path): \(error)")
        exit(1)
    }

    let application = GTKApplication(id: "com.example.AvatarList")
    let status = application.run { application in
        guard let list = gtk_string_list_new(nil) else { return }
        for person in people { gtk_string_list_append(list, person.name) }

        let rows = ImageCells(of: list, size: CGSize(width: 56, height: 56)) { item in
            let person = people[item.position]
            let pixels = CGSize(width: 112, height: 112)  // Enough for a screen with a scale of 2.
            return KFImage(person.picture)
                .resizing(referenceSize: pixels, mode: .aspectFill)
                .cropping(size: pixels)
                .roundCorner(radius: .widthFraction(0.5))
                .placeholder { initials(of: person) }
                .onFailureView { initials(of: person) }
                .onFailure { error in
                    if person.picture != nil { print("\(person.name): \(error.localizedDescription)") }
                }
                .accessibilityLabel(person.name)
        }
        .caption(.beside) { item in
            ImageCaption(title: people[item.position].name, subtitle: people[item.position].role)
        }
        .onClick { item in print("clicked: \(people[item.position].name)") }

        guard let view = gtk_list_view_new(gtk_no_selection_new(list), rows.makeFactory()) else { return }
        application.show(view, title: "People", size: CGSize(width: 360, height: 420))
    }
    exit(status)

    @MainActor
    func initials(of person: Person) -> UnsafeMutablePointer<GtkWidget> {
        KFImage(nil as URL?).makeAvatar(name: person.name, size: 56)
    }
#else
    print("This example needs the trait GTK: swift run --traits GTK AvatarList PEOPLE.json")
#endif
