import { describe, expect, it } from "vitest"

import { blobBytes, fill, ReplayStage, rewrite } from "./testing/ReplayStage.ts"

describe("an excerpt", () => {
  const frames = async (stage: ReplayStage, window: { fromMs: number; toMs: number }) =>
    Object(await stage.outcome(stage.it.replay.excerpt(window)))

  it("[C-832] has the state of its beginning and all that followed", async () => {
    const stage = new ReplayStage()
    await stage.play(4)
    stage.it.broadcast("boom", { at: 1 })
    await stage.play(10)
    const [fromMs, toMs] = [stage.nowMs - 10_500, stage.nowMs - 3000]
    const { value } = await frames(stage, { fromMs, toMs })
    const shown = Array.from(value, (frame) => {
      const { kind, atMs, tick } = Object(frame)
      return `${kind} ${atMs - fromMs} ${tick}`
    })
    expect(shown[0]).toBe("state 0 4")
    expect(shown).toContain("message 500 4")
    expect(shown.filter((line) => line.startsWith("patch"))).toHaveLength(8)
    expect(shown.at(-1)).toBe("patch 7500 12")
  })

  it("[replay.excerpt.window] takes 30,000 ms and refuses one more", async () => {
    const stage = new ReplayStage()
    await stage.play(40)
    const toMs = stage.nowMs
    expect(await frames(stage, { fromMs: toMs - 30_000, toMs })).toHaveProperty("value")
    expect(await frames(stage, { fromMs: toMs - 30_001, toMs })).toEqual({
      code: "E_EXCERPT_TOO_LONG"
    })
  })

  it.each([
    ["after now", { fromMs: 0, toMs: 1 }],
    ["before the footage", { fromMs: -30_000, toMs: -20_000 }],
    ["backwards", { fromMs: -1000, toMs: -2000 }],
    ["of no moments", { fromMs: Number.NaN, toMs: Number.NaN }]
  ])("[C-832] refuses a window that is %s", async (_, { fromMs, toMs }) => {
    const stage = new ReplayStage()
    await stage.play(15)
    const window = { fromMs: stage.nowMs + fromMs, toMs: stage.nowMs + toMs }
    expect(await frames(stage, window)).toEqual({ code: "E_BAD_REQUEST" })
  })

  it("[replay.excerpt.concurrent] [replay.excerpt.rate] is taken four times at once, and once more each second", async () => {
    const stage = new ReplayStage()
    await stage.play(5)
    const ask = () => frames(stage, { fromMs: stage.nowMs - 1000, toMs: stage.nowMs })
    const at = [await ask(), await ask(), await ask(), await ask(), await ask()]
    expect(at.map(({ code }) => code ?? "passes")).toEqual([
      ...Array.from({ length: 4 }, () => "passes"),
      "E_EXCERPT_COOLDOWN"
    ])
    stage.test.port.pass(999)
    expect(await ask()).toEqual({ code: "E_EXCERPT_COOLDOWN" })
    stage.test.port.pass(1)
    expect(await ask()).toHaveProperty("value")
    expect(await ask()).toEqual({ code: "E_EXCERPT_COOLDOWN" })
    // Its allowance is not that of clips.
    expect((await stage.clip()).followed.outcome).toMatchObject({ value: {} })
  })

  it("[replay.excerpt.output] has at most 4 MiB of frames", async () => {
    const stage = new ReplayStage()
    fill(stage, 1)
    const flash = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        rewrite(stage, () => new Uint8Array(blobBytes - 500).fill(stage.nowMs % 251))
        await stage.play(1)
      }
    }
    await flash(6)
    const toMs = stage.nowMs
    const codeFrom = async (fromMs: number) => (await frames(stage, { fromMs, toMs })).code
    // A state and three patches, then a state and four.
    expect(await codeFrom(toMs - 4000)).toBeUndefined()
    expect(await codeFrom(toMs - 5000)).toBe("E_EXCERPT_TOO_LARGE")
  })
})
