import { join } from "node:path"

import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"

import { WorkingDirectory } from "../WorkingDirectory.ts"
import { attachStatic } from "./AttachStatic.ts"
import { type SiteInput, sitePlace, siteWish } from "./SitePlace.ts"

describe("attachStatic", () => {
  it.each<readonly [string, string]>([
    ["deploy --static", "deploy --static"],
    ["deploy --static dist", "deploy --static=dist"],
    ["deploy --static=dist", "deploy --static=dist"],
    ["deploy --static --label x", "deploy --static --label x"],
    ["deploy --static dist --label x", "deploy --static=dist --label x"],
    ["deploy game --static", "deploy game --static"],
    ["deploy --static -c game.json", "deploy --static -c game.json"],
    ["deploy -- --static dist", "deploy -- --static dist"],
    ["deploy --static -- dist", "deploy --static -- dist"],
    ["rooms --static dist", "rooms --static dist"]
  ])("[C-373] %s is read as %s", (typed, read) => {
    expect(attachStatic(typed.split(" ")).join(" ")).toBe(read)
  })
})

const none: SiteInput = {
  static: Option.none(),
  noStatic: false,
  label: Option.none(),
  includeDotfiles: false
}
const root = "/games/chess"
const place = (input: Partial<SiteInput>, text = "") =>
  siteWish({ ...none, ...input }).pipe(
    Effect.flatMap((wish) =>
      sitePlace({ text, root: join(root, "web"), shownPath: "web/service.json" }, wish)
    ),
    Effect.match({ onFailure: ({ message }) => message, onSuccess: (found) => found }),
    Effect.provideService(WorkingDirectory, root),
    Effect.runPromise
  )
const bare = Option.some("\0")

describe("sitePlace", () => {
  const file = '{"static":{"dir":"dist","label":"chess"}}'

  it("[file.static.flags-win] takes folder and label of the command line, then of the file, each from its place", async () => {
    const ofFile = { root: "/games/chess/web/dist", shown: "web/dist", label: "chess" }
    expect(await place({}, file)).toEqual({ ...ofFile, dotfiles: false })
    expect(await place({ static: bare }, file)).toEqual({ ...ofFile, dotfiles: false })
    const flags = { static: Option.some("out"), label: Option.some("x"), includeDotfiles: true }
    const ofFlags = { root: "/games/chess/out", shown: "out", label: "x", dotfiles: true }
    expect(await place(flags, file)).toEqual(ofFlags)
    expect(await place({ static: Option.some("out") }, "{}")).toMatchObject({ label: null })
  })

  it("[file.static.no-static-flag] [file.static.omitted] names no site with --no-static, or without key and flag", async () => {
    expect(await place({ noStatic: true }, '{"static":5}')).toBeNull()
    expect(await place({}, "{}")).toBeNull()
    expect(await place({}, "")).toBeNull()
  })

  it("[file.static.neither-refused] refuses to deploy a site that nothing names, naming both options", async () => {
    for (const [flag, input] of [
      ["--static", { static: bare }],
      ["--label", { label: Option.some("x") }],
      ["--include-dotfiles", { includeDotfiles: true }]
    ] as const) {
      expect(await place(input, "{}")).toBe(
        `${flag}: no folder of a site is named; say --static <dir>, or "static": "<dir>" in web/service.json`
      )
    }
  })

  it("[file.validate.static-type] refuses a bad key, also beside a folder of the command line", async () => {
    const fault =
      "web/service.json: static: must be the path of a folder, or an object with it as dir"
    for (const input of [{}, { static: bare }, { static: Option.some("out") }]) {
      expect(await place(input, '{"static":5}')).toBe(fault)
    }
  })

  it("[C-373] refuses --no-static beside a flag about the site, and empty values", async () => {
    const contradiction = (flag: string) =>
      `--no-static and ${flag} contradict each other: leave one out`
    const noStatic = true
    expect(await place({ noStatic, static: bare })).toBe(contradiction("--static"))
    expect(await place({ noStatic, label: Option.some("x") })).toBe(contradiction("--label"))
    expect(await place({ noStatic, includeDotfiles: true })).toBe(
      contradiction("--include-dotfiles")
    )
    expect(await place({ static: Option.some("") })).toBe("--static: must be a non-empty string")
    expect(await place({ label: Option.some("") })).toBe("--label: must be a non-empty string")
  })
})
