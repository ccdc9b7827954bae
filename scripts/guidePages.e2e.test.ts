// @module-tag thorough

import { programOf } from "@atrium/api/testing/BuiltPrograms"
import { call } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { expect, test } from "vitest"

import { guideFolder, type GuideFolder, guidePage } from "./guidePages/GuidePage.ts"

const service = sharedService()

interface Played {
  readonly project: string
  /** Every block of text of the page. */
  readonly texts: ReadonlyArray<string>
  readonly folder: GuideFolder
  /** Runs `atrium` in the folder of the page. @returns all that it writes */
  readonly atrium: (...argv: ReadonlyArray<string>) => Promise<string>
}

/** Deploys a page's rooms with its project file, and runs its program, which must print what the page says. */
const played = async (page: string, act: (played: Played) => Promise<void>): Promise<void> => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: page } })
  const project = String(made.body["id"])
  const { files, project: file, output, texts } = await guidePage(page, { url, project })
  const json = JSON.stringify({ ...file, project })
  const folder = await guideFolder(new Map([...files, ["service.json", json]]))
  const atrium = (...argv: ReadonlyArray<string>): Promise<string> =>
    folder.run([programOf("cli"), ...argv], {
      NO_COLOR: "1",
      ATRIUM_URL: url,
      ATRIUM_TOKEN: token
    })
  try {
    if (files.has("schema.ts")) expect(await atrium("deploy")).toMatch(/^version +1$/m)
    const secret = page === "identity" ? await atrium("keys", "jwt-secret", "--yes") : ""
    const [GAME_SECRET = ""] = /js_\S+/.exec(secret) ?? []
    expect(await folder.run(["try.ts"], { GAME_SECRET })).toBe(output)
    await act({ project, texts, folder, atrium })
  } finally {
    await folder.remove()
  }
}

const nothingElse = async (): Promise<void> => {}

test.each([
  ["D-27", "identity"],
  ["D-28", "accounts"],
  ["D-32", "presence"],
  ["D-31", "matchmaking"]
])("[%s] the program of docs/guide/%s.md prints what the page says", (_, page) =>
  played(page, nothingElse)
)

test("[D-34] [C-650] the program of docs/guide/leaderboards.md prints what the page says, and so do the commands", () =>
  played("leaderboards", async ({ atrium }) => {
    expect(await atrium("boards", "list")).toMatch(/^throws +higher +best +all time +yes$/m)
    expect(await atrium("boards", "top", "coins")).toMatch(/^2 +pl_[0-9a-f]{16} +5 +/m)
    expect(await atrium("boards", "reset", "coins", "--yes")).toBe("reset coins\n")
    const emptied = await atrium("boards", "top", "coins", "--json")
    expect(JSON.parse(emptied)).toMatchObject({ board: "coins", rows: [] })
    expect(await atrium("boards", "delete", "coins", "--yes")).toBe("deleted coins\n")
    expect(await atrium("boards", "top", "coins")).toContain("E_BOARD_UNKNOWN")
  }))

test("[C-837] the page of docs/guide/replays.md draws a replay as it draws the room", () =>
  played("replays", async ({ folder, texts }) => {
    const printed = await folder.run(["watch.ts"])
    expect(printed).toMatch(/^live/)
    expect(texts).toContain(printed)
  }))
