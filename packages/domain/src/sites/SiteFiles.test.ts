import { describe, expect, it } from "vitest"

import { changedPaths, filesFault, type SiteFile } from "./SiteFiles.ts"
import { SiteLimits } from "./SiteLimits.ts"
import { pathFault } from "./SitePath.ts"

const hash = "0123456789abcdef".repeat(4)
const file = (path: string, other: Partial<SiteFile> = {}): SiteFile => ({
  path,
  hash,
  bytes: 1,
  ...other
})
const hashOf = (index: number) => String(index).padStart(64, "0")

describe("pathFault", () => {
  it.each([
    ["index.html", null],
    ["assets/app-1a2b.js", null],
    ["a b/é/%2e%2e/100%.html", null],
    [".well-known/assetlinks.json", null],
    ["git/.gitignore", null],
    ["environment.js", null],
    ["a..b/...", null],
    ["a".repeat(1024), null],
    ["a".repeat(1025), "must have 1 to 1024 bytes"],
    ["é".repeat(513), "must have 1 to 1024 bytes"],
    ["", "must have 1 to 1024 bytes"],
    ["../secret", "has a part . or .."],
    ["a/../../secret", "has a part . or .."],
    ["a/..", "has a part . or .."],
    ["./index.html", "has a part . or .."],
    ["/etc/passwd", "begins with a slash"],
    ["a//b", "has an empty part"],
    ["a/", "has an empty part"],
    ["..\\secret", "has a backslash"],
    ["C:\\a", "has a backslash"],
    ["a\0.html", "has a control character"],
    ["a\n.html", "has a control character"],
    ["a\u007f", "has a control character"],
    ["a\ud800", "not whole characters"],
    [".git/config", ".git is never published"],
    ["a/.GIT/config", ".GIT is never published"],
    ["node_modules/a/index.js", "node_modules is never published"],
    [".env", ".env is never published"],
    ["a/.env.local", ".env.local is never published"],
    [".Env.production", ".Env.production is never published"]
  ])("[C-357] names a file below the site, and no other: %j", (path, fault) => {
    expect(pathFault(path)).toBe(fault)
  })
})

describe("filesFault", () => {
  const { siteFiles, siteFileBytes, siteBytes } = SiteLimits

  it("[C-357] takes 10,000 files and refuses 10,001", () => {
    const files = Array.from({ length: siteFiles.max }, (_, index) => file(`f${index}`))
    expect(filesFault(files)).toBeNull()
    expect(filesFault([...files, file("one-more")])).toBe("files: over 10000 files")
    expect(filesFault([])).toBe("files: must have at least one file")
  })

  it("[C-357] takes a file of 25 MiB and refuses one byte more", () => {
    expect(filesFault([file("a", { bytes: siteFileBytes.max })])).toBeNull()
    expect(filesFault([file("a", { bytes: siteFileBytes.max + 1 })])).toBe("files: over 25 MiB: a")
  })

  it("[C-357] takes 512 MiB in all and refuses one byte more", () => {
    const large = Array.from({ length: 20 }, (_, index) =>
      file(`f${index}`, { hash: hashOf(index), bytes: siteFileBytes.max })
    )
    const rest = siteBytes.max - 20 * siteFileBytes.max
    expect(filesFault([...large, file("rest", { bytes: rest })])).toBeNull()
    expect(filesFault([...large, file("rest", { bytes: rest + 1 })])).toBe(
      "files: over 512 MiB in all"
    )
  })

  it.each([
    [[file("a"), file("a")], "files: named twice: a"],
    [[file("a"), file("b", { bytes: 2 })], "files: another size of the same hash: b"],
    [[file("a/b"), file("a")], "files: below another file: a/b"],
    [[file("a", { hash: hash.toUpperCase() })], "files: hash must be 64 of 0-9 a-f: a"],
    [[file("a", { bytes: 0.5 })], "files: bytes must be a whole number: a"],
    [[file("a", { bytes: -1 })], "files: bytes must be a whole number: a"],
    [[file("a"), file("../b")], "files: has a part . or ..: ../b"],
    [[file("a\u001b[2Jb")], "files: has a control character: a\\u001b[2Jb"]
  ])("[C-357] names the file that it refuses: %j", (files, fault) => {
    expect(filesFault(files)).toBe(fault)
  })

  it("[C-357] says why in 96 bytes, however long the path is", () => {
    const fault = filesFault([file(`${"a".repeat(2000)}`)]) ?? ""
    expect(new TextEncoder().encode(fault).length).toBe(96)
    expect(fault).toMatch(/^files: must have 1 to 1024 bytes: aaa/)
  })
})

describe("changedPaths", () => {
  const before = new Map([
    ["a", "1"],
    ["b", "1"],
    ["c", "1"]
  ])
  it.each([
    [new Map(before), 0],
    [new Map<string, string>(), 3],
    [new Map([...before, ["d", "1"]]), 1],
    [
      new Map([
        ["a", "1"],
        ["b", "2"],
        ["d", "1"]
      ]),
      3
    ]
  ])("[C-357] counts paths that are new, gone or have another content", (after, changed) => {
    expect(changedPaths(before, after)).toBe(changed)
  })
})
