import Harness

let arguments = Arguments()

let measurements: [String: (Arguments) throws -> Void] = [
    "download": download,
    "nscache": nscache,
    "dictionary": dictionary,
    "disk": disk,
    "gallery": gallery,
]

guard let measurement = measurements[arguments.work] else { fail("no measurement \(arguments.work)") }
try measurement(arguments)
