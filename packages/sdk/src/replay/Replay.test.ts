import { historyOf, type Step } from "@atrium/wire/codec/testing/History"
import fc from "fast-check"
import { expect, expectTypeOf, test } from "vitest"

import type { ClientRoom } from "../client/ClientRoom.ts"
import type { Replay, WatchedRoom } from "./Replay.ts"
import {
  answersOf,
  type Film,
  film,
  filmed,
  openStage,
  startMs,
  tickMs
} from "./testing/ReplayStage.ts"

const flushes = (count: number): ReadonlyArray<Step> =>
  Array.from({ length: count }, () => ({ kind: "flush" }))

const anyHistory = historyOf(filmed).map((steps) => [...steps, ...flushes(9)])

/** Each flush changes something: one body moves, and the score counts. */
const steady = (flushes: number, saidTimes = 1): Film =>
  film(
    [
      { kind: "add", collection: "bodies", values: { x: 0, y: 0, name: "ball", hand: [] } },
      ...Array.from({ length: flushes }, (_, at) => [
        { kind: "set", shape: "bodies", field: "x", value: at + 1, pick: 0 } as const,
        { kind: "set", shape: "score", field: "red", value: at + 1, pick: 0 } as const,
        { kind: "flush" } as const
      ]).flat()
    ],
    { saidTimes }
  )

/** What a page sees of a replay from now on. */
const seen = (replay: Replay<typeof filmed>) => {
  const told: Array<string> = []
  replay.onMessage("said", ({ number }) => told.push(`said ${number} at ${replay.positionMs}`))
  return told
}

test("[C-837] seeking to a moment equals playing to it, state, records and messages", async () => {
  const moment = fc.nat(1500)
  await fc.assert(
    fc.asyncProperty(anyHistory, moment, moment, async (history, from, to) => {
      const shot = film(history)
      const played = await openStage(answersOf(shot))
      const sought = await openStage(answersOf(shot))
      await sought.replay.seek(from)
      const names = new Map<number, string>([...sought.replay.state.bodies].map(nameOf))
      sought.replay.on("bodies", {
        add: (body) => names.set(body.id, body.name),
        change: (body) => names.set(body.id, body.name),
        remove: ({ id }) => names.delete(id)
      })
      const whole = seen(played.replay)
      const rest = seen(sought.replay)
      played.replay.play()
      await played.flow(to)
      played.replay.pause()
      await sought.replay.seek(to)
      const atMs = Math.min(to, sought.replay.durationMs)
      expect(sought.replay.positionMs).toBe(atMs)
      expect([sought.replay.stateHash(), sought.replay.tick]).toEqual([
        played.replay.stateHash(),
        played.replay.tick
      ])
      // What the listeners were told leads from the one state to the other.
      expect([...names].toSorted(([a], [b]) => a - b)).toEqual(
        [...played.replay.state.bodies].map(nameOf)
      )
      // From there on it goes on as if it had played: what was said before is not said again.
      expect(rest).toEqual([])
      if (to >= sought.replay.durationMs) return
      for (const { replay, flow } of [played, sought]) {
        replay.play()
        await flow(5000)
      }
      expect(sought.replay.stateHash()).toBe(played.replay.stateHash())
      expect(rest).toEqual(whole.filter((line) => Number(line.split(" at ")[1]) >= atMs))
    }),
    {
      numRuns: 50,
      // Between two chunks, where a message belongs to the one before; and the start of all.
      examples: [
        [flushes(9), 0, 200],
        [flushes(9), 400, 0]
      ]
    }
  )
})

const nameOf = ({ id, name }: { readonly id: number; readonly name: string }) => [id, name] as const

test("[C-837] plays chunk after chunk by the clock, and stops at its end", async () => {
  const { replay, flow, asked } = await openStage(answersOf(steady(10)))
  const told = seen(replay)
  const ticks: Array<readonly [tick: number, red: number]> = []
  replay.onStateChange(({ score }) => ticks.push([replay.tick, score.red]))
  replay.onEnd(() => told.push(`end at ${replay.positionMs}`))
  expect([replay.id, replay.version, replay.type, replay.paused]).toEqual([
    "arena",
    7,
    "filmed",
    true
  ])
  expect(replay.startedAt).toEqual(new Date(startMs))
  expect(replay.durationMs).toBe(11 * tickMs)
  await flow(1000)
  expect([replay.positionMs, ticks]).toEqual([0, []])
  replay.play()
  await flow(tickMs / 2)
  // The next chunk is read before it is wanted.
  expect([replay.positionMs, asked]).toEqual([25, ["", "/chunks/0", "/chunks/1"]])
  await flow(1000)
  expect(ticks).toEqual(Array.from({ length: 10 }, (_, at) => [at + 4, at + 1]))
  expect(told).toEqual([
    "said 2 at 100",
    "said 4 at 200",
    "said 6 at 300",
    "said 8 at 400",
    "said 10 at 500",
    "end at 550"
  ])
  expect(replay.paused).toBe(true)
  replay.play()
  await flow(120)
  expect([replay.positionMs, replay.state.score.red]).toEqual([120, 2])
})

test("[C-837] plays faster and slower, pauses, and refuses any other speed", async () => {
  const { replay, flow } = await openStage(answersOf(steady(40)))
  replay.play()
  replay.speed = 8
  await flow(100)
  expect([replay.positionMs, replay.state.score.red]).toEqual([800, 16])
  replay.speed = 1 / 8
  await flow(400)
  expect([replay.positionMs, replay.state.score.red]).toEqual([850, 17])
  replay.pause()
  await flow(400)
  expect(replay.positionMs).toBe(850)
  for (const speed of [0, -1, 8.1, 1 / 8.1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => (replay.speed = speed)).toThrow(/^speed: from 1\/8 to 8/)
  }
  await expect(replay.seek(Number.NaN)).rejects.toThrow(/^seek: a number of ms/)
  expect(replay.speed).toBe(1 / 8)
})

test("[C-837] a listener may pause and seek", async () => {
  const { replay, flow } = await openStage(answersOf(steady(20)))
  const stop = replay.onMessage("said", ({ number }) => {
    if (number === 2) replay.pause()
    if (number === 6) void replay.seek(900)
  })
  replay.play()
  await flow(1000)
  expect([replay.paused, replay.positionMs]).toEqual([true, 100])
  replay.play()
  await flow(250)
  // Of three seeks at once the last one counts.
  expect([replay.positionMs, replay.state.score.red]).toEqual([950, 19])
  stop()
  const seeks = [100, 333, 610].map((atMs) => replay.seek(atMs))
  await Promise.all(seeks)
  expect([replay.positionMs, replay.state.score.red]).toEqual([610, 12])
})

test("[C-837] a listener of a seek may seek", async () => {
  const { replay, flow } = await openStage(answersOf(steady(20)))
  let second: Promise<void> | null = null
  const stop = replay.onStateChange(() => {
    if (replay.positionMs === 333) second ??= replay.seek(610)
  })
  await replay.seek(333)
  await second
  expect([replay.positionMs, replay.state.score.red]).toEqual([610, 12])
  stop()
  replay.play()
  await flow(100)
  expect([replay.positionMs, replay.state.score.red]).toEqual([710, 14])
})

test("[C-837] a listener of the messages of a sought moment may pause and seek", async () => {
  const { replay, flow } = await openStage(answersOf(steady(8, 3)))
  const told = seen(replay)
  const stop = replay.onMessage("said", () => replay.pause())
  await replay.seek(100)
  for (const count of [1, 2]) {
    replay.play()
    await flow(0)
    expect([replay.paused, replay.positionMs, told.length]).toEqual([true, 100, count])
  }
  stop()
  replay.onMessage("said", ({ number }) => {
    if (number === 2) void replay.seek(150)
  })
  replay.play()
  await flow(20)
  expect([replay.positionMs, told]).toEqual([170, Array.from({ length: 3 }, () => "said 2 at 100")])
})

test("[C-837] a listener may change the speed", async () => {
  const { replay, flow, waitsMs } = await openStage(answersOf(steady(20)))
  replay.onMessage("said", ({ number }) => {
    if (number === 2) replay.speed = 2
  })
  replay.play()
  await flow(140)
  expect([replay.positionMs, replay.state.score.red, waitsMs()]).toEqual([180, 3, [10]])
})

test("[C-837] waits for a far moment with timers that exist", async () => {
  const shot = film(flushes(1))
  const chunks = [{ index: 0, fromMs: 0, toMs: 2 ** 40 }]
  const far = {
    ...shot,
    chunks: [shot.chunks[0] ?? new Uint8Array()],
    facts: { ...shot.facts, chunks }
  }
  const { replay, flow, waitsMs } = await openStage(answersOf(far))
  await replay.seek(1000)
  replay.play()
  await flow(10)
  expect([replay.positionMs, waitsMs()]).toEqual([1010, [2 ** 31 - 11]])
})

test("[C-837] tells 5,000 messages of the moment that was sought, and leaves the others out", async () => {
  for (const [times, heard] of [
    [5000, 5000],
    [5001, 5000]
  ] as const) {
    const { replay, flow } = await openStage(answersOf(steady(2, times)))
    const told = seen(replay)
    const sought = replay.seek(100)
    await flow(0)
    await sought
    replay.play()
    await flow(10)
    expect(told).toHaveLength(heard)
  }
})

test("[C-837] is to a page what a joined room is", async () => {
  expectTypeOf<ClientRoom<typeof filmed>>().toExtend<WatchedRoom<typeof filmed>>()
  expectTypeOf<Replay<typeof filmed>>().toExtend<WatchedRoom<typeof filmed>>()
  const { replay, flow } = await openStage(answersOf(steady(8)))
  const draw = (room: WatchedRoom<typeof filmed>) => {
    const lines: Array<string> = []
    room.on("bodies", { change: ({ x }, fields) => lines.push(`${fields.join()} ${x}`) })
    room.on("score", { change: ({ red }) => lines.push(`red ${red}`) })
    room.onLeave((code, reason) => lines.push(`left ${code} ${reason}`))
    return lines
  }
  const lines = draw(replay)
  replay.play()
  await flow(100)
  expect(lines).toEqual(["red 1", "x 2", "red 2"])
  // @ts-expect-error -- the schema has no such name
  expect(() => replay.on("ghosts", {})).toThrow(/^ghosts: the schema has no such/)
  await replay.leave()
  await replay.leave()
  expect(lines.slice(3)).toEqual(["left 1000 the client left"])
  expect(replay.connected).toBe(false)
  await flow(1000)
  expect(lines).toHaveLength(4)
  await expect(replay.seek(0)).rejects.toMatchObject({ code: "E_LEFT" })
})
