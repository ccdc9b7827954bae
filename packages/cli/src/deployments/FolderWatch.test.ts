import { rename } from "node:fs/promises"
import { join } from "node:path"

import { Effect, Option } from "effect"
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

  /** Makes the changes one after the other; answers for each whether it was seen. */
  const afterChanges = (
    ...changes: ReadonlyArray<() => Promise<void>>
  ): Promise<ReadonlyArray<string>> =>
    Effect.gen(function* () {
      const { nextChange } = yield* watchFolders([one.path, two.path])
      const seen = Effect.as(nextChange, "seen").pipe(
        Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.succeed("not seen") })
      )
      return yield* Effect.forEach(changes, (change) =>
        Effect.andThen(Effect.promise(change), seen)
      )
    }).pipe(Effect.scoped, Effect.runPromise)

  const changes: ReadonlyArray<readonly [string, () => Promise<void>]> = [
    ["a file", () => one.write({ "room.ts": "2" })],
    ["a file deep in the second folder", () => two.write({ "src/deep/room.ts": "2" })],
    ["a folder that is new", () => two.write({ "lib/more/six.ts": "6" })],
    ["the end of a whole folder", () => two.remove()]
  ]
  it.each(changes)("[D-41] sees %s", async (_, change) => {
    expect(await afterChanges(change)).toEqual(["seen"])
  })

  it("[C-362] sees a file that is written after an editor has put another in its place", async () => {
    const saved = async (): Promise<void> => {
      await one.write({ ".room.ts.swp": "2" })
      await rename(join(one.path, ".room.ts.swp"), join(one.path, "room.ts"))
    }
    const written = () => one.write({ "room.ts": "3" })
    expect(await afterChanges(saved, written, saved)).toEqual(["seen", "seen", "seen"])
  })

  it("[D-41] does not see what is ignored", async () => {
    const look = Effect.gen(function* () {
      const { nextChange } = yield* watchFolders([one.path])
      yield* Effect.promise(() => one.write({ "node_modules/a/index.js": "2", ".git/HEAD": "2" }))
      return yield* Effect.timeoutOption(nextChange, "500 millis")
    })
    expect(Option.isNone(await Effect.runPromise(Effect.scoped(look)))).toBe(true)
  })

  it("[D-41] a folder that is not there is named", async () => {
    await two.remove()
    const refused = await Effect.runPromise(
      Effect.flip(Effect.scoped(watchFolders([one.path, two.path])))
    )
    expect(refused.message).toContain(`${two.path}: cannot be watched`)
  })
})
