import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, type FileSystem } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

import { type GameFolder, makeGameFolder } from "../testing/GameFolder.ts"
import { findLogin, forgetLogin, keepLogin, type Login, loginsPath } from "./LoginsFile.ts"

const here = "http://127.0.0.1:8787"
const there = "https://rooms.example"

const loginOf = (name: string): Login => ({
  token: `ct_${"t".repeat(43)}`,
  tokenId: "tok_1",
  accountId: "acc_1",
  name,
  expiresAt: "2026-04-01T00:00:00.000Z"
})

let home: GameFolder
let folder = ""
let file = ""

beforeEach(async () => {
  home = await makeGameFolder({})
  folder = join(home.path, "atrium")
  file = join(folder, "credentials.json")
})
afterEach(() => home.remove())

const run = <A, E>(
  effect: Effect.Effect<A, E, FileSystem.FileSystem>,
  env: Readonly<Record<string, string>> = { XDG_CONFIG_HOME: home.path }
): Promise<A> =>
  effect.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe("the file of logins", () => {
  it("[D-23] keeps one login for each control plane", async () => {
    expect(await run(findLogin(here))).toBeNull()
    await run(keepLogin(here, loginOf("Ada")))
    await run(keepLogin(there, loginOf("Bea")))
    await run(keepLogin(here, loginOf("Cy")))
    expect(await run(findLogin(here))).toEqual(loginOf("Cy"))
    await run(forgetLogin(here))
    expect(await run(findLogin(here))).toBeNull()
    expect(await run(findLogin(there))).toEqual(loginOf("Bea"))
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      logins: { [there]: loginOf("Bea") }
    })
  })

  it("[C-75] is for its owner alone, also in a folder that was open", async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    await run(keepLogin(here, loginOf("Ada")))
    expect(await modeOf(folder)).toBe(0o700)
    expect(await modeOf(file)).toBe(0o600)
  })

  it("[C-75] is replaced as a whole, and nothing else stays in the folder", async () => {
    await run(keepLogin(here, loginOf("Ada")))
    await chmod(file, 0o644)
    const before = await stat(file)
    await run(keepLogin(there, loginOf("Bea")))
    expect((await stat(file)).ino).not.toBe(before.ino)
    expect(await modeOf(file)).toBe(0o600)
    expect(await readdir(folder)).toEqual(["credentials.json"])
  })

  const broken = [
    "",
    "{",
    "[]",
    "{}",
    '{"logins":[]}',
    `{"logins":{"${here}":{"token":"ct_${"s".repeat(43)}"}}}`,
    JSON.stringify({ logins: { [here]: { ...loginOf("Ada"), token: "ct_sesame\nx" } } })
  ]
  it.each(broken)("[C-75] %s is named, and stays as it is", async (text) => {
    await mkdir(folder)
    await writeFile(file, text)
    for (const use of [findLogin(here), keepLogin(here, loginOf("Ada")), forgetLogin(there)]) {
      const refused = await run(Effect.flip(Effect.asVoid(use)))
      expect(refused.message).toBe(`${file}: not a file of \`atrium login\`; mend or remove it`)
    }
    expect(await readFile(file, "utf8")).toBe(text)
    expect(await readdir(folder)).toEqual(["credentials.json"])
  })

  it("[C-75] names a file that it cannot read or write", async () => {
    await mkdir(file, { recursive: true })
    expect((await run(Effect.flip(findLogin(here)))).message).toMatch(`${file}: `)
    await rename(folder, join(home.path, "else"))
    await writeFile(folder, "")
    expect((await run(Effect.flip(keepLogin(here, loginOf("Ada"))))).message).toMatch(`${file}: `)
  })
})

describe("its place", () => {
  const places: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x", HOME: "/h" }, "/x/atrium/credentials.json"],
    ["HOME", { HOME: "/h" }, "/h/.config/atrium/credentials.json"],
    ["HOME, the other being relative", { XDG_CONFIG_HOME: "x", HOME: "/h" }, "/h/.config/atrium"],
    ["HOME, the other being empty", { XDG_CONFIG_HOME: "", HOME: "/h" }, "/h/.config/atrium"]
  ]
  it.each(places)("[C-75] %s", async (_, env, path) => {
    expect(await run(loginsPath, env)).toMatch(path)
  })
})
