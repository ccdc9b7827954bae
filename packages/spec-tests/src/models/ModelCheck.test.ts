import { describe, expect, it } from "vitest"

import { Mismatch } from "../check/Expect.ts"
import { keyCommands, keyModel, keyStory } from "./KeyModel.ts"
import { judge } from "./ModelCheck.ts"
import { FakeKeys, type KeyFault } from "./testing/FakeKeys.ts"

interface Judged {
  /** Null = it passes. */
  readonly mismatch: Mismatch | null
  readonly token: string | null
  readonly notes: ReadonlyArray<string>
}

interface JudgeOptions {
  readonly replay?: string | null
  readonly modelRuns?: number
  readonly limitMs?: number
  readonly runs?: number
  readonly story?: typeof keyStory
  /** Before each deed. */
  readonly pause?: () => Promise<void>
}

const judged = async (fault: KeyFault, options: JudgeOptions = {}): Promise<Judged> => {
  const notes: Array<string> = []
  let token: string | null = null
  const trial = {
    seed: 1,
    replay: options.replay ?? null,
    modelRuns: options.modelRuns ?? null,
    note: (line: string) => void notes.push(line),
    replaysWith: (text: string) => void (token = text)
  }
  const start = async () => {
    const keys = new FakeKeys(fault)
    const perform: FakeKeys["perform"] = async (deed) => {
      await options.pause?.()
      return keys.perform(deed)
    }
    return { perform, view: () => keys.view() }
  }
  const check = {
    id: "state.key.revoked-401",
    title: "",
    model: keyModel,
    commands: keyCommands,
    runs: options.runs ?? 40,
    commandsMax: options.runs === undefined ? 20 : 1,
    story: options.story ?? [],
    limitMs: options.limitMs ?? 10_000,
    start
  }
  const cause: unknown = await judge(check, trial, start).catch((failed: unknown) => failed)
  if (cause !== undefined && !(cause instanceof Mismatch)) throw cause
  return { mismatch: cause ?? null, token, notes }
}

describe("a check of a model", () => {
  it("[state.key.revoked-401] passes a right implementation after the number of sequences that the run names", async () => {
    expect(await judged("none")).toEqual({ mismatch: null, token: null, notes: ["40 sequences"] })
    const nightly = await judged("none", { modelRuns: 200 })
    expect(nightly).toEqual({ mismatch: null, token: null, notes: ["200 sequences"] })
  })

  it("[state.key.revoked-401] fails with the sequence, and a token that repeats it", async () => {
    const { mismatch, token, notes } = await judged("a revoked key still works")
    expect(mismatch?.what).toMatch(/^mint key 1 .*; revoke key 1 -> ok; .* the answer to /)
    expect(mismatch?.expected).toBe("401 E_UNAUTHENTICATED")
    expect(token).toMatch(/^state\.key\.revoked-401@1@[\d:]+@.+/)
    expect(notes).toContainEqual(expect.stringMatching(/^the shortest sequence found: mint key 1/))
    const again = await judged("a revoked key still works", { replay: token })
    expect(again.mismatch?.message).toBe(mismatch?.message)
    expect((await judged("none", { replay: token })).notes).toEqual(["1 sequences"])
  })

  it("[C-319] [state.key.revoked-401] asks its story when chance brings no sequence that is wrong", async () => {
    const fault = "a second revocation takes it back"
    expect((await judged(fault, { runs: 1 })).mismatch).toBeNull()
    const { mismatch, token } = await judged(fault, { runs: 1, story: keyStory })
    expect(mismatch?.what).toMatch(/^mint key 1 .*; revoke key 1 -> ok; .*revoke key 1 -> ok: /)
    expect(token).toBeNull()
    expect((await judged("none", { story: keyStory })).mismatch).toBeNull()
  })

  it("[state.key.revoked-401] ignores the replay token of another check", async () => {
    const { notes } = await judged("none", { replay: "state.room.force-delete@1@0@B" })
    expect(notes).toEqual(["40 sequences"])
  })

  // The time of a model check is the machine's.
  const slowly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

  it("[state.key.revoked-401] ends in time, but not before a whole sequence", async () => {
    const { mismatch, notes } = await judged("none", { pause: slowly, limitMs: 100 })
    expect(mismatch).toBeNull()
    expect(Number(/^(\d+) sequences/.exec(notes[0] ?? "")?.[1])).toBeLessThan(40)
    expect(notes[0]).not.toBe("0 sequences")
  })

  it("[state.key.revoked-401] fails an implementation that never answers", async () => {
    const never = (): Promise<void> => new Promise(() => undefined)
    const { mismatch } = await judged("none", { pause: never, limitMs: 10 })
    expect(mismatch?.what).toBe("the end of the sequences")
  })
})
