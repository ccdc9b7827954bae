import { describe, expect, it } from "vitest"

import { keyCommands, keyModel } from "./KeyModel.ts"
import { Abandoned, indefinite } from "./Machine.ts"
import { replayOf, replayText, type ReplayToken } from "./ReplayToken.ts"
import { runModel } from "./RunModel.ts"
import { FakeKeys, type KeyFault } from "./testing/FakeKeys.ts"

const run = (fault: KeyFault, options: { seed?: number; replay?: ReplayToken } = {}) =>
  runModel(keyModel, {
    commands: keyCommands,
    runs: 60,
    commandsMax: 20,
    limitMs: 10_000,
    start: async () => new FakeKeys(fault),
    seed: options.seed ?? 1,
    replay: options.replay ?? null
  })

describe("the model of keys", () => {
  it("[state.key.post-active] finds nothing in an implementation that is right", async () => {
    expect(await run("none")).toEqual({ runs: 60, failure: null })
  })

  // The last column: the fewest deeds that show it.
  const faults: ReadonlyArray<readonly [string, KeyFault, number]> = [
    ["keys.row.stays-after-revoke", "revoke deletes the row", 2],
    ["state.key.revoked-401", "a revoked key still works", 3],
    ["scope.write-implies-read", "write does not imply read", 2],
    ["scope.write.reaches", "read may write", 2],
    ["D-04", "the list is in another order", 2],
    ["auth.key.other-project-404", "another project's answer says so", 2],
    ["auth.key.cannot.revoke-self", "a key revokes itself", 2],
    ["auth.key.order-404-before-403", "the scope is looked at first", 2],
    ["keys.row.lastUsed", "a use is not kept", 2],
    ["state.key.delete-revoked", "a second revocation takes it back", 3],
    ["keys.row.scopes", "the third key shares the scopes of the first", 3]
  ]
  it.each(faults)("[%s] %s: found, and shrunk to the shortest", async (_, fault, deeds) => {
    for (const seed of [1, 2, 3]) {
      const { failure } = await run(fault, { seed })
      expect(failure?.story.length, `seed ${seed}: ${failure?.story.join("; ")}`).toBe(deeds)
    }
  })

  it("[state.key.revoked-401] the token of a failure repeats it, and it alone", async () => {
    const { failure } = await run("a revoked key still works")
    const token = replayText("state.key.revoked-401", failure?.replay ?? never())
    const replay = replayOf("state.key.revoked-401", token)
    const again = await run("a revoked key still works", { seed: 99, replay: replay ?? never() })
    expect(again.failure?.story).toEqual(failure?.story)
    expect(again.failure?.mismatch.message).toBe(failure?.mismatch.message)
    expect(await run("none", { replay: replay ?? never() })).toEqual({ runs: 1, failure: null })
    expect(replayOf("state.key.post-active", token)).toBeNull()
    expect(replayOf("state.key.post-active", null)).toBeNull()
  })

  it("[state.key.post-active] an error that is no mismatch is thrown at once, without shrinking", async () => {
    let started = 0
    const start = (): Promise<FakeKeys> => {
      started++
      return Promise.reject(new RangeError("no project"))
    }
    const options = { commands: keyCommands, runs: 9, commandsMax: 5, limitMs: 9000, seed: 1 }
    await expect(runModel(keyModel, { ...options, start, replay: null })).rejects.toThrow(
      "no project"
    )
    expect(started).toBe(1)
  })

  it("[D-10] a permitted other choice ends the sequence and is no failure", async () => {
    const start = async () => {
      const keys = new FakeKeys("a revoked key still works")
      const perform: FakeKeys["perform"] = (deed) => {
        if (deed.kind === "revoke") throw new Abandoned()
        return keys.perform(deed)
      }
      return { perform, view: () => keys.view() }
    }
    const options = { commands: keyCommands, runs: 20, commandsMax: 20, limitMs: 9000, seed: 1 }
    expect(await runModel(keyModel, { ...options, start, replay: null })).toEqual({
      runs: 20,
      failure: null
    })
  })
})

describe("answers that are missing", () => {
  const broken = (
    disturbed: boolean,
    lost: (deed: string) => "done" | "not done" | "half done" | "answered"
  ) =>
    runModel(keyModel, {
      commands: keyCommands,
      runs: 60,
      commandsMax: 12,
      limitMs: 10_000,
      seed: 1,
      replay: null,
      start: async () => {
        const keys = new FakeKeys("none")
        const perform: FakeKeys["perform"] = async (deed) => {
          const what = lost(deed.kind)
          if (what === "not done") return indefinite
          const answer = await keys.perform(deed)
          // Half done: something else than was asked for.
          if (what === "half done" && deed.kind === "revoke") {
            await keys.perform({ kind: "use", label: deed.label, route: "list", place: "own" })
            await keys.perform({ kind: "mint", label: "half", scopes: ["rooms:read"] })
          }
          return what === "answered" ? answer : indefinite
        }
        return { perform, view: () => keys.view(), disturbed: () => disturbed }
      }
    })
  const onRevoke = (what: "done" | "not done" | "half done") => (deed: string) =>
    deed === "revoke" ? what : "answered"

  it.each(["done", "not done"] as const)(
    "[D-19] a deed may be %s, when something was broken",
    async (what) => {
      expect((await broken(true, onRevoke(what))).failure).toBeNull()
    }
  )

  it("[D-19] it is never half done", async () => {
    expect((await broken(true, onRevoke("half done"))).failure?.story.at(-1)).toMatch(/no answer$/)
  })

  it("[D-19] nothing was broken: an answer that is missing is wrong", async () => {
    expect((await broken(false, onRevoke("done"))).failure?.mismatch.expected).toBe("an answer")
  })
})

const never = (): never => {
  throw new Error("there is no failure")
}
