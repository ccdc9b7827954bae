import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { describe, expect, test } from "vitest"

import { held, HandoverEvent, HandoverState, step } from "./HandoverMachine.ts"

const { Held, Moving, Seated, Over } = HandoverState
const { FrameCame, RoomMoved, SeatTaken, Welcomed, TimePassed, ClientLeft } = HandoverEvent
const { max } = HandoverLimits.handoverBytes

test.each([
  [Held({ bytes: 2 }), RoomMoved(), Moving({ bytes: 2 }), "lookForRoom"],
  [Held({ bytes: 2 }), SeatTaken(), Held({ bytes: 2 }), null],
  [Held({ bytes: 2 }), Welcomed({ same: true }), Held({ bytes: 2 }), null],
  [Held({ bytes: 2 }), TimePassed(), Over(), "giveUp"],
  [Held({ bytes: 2 }), ClientLeft(), Over(), null],
  [Moving({ bytes: 2 }), RoomMoved(), Moving({ bytes: 2 }), null],
  [Moving({ bytes: 2 }), SeatTaken(), Seated({ bytes: 2 }), null],
  [Moving({ bytes: 2 }), Welcomed({ same: true }), Moving({ bytes: 2 }), null],
  [Moving({ bytes: 2 }), TimePassed(), Over(), "giveUp"],
  [Moving({ bytes: 2 }), ClientLeft(), Over(), null],
  [Seated({ bytes: 2 }), RoomMoved(), Moving({ bytes: 2 }), "lookForRoom"],
  [Seated({ bytes: 2 }), SeatTaken(), Seated({ bytes: 2 }), null],
  [Seated({ bytes: 2 }), Welcomed({ same: true }), Over(), "replay"],
  [Seated({ bytes: 2 }), Welcomed({ same: false }), Over(), "forget"],
  [Seated({ bytes: 2 }), TimePassed(), Over(), "giveUp"],
  [Seated({ bytes: 2 }), ClientLeft(), Over(), null],
  [Over(), FrameCame({ bytes: 1 }), Over(), null],
  [Over(), RoomMoved(), Over(), null],
  [Over(), SeatTaken(), Over(), null],
  [Over(), Welcomed({ same: true }), Over(), null],
  [Over(), TimePassed(), Over(), null],
  [Over(), ClientLeft(), Over(), null]
] as const)("[C-417] %o, %o: %o, %s", (...[state, event, next, action]) => {
  expect(step(state, event)).toEqual([next, action])
})

describe.each([Held, Moving, Seated])("in %o", (inState) => {
  test("[limits.handoverBytes] frames wait up to the bound, and one byte past it the client is given up", () => {
    const first = step(inState({ bytes: 1 }), FrameCame({ bytes: max - 1 }))
    expect(first).toEqual([inState({ bytes: max }), "keepFrame"])
    expect(step(first[0], FrameCame({ bytes: 1 }))).toEqual([Over(), "giveUp"])
  })
})

test("[C-417] a connection whose room begins to move holds nothing yet", () => {
  expect(held).toEqual(Held({ bytes: 0 }))
})
