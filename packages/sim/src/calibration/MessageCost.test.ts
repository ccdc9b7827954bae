import { describe, expect, test } from "vitest"

import { defaultCalibration } from "./DefaultCalibration.ts"
import { messagePace, messageUs } from "./MessageCost.ts"

const cpu = {
  ...defaultCalibration.cpu,
  messageInUs: 90,
  messageInBusyUs: 10,
  messageInPerKbUs: 8
}

describe("the CPU of a message", () => {
  test.each([
    ["that its room gets alone", 0, 90],
    ["at the quiet point", messagePace.quiet, 90],
    ["half way", Math.sqrt(messagePace.quiet * messagePace.busy), 30],
    ["at the busy point", messagePace.busy, 10],
    ["of a room that gets more", 10 * messagePace.busy, 10]
  ])("is what was calibrated for one %s", (_, perRoomSecond, us) => {
    expect(messageUs(cpu, perRoomSecond, 0)).toBeCloseTo(us)
    expect(messageUs(cpu, perRoomSecond, 2048)).toBeCloseTo(us + 16)
  })
})
