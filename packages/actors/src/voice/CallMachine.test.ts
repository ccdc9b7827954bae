import type { CapWall } from "@atrium/domain/meters/Caps"
import { VoiceLimits } from "@atrium/wire/voice/VoiceLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { CallAction, CallEvent, type CallState, isRunning, noCall, step } from "./CallMachine.ts"

const { AskWall, JoinMedia, LeaveMedia, SetGroups, BeginMeter, EndMeter, Tell } = CallAction
const { voiceSdpBytes } = VoiceLimits

const everybody = { speaks: [""], hears: [""] }
const red = { speaks: ["red"], hears: ["red"] }
const wall: CapWall = { meter: "voiceMinutes", cap: 5, endMs: 0 }

const client = (ref: number, viewer = false) => ({ ref, clientId: `s${ref}`, viewer })

/** A client asks with the number 100 more than its seat, unless said. */
const asks = (ref: number, { media = 100 + ref, offer = "sdp", capacity = 3 } = {}) =>
  CallEvent.JoinAsked({ client: client(ref), offer, media, capacity })
const joined = (media: number) => CallEvent.MediaJoined({ media, answer: "answer" })

/** @returns the state, and what the last event brought about */
const after = (...events: ReadonlyArray<CallEvent>) =>
  events.reduce<readonly [CallState, ReadonlyArray<CallAction>]>(
    ([state], event) => step(state, event),
    [noCall, []]
  )

/** Events by which these clients are in the call. */
const withIn = (...refs: ReadonlyArray<number>): ReadonlyArray<CallEvent> => [
  ...refs.slice(0, 1).flatMap((ref) => [asks(ref), CallEvent.WallAnswered({ wall: null })]),
  ...refs.slice(1).map((ref) => asks(ref)),
  ...refs.map((ref) => joined(100 + ref))
]

const refusal = (ref: number, code: string) =>
  expect.objectContaining({ ref, told: expect.objectContaining({ _tag: "refused", code }) })
const roll = (ref: number, ...participants: ReadonlyArray<string>) =>
  Tell({ ref, told: { _tag: "call", participants } })

describe("a join", () => {
  test("[C-892] begins a call when no wall refuses it, and is metered when the media answer", () => {
    expect(after(asks(1))[1]).toEqual([AskWall()])
    expect(after(asks(1), asks(2))[1]).toEqual([])
    expect(after(asks(1), asks(2), CallEvent.WallAnswered({ wall: null }))[1]).toEqual([
      JoinMedia({ media: 101, offer: "sdp", groups: everybody }),
      JoinMedia({ media: 102, offer: "sdp", groups: everybody })
    ])
    expect(after(...withIn(1))[1]).toEqual([
      BeginMeter({ ref: 1 }),
      Tell({ ref: 1, told: { _tag: "joined", answer: "answer" } }),
      roll(1, "s1")
    ])
  })

  test("[C-894] at the wall a call does not begin, and a running one takes more participants", () => {
    const [state, actions] = after(asks(1), asks(2), CallEvent.WallAnswered({ wall }))
    expect(actions).toEqual([refusal(1, "E_CAP_REACHED"), refusal(2, "E_CAP_REACHED")])
    expect(state).toEqual(noCall)
    expect(after(...withIn(1), asks(2))[1]).toEqual([
      JoinMedia({ media: 102, offer: "sdp", groups: everybody })
    ])
    // The media are lost, the call is not: it goes on with whoever comes back.
    expect(after(...withIn(1), CallEvent.MediaLost({ media: 101 }), asks(1))[1]).toEqual([
      JoinMedia({ media: 101, offer: "sdp", groups: everybody })
    ])
    // Its last participant has left: the next one begins another call.
    expect(after(...withIn(1), CallEvent.ClientLeft({ ref: 1 }), asks(2))[1]).toEqual([AskWall()])
  })

  test("[C-894] at the wall a call that was running where the room comes from takes participants, until its time is over", () => {
    const joins = [JoinMedia({ media: 101, offer: "sdp", groups: everybody })]
    expect(after(CallEvent.CallContinued(), asks(1))[1]).toEqual(joins)
    const over = [CallEvent.CallContinued(), CallEvent.ContinuedOver()]
    expect(after(...over, asks(1))[1]).toEqual([AskWall()])
    expect(after(...over)[0]).toEqual(noCall)
    // They came back, and the last one has left: the next one begins another call.
    const left = [asks(1), CallEvent.ClientLeft({ ref: 1 })]
    expect(after(CallEvent.CallContinued(), ...left, asks(2))[1]).toEqual([AskWall()])
    // One that moves on at once is still the same call.
    expect(isRunning(after(CallEvent.CallContinued())[0])).toBe(true)
    expect(after(CallEvent.CallContinued(), CallEvent.RoomMoved())[0]).toEqual(noCall)
  })

  test.each<[string, CallEvent, string]>([
    [
      "a room without calls",
      CallEvent.JoinAsked({ client: client(9), offer: "sdp", media: 9, capacity: null }),
      "E_VOICE_OFF"
    ],
    [
      "a viewer",
      CallEvent.JoinAsked({ client: client(9, true), offer: "sdp", media: 9, capacity: 3 }),
      "E_VOICE_OFF"
    ],
    [
      "an offer past the bound",
      asks(9, { offer: "x".repeat(voiceSdpBytes.max + 1) }),
      "E_BAD_MESSAGE"
    ],
    ["one more than the type declares", asks(9, { capacity: 2 }), "E_VOICE_FULL"]
  ])("[D-59] of %s is refused by a frame, and changes nothing", (_, event, code) => {
    const [before] = after(...withIn(1, 2))
    expect(step(before, event)).toEqual([before, [refusal(9, code)]])
  })

  test("[D-59] passes with an offer at the bound, and by the last participant", () => {
    const offer = "x".repeat(voiceSdpBytes.max)
    expect(after(...withIn(1, 2), asks(3, { offer }))[1]).toEqual([
      JoinMedia({ media: 103, offer, groups: everybody })
    ])
    expect(after(asks(1), asks(2), asks(3), asks(4))[1]).toEqual([refusal(4, "E_VOICE_FULL")])
  })

  test("[C-892] again takes the place of the one before, also in a full call, and its time goes on", () => {
    const again = after(...withIn(1, 2, 3), asks(2, { media: 200 }))
    expect(again[1]).toEqual([
      LeaveMedia({ media: 102 }),
      JoinMedia({ media: 200, offer: "sdp", groups: everybody })
    ])
    expect(step(again[0], joined(102))[1]).toEqual([])
    expect(step(again[0], joined(200))[1]).not.toContainEqual(BeginMeter({ ref: 2 }))
  })

  test("[C-892] that the media refuse frees the place", () => {
    const refused = CallEvent.MediaRefused({ media: 101, code: "E_VOICE_FULL", message: "full" })
    const [state, actions] = after(asks(1), CallEvent.WallAnswered({ wall: null }), refused)
    expect([state.participants.size, actions]).toEqual([0, [refusal(1, "E_VOICE_FULL")]])
  })
})

describe("a participant", () => {
  test("[C-892] leaves at the moment at which its connection closes", () => {
    expect(after(...withIn(1, 2), CallEvent.ClientLeft({ ref: 1 }))[1]).toEqual([
      LeaveMedia({ media: 101 }),
      EndMeter({ ref: 1 }),
      roll(2, "s2")
    ])
    expect(after(asks(1), CallEvent.ClientLeft({ ref: 1 }))[0]).toEqual(noCall)
  })

  test("[C-899] gets a further connection for its slots, and its answer goes to the media", () => {
    const offered = CallEvent.MediaOffered({ media: 101, offer: "more" })
    expect(after(...withIn(1, 2), offered)[1]).toEqual([
      Tell({ ref: 1, told: { _tag: "offer", offer: "more" } })
    ])
    expect(after(offered)[1]).toEqual([])
    const answers = (length: number) =>
      CallEvent.AnswerGiven({ ref: 1, answer: "x".repeat(length) })
    const atBound = answers(voiceSdpBytes.max)
    expect(after(...withIn(1), atBound)[1]).toEqual([
      CallAction.AnswerMedia({ media: 101, answer: atBound.answer })
    ])
    expect(after(...withIn(1), answers(voiceSdpBytes.max + 1))[1]).toEqual([])
    expect(after(atBound)[1]).toEqual([])
  })

  test("[C-892] hears by session who has its slots", () => {
    const speakers = [102, null, 999]
    expect(after(...withIn(1, 2), CallEvent.SlotsChanged({ media: 101, speakers }))[1]).toEqual([
      Tell({ ref: 1, told: { _tag: "slots", speakers: ["s2", null, null] } })
    ])
    expect(after(CallEvent.SlotsChanged({ media: 1, speakers }))[1]).toEqual([])
  })

  test("[C-892] has the groups that room code gave its session, whichever came first", () => {
    const changes = [{ sessionId: "s1", groups: red }]
    const given = CallEvent.GroupsChanged({ changes })
    expect(after(...withIn(1, 2), given)[1]).toEqual([SetGroups({ media: 101, groups: red })])
    expect(after(given, ...withIn(1).slice(0, 2))[1]).toEqual([
      JoinMedia({ media: 101, offer: "sdp", groups: red })
    ])
    const taken = CallEvent.GroupsChanged({ changes: [{ sessionId: "s1", groups: null }] })
    expect(after(...withIn(1), given, taken)[1]).toEqual([
      SetGroups({ media: 101, groups: everybody })
    ])
    const named = CallEvent.ClientNamed({ ref: 2, clientId: "s1" })
    expect(after(...withIn(2), given, named)[1]).toEqual([
      SetGroups({ media: 102, groups: red }),
      roll(2, "s1")
    ])
  })

  test("[C-892] is told when the media are lost or the room moves, and its time ends", () => {
    const lost = [EndMeter({ ref: 1 }), Tell({ ref: 1, told: { _tag: "ended" } })]
    expect(after(...withIn(1), CallEvent.MediaLost({ media: 101 }))[1]).toEqual(lost)
    const [state, actions] = after(...withIn(1), CallEvent.RoomMoved())
    expect(actions).toEqual([LeaveMedia({ media: 101 }), ...lost])
    expect(state).toEqual(noCall)
  })
})

const anyEvent = fc.oneof(
  fc.record({ ref: fc.nat(5), media: fc.nat(9) }).map(({ ref, media }) => asks(ref, { media })),
  fc.boolean().map((isWalled) => CallEvent.WallAnswered({ wall: isWalled ? wall : null })),
  fc.nat(9).map(joined),
  fc.nat(9).map((media) => CallEvent.MediaRefused({ media, code: "E_VOICE_FULL", message: "" })),
  fc.nat(9).map((media) => CallEvent.MediaLost({ media })),
  fc.nat(5).map((ref) => CallEvent.ClientLeft({ ref })),
  fc.nat(5).map((ref) => CallEvent.ClientNamed({ ref, clientId: `s${ref}` })),
  fc.constant(CallEvent.CallContinued()),
  fc.constant(CallEvent.ContinuedOver()),
  fc.constant(CallEvent.RoomMoved())
)

test("[C-892] whatever happens, a seat's time begins once and ends once, and the call is never overfull", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let state = noCall
      const metered = new Set<number>()
      for (const event of events) {
        const [next, actions] = step(state, event)
        state = next
        for (const action of actions) {
          if (action._tag === "BeginMeter") expect(metered.has(action.ref)).toBe(false)
          if (action._tag === "BeginMeter") metered.add(action.ref)
          if (action._tag === "EndMeter") expect(metered.delete(action.ref)).toBe(true)
        }
        const inCall = [...state.participants].filter(([, each]) => each.joined)
        expect(new Set(inCall.map(([ref]) => ref))).toEqual(metered)
        expect(state.participants.size + state.asking.length).toBeLessThanOrEqual(3)
      }
    })
  )
})
