import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

import { type GameFolder, makeGameFolder } from "../testing/GameFolder.ts"
import { isIgnored, watchFolders } from "./FolderWatch.ts"

describe("isIgnored", () => {
  it.each(["node_modules", "node_modules/a/b.ts", "x/node_modules/a.ts", ".git/HEAD", "a/.b/c.ts"])(
    "[D-41] %s is",
    (path) => expect(isIgnored(path)).toBe(true)
  )
  it.each(["room.ts", "src/room.ts", "my_node_modules/a.ts", "node_modules.ts", "a.b/c.d.ts"])(
    "[D-41] %s is not",
    (path) => expect(isIgnored(path)).toBe(false)
  )
})

describe("watchFolders", () => {
  let one: GameFolder
  let two: GameFolder
  beforeEach(async () => {
    one = await makeGameFolder({ "room.ts": "1", ".git/HEAD": "1", "node_modules/a/index.js": "1" })
    two = await makeGameFolder({ "src/deep/room.ts": "1" })
  })
  afterEach(async () => {
    await one.remove()
    await two.remove()
  })

  const afterChange = (change: () => Promise<void>): Promise<string> =>
    Effect.gen(function* () {
      const { nextChange } = yield* watchFolders([one.path, two.path])
      yield* Effect.promise(change)
      return yield* Effect.as(nextChange, "seen").pipe(
        Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.succeed("not seen") })
      )
    }).pipe(Effect.scoped, Effect.runPromise)

  const changes: ReadonlyArray<readonly [string, () => Promise<void>]> = [
    ["a file", () => one.write({ "room.ts": "2" })],
    ["a file deep in the second folder", () => two.write({ "src/deep/room.ts": "2" })],
    ["a folder that is new", () => two.write({ "lib/more/six.ts": "6" })],
    ["the end of a whole folder", () => two.remove()]
  ]
  it.each(changes)("[D-41] sees %s", async (_, change) => {
    expect(await afterChange(change)).toBe("seen")
  })

  it("[D-41] a folder that is not there is named", async () => {
    await two.remove()
    const refused = await Effect.runPromise(
      Effect.flip(Effect.scoped(watchFolders([one.path, two.path])))
    )
    expect(refused.message).toContain(`${two.path}: cannot be watched`)
  })
})
