import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  notRecording,
  RecordingEvent,
  type RecordingAction,
  type RecordingState,
  resumed,
  step
} from "./RecordingMachine.ts"

const MiB = 1024 * 1024
const wall = { meter: "storageBytes", cap: 1, endMs: 0 } as const

const record = (caller = 1, more: object = {}) =>
  RecordingEvent.RecordAsked({
    caller,
    replayId: `rp_${caller}`,
    ttlMs: 60_000,
    wall: null,
    ...more
  })
const ready = (number: number, more: object = {}) =>
  RecordingEvent.ChunkReady({ number, wall: null, ...more })
const stored = (number: number, bytes = 10) =>
  RecordingEvent.ChunkStored({ number, bytes, expiresAtMs: 99 })
const failed = (number: number) => RecordingEvent.ChunkFailed({ number, why: "it is gone" })
const stop = (caller: number) => RecordingEvent.StopAsked({ caller })

/** An action in words. */
const said = (action: RecordingAction): string => {
  switch (action._tag) {
    case "AnswerStarted":
      return `started ${action.caller}`
    case "AnswerStopped":
      return `stopped ${action.caller} with ${action.stored.bytes}`
    case "Refuse":
      return `${action.code} ${action.caller}`
    case "StoreChunk":
      return `store ${action.number}${action.begun ? "" : " first"}`
    case "TellRoom":
      return `tell ${action.replayId}`
    case "EndStored":
      return `end ${action.replayId}`
  }
}

const play = (
  events: ReadonlyArray<RecordingEvent>,
  from: RecordingState = notRecording
): { readonly state: RecordingState; readonly actions: ReadonlyArray<string> } => {
  let state = from
  const actions: string[] = []
  for (const event of events) {
    const [next, ordered] = step(state, event)
    state = next
    actions.push(...ordered.map(said))
  }
  return { state, actions }
}

describe("a recording", () => {
  test.each<[string, ReadonlyArray<RecordingEvent>, ReadonlyArray<string>]>([
    ["starts once", [record(1), record(2)], ["started 1", "E_RECORDING 2"]],
    ["does not start at the wall", [record(1, { wall })], ["E_CAP_REACHED 1"]],
    ["is stopped by nobody who has none", [stop(5)], ["E_BAD_REQUEST 5"]],
    [
      "stores one chunk at a time, in order",
      [record(), ready(1), ready(2), stored(1), stored(2)],
      ["started 1", "store 1 first", "store 2"]
    ],
    [
      "answers a stop when all that was announced is stored",
      [record(), ready(1), ready(2), stop(5), stored(1), stored(2)],
      ["started 1", "store 1 first", "store 2", "end rp_1", "stopped 5 with 20"]
    ],
    [
      "answers a stop at once when nothing is on its way, and a second one alike",
      [record(), ready(1), stored(1), stop(5), stop(6)],
      ["started 1", "store 1 first", "end rp_1", "stopped 5 with 10", "stopped 6 with 10"]
    ],
    [
      "refuses the stop when nothing was stored",
      [record(), ready(1), failed(1), stop(5)],
      ["started 1", "store 1 first", "tell rp_1", "end rp_1", "E_NOT_STORED 5"]
    ],
    [
      "ends at the third chunk that waits, and what is on its way counts",
      [record(), ready(1), ready(2), ready(3), stored(1), stop(5)],
      ["started 1", "store 1 first", "tell rp_1", "end rp_1", "stopped 5 with 10"]
    ],
    [
      "ends at the wall",
      [record(), ready(1), stored(1), ready(2, { wall }), ready(3)],
      ["started 1", "store 1 first", "tell rp_1", "end rp_1"]
    ],
    [
      "ends when the room cannot record, without a word to it",
      [record(), ready(1), RecordingEvent.Lost(), stored(1), stop(5)],
      ["started 1", "store 1 first", "end rp_1", "stopped 5 with 10"]
    ],
    [
      "can be started again after its end",
      [record(), stop(5), record(2)],
      ["started 1", "end rp_1", "E_NOT_STORED 5", "started 2"]
    ]
  ])("[replay.chunks.waiting] [C-830] %s", (_, events, actions) => {
    expect(play(events).actions).toEqual(actions)
  })

  test("[replay.recording.size] takes 256 MiB, and the chunk that would be more is not stored", () => {
    const { max } = ReplayLimits.recordingBytes
    const before = { replayId: "rp_1", bytes: max - MiB, chunks: 9, expiresAtMs: 1 }
    const [, actions] = step(resumed(before, 60_000), ready(1))
    expect(actions).toMatchObject([{ bytesMax: MiB, begun: true }])
    const full = { ...before, chunks: ReplayLimits.recordingChunks.max }
    expect(step(resumed(full, 60_000), ready(1))[1]).toMatchObject([{ bytesMax: 0 }])
    const last = { ...full, chunks: ReplayLimits.recordingChunks.max - 1 }
    expect(step(resumed(last, 60_000), ready(1))[1]).toMatchObject([{ bytesMax: MiB }])
  })

  test("[C-830] every caller is answered once, and no more chunks wait than may", () => {
    const event = fc.oneof(
      fc.constantFrom(record(0), RecordingEvent.Lost()),
      fc.nat(4).map((number) => ready(number)),
      fc.nat(4).map((number) => ready(number, { wall })),
      fc.nat(4).map((number) => stored(number)),
      fc.nat(4).map((number) => failed(number)),
      fc.constant(stop(0))
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = notRecording
        const open = new Set<number>()
        for (const [index, each] of events.entries()) {
          const asks = each._tag === "RecordAsked" || each._tag === "StopAsked"
          const asked = asks ? { ...each, caller: index } : each
          if (asks) open.add(index)
          const [next, actions] = step(state, asked)
          for (const action of actions) {
            if ("caller" in action) expect(open.delete(action.caller)).toBe(true)
          }
          state = next
          if (state._tag === "Idle") expect(open.size).toBe(0)
          else {
            expect(state.waiting.length).toBeLessThanOrEqual(ReplayLimits.chunksWaiting.max)
            expect(state.stops).toEqual([...open])
          }
        }
      })
    )
  })
})
