import { describe, expect, it } from "vitest"

import { contentTypeOf, isCompressible, packedCodingOf } from "./ContentTypes.ts"
import { hasHashedName } from "./HashedName.ts"
import { Found, lookUp } from "./SiteLookup.ts"

const files = ["index.html", "a.js", "a b/é.txt", "100%.html", "docs/index.html", "docs/a.html"]
const lookIn = (paths: ReadonlyArray<string>, target: string) =>
  lookUp((path) => paths.includes(path), target)
const file = (path: string) => Found.File({ path })
const missing = Found.Missing({ page: null })

describe("lookUp", () => {
  it.each([
    ["/", file("index.html")],
    ["/?a=/../b", file("index.html")],
    ["/index.html", file("index.html")],
    ["/a.js?v=1", file("a.js")],
    ["/A.js", missing],
    ["/a%20b/%C3%A9.txt", file("a b/é.txt")],
    ["/100%25.html", file("100%.html")],
    ["/docs/", file("docs/index.html")],
    ["/docs", Found.Folder({ location: "/docs/" })],
    ["/docs?page=2", Found.Folder({ location: "/docs/?page=2" })],
    ["/d%6Fcs", Found.Folder({ location: "/d%6Fcs/" })],
    ["/docs%2Fa.html", missing],
    ["/docs/a", missing],
    ["/docs/a.html/", missing],
    ["//docs", missing],
    ["//", missing],
    ["/docs//a.html", missing],
    ["/../index.html", missing],
    ["/docs/../a.js", missing],
    ["/docs/%2e%2e/a.js", missing],
    ["/docs/..%2fa.js", missing],
    ["/..%5ca.js", missing],
    ["/a.js%00.html", missing],
    ["/%00", missing],
    ["/100%.html", Found.Malformed()],
    ["/%ff", Found.Malformed()],
    ["", Found.Malformed()],
    ["*", Found.Malformed()],
    ["http://evil.example/a.js", Found.Malformed()]
  ])("[C-359] finds only files of the site: %j", (target, found) => {
    expect(lookIn(files, target)).toEqual(found)
  })

  it("[C-359] names the site's own page for a file that is missing", () => {
    const withPage = [...files, "404.html"]
    expect(lookIn(withPage, "/nowhere")).toEqual(Found.Missing({ page: "404.html" }))
    expect(lookIn(["a.js"], "/")).toEqual(missing)
  })
})

describe("contentTypeOf", () => {
  it.each([
    ["index.html", "text/html; charset=utf-8", true],
    ["a/app.JS", "text/javascript; charset=utf-8", true],
    ["app.mjs", "text/javascript; charset=utf-8", true],
    ["style.css", "text/css; charset=utf-8", true],
    ["app.js.map", "application/json; charset=utf-8", true],
    ["logo.svg", "image/svg+xml; charset=utf-8", true],
    ["game.wasm", "application/wasm", true],
    ["hero.glb", "model/gltf-binary", false],
    ["hero.png", "image/png", false],
    ["sound.ogg", "audio/ogg", false],
    ["LICENSE", "application/octet-stream", false],
    ["html", "application/octet-stream", false],
    ["a.html/data", "application/octet-stream", false],
    ["a.unknown", "application/octet-stream", false]
  ])("[C-359] goes by the extension: %s", (path, type, compressible) => {
    expect(contentTypeOf(path)).toBe(type)
    expect(isCompressible(path)).toBe(compressible)
  })
})

describe("packedCodingOf", () => {
  it.each([
    ["Build/game.wasm.br", "br", "application/wasm"],
    ["Build/game.wasm.gz", "gzip", "application/wasm"],
    ["Build/game.data.BR", "br", "application/octet-stream"],
    ["Build/game.data.gz", "gzip", "application/octet-stream"],
    ["Build/game.framework.js.br", "br", "text/javascript; charset=utf-8"],
    ["Build/game.symbols.json.gz", "gzip", "application/json; charset=utf-8"],
    // They are downloads, and files that a page unpacks itself.
    ["save.tar.gz", null, "application/gzip"],
    ["table.csv.gz", null, "application/gzip"],
    ["Build/game.wasm.unityweb", null, "application/octet-stream"],
    ["wasm.br", null, "application/octet-stream"],
    ["a.wasm.br/b.png", null, "image/png"],
    ["game.wasm", null, "application/wasm"]
  ] as const)("[C-377] knows the files that a build has packed: %s", (path, coding, type) => {
    expect(packedCodingOf(path)).toBe(coding)
    expect(contentTypeOf(path)).toBe(type)
    // The service packs nothing twice.
    expect(coding !== null && isCompressible(path)).toBe(false)
  })
})

describe("hasHashedName", () => {
  it.each([
    "assets/index-B7x9kQ2z.js",
    "main.8c5f1d2a.css",
    "main.8c5f1d2a.chunk.js",
    "img/hero-0a1b2c3d4e5f67890a1b.webp"
  ])("[C-359] knows a hash in a name: %s", (path) => expect(hasHashedName(path)).toBe(true))

  it.each([
    "index.html",
    "index-B7x9kQ2z.html",
    "app.js",
    "settings-controls.js",
    "photo-20261123.jpg",
    "scene-Player2D.js",
    "scene-Level2Boss.js",
    "MyComponentView.js",
    "B7x9kQ2z.js",
    "jquery-3.7.1.min.js",
    "B7x9kQ2z/app.js"
  ])("[C-359] takes a word, a date and a folder for no hash: %s", (path) =>
    expect(hasHashedName(path)).toBe(false)
  )
})
