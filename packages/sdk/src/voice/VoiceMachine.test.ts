import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  firstJoin,
  step,
  type VoiceAction,
  type VoiceEvent,
  type VoiceState
} from "./VoiceMachine.ts"

const answered: VoiceEvent = { _tag: "Answered", nowMs: 0 }
const lost = (nowMs = 0): VoiceEvent => ({ _tag: "Lost", nowMs, random: 1 })
const refused = (code: string): VoiceEvent => ({ _tag: "Refused", code, message: "why" })
const elapsed: VoiceEvent = { _tag: "WaitElapsed" }
const dropped: VoiceEvent = { _tag: "RoomDropped" }
const back: VoiceEvent = { _tag: "RoomBack" }
const left: VoiceEvent = { _tag: "LeaveAsked", code: "E_LEFT", message: "why" }

const after = (...events: ReadonlyArray<VoiceEvent>) =>
  events.reduce<readonly [VoiceState, ReadonlyArray<VoiceAction>]>(
    ([state], event) => step(state, event),
    [firstJoin, []]
  )

const waits = (waitMs: number) => [{ _tag: "Disconnect" }, { _tag: "StartWait", waitMs }]

describe("a client in a call", () => {
  test.each<[string, ReadonlyArray<VoiceEvent>, VoiceState["_tag"], ReadonlyArray<unknown>]>([
    ["an answer", [answered], "Joined", [{ _tag: "SettleJoin" }]],
    ["a lost call", [answered, lost()], "Waiting", waits(200)],
    [
      "a lost call, with luck",
      [answered, { _tag: "Lost", nowMs: 0, random: 0.25 }],
      "Waiting",
      waits(50)
    ],
    ["the end of the wait", [answered, lost(), elapsed], "Joining", [{ _tag: "Connect" }]],
    ["a second loss in a row", [answered, lost(), elapsed, lost()], "Waiting", waits(400)],
    [
      "a loss after 10 s in the call",
      [lost(), elapsed, answered, lost(10_000)],
      "Waiting",
      waits(200)
    ],
    ["a loss before that", [lost(), elapsed, answered, lost(9_999)], "Waiting", waits(400)],
    ["the answer of a later join", [answered, lost(), elapsed, answered], "Joined", []],
    ["a lost connection of the room", [answered, dropped], "Away", [{ _tag: "Disconnect" }]],
    ["a call lost meanwhile", [answered, dropped, lost()], "Away", []],
    ["the connection's return", [answered, dropped, back], "Joining", [{ _tag: "Connect" }]],
    ["too many frames", [refused("E_RATE_LIMITED")], "Waiting", waits(200)],
    [
      "a full call",
      [refused("E_VOICE_FULL")],
      "Ended",
      [{ _tag: "Disconnect" }, { _tag: "FailJoin", code: "E_VOICE_FULL", message: "why" }]
    ],
    [
      "a wall on the way back",
      [answered, lost(), elapsed, refused("E_CAP_REACHED")],
      "Ended",
      [{ _tag: "Disconnect" }, { _tag: "TellEnd", code: "E_CAP_REACHED", message: "why" }]
    ],
    ["a refusal of a join that was given up", [answered, refused("E_VOICE_FULL")], "Joined", []],
    [
      "its leave",
      [answered, left],
      "Ended",
      [
        { _tag: "SayLeave" },
        { _tag: "Disconnect" },
        { _tag: "TellEnd", code: "E_LEFT", message: "why" }
      ]
    ],
    ["anything after the end", [left, answered], "Ended", []]
  ])("[C-890] after %s", (...[, events, tag, actions]) => {
    const [state, performed] = after(...events)
    expect([state._tag, performed]).toEqual([tag, actions])
  })

  test("[C-890] waits 5 s at most, however often its call is lost", () => {
    const losses = Array.from({ length: 40 }, () => [lost(), elapsed]).flat()
    expect(after(...losses, lost())[1]).toEqual(waits(5_000))
  })

  test("[C-890] settles its join once, whatever happens", () => {
    const any = fc.constantFrom(
      answered,
      lost(),
      lost(20_000),
      refused("E_VOICE_FULL"),
      refused("E_RATE_LIMITED"),
      elapsed,
      dropped,
      back,
      left
    )
    fc.assert(
      fc.property(fc.array(any), (events) => {
        let state = firstJoin
        const all: Array<VoiceAction["_tag"]> = []
        for (const event of events) {
          const [next, actions] = step(state, event)
          state = next
          all.push(...actions.map(({ _tag }) => _tag))
        }
        const settled = all.filter((tag) => tag === "SettleJoin" || tag === "FailJoin").length
        const ended = all.filter((tag) => tag === "FailJoin" || tag === "TellEnd").length
        expect(settled).toBeLessThanOrEqual(1)
        expect(ended).toBe(state._tag === "Ended" ? 1 : 0)
      })
    )
  })
})
