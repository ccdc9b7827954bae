import { KiB } from "@atrium/wire/limits/Limit"

import type { Calibration } from "./Calibration.ts"

/**
 * Messages of one room in a second at the two points of a calibration. A room that gets few of them wakes for each;
 * a room that gets many is awake already, and takes several at once.
 */
export const messagePace = { quiet: 20, busy: 960 } as const

/** Below it a measurement says nothing, and a logarithm has no value. */
const leastUs = 1

/**
 * CPU of one message of a player, µs: between the two points on a straight line through their logarithms, beyond
 * them as at the nearest.
 *
 * @param perRoomSecond messages that its room gets in a second
 */
export const messageUs = (
  { messageInUs, messageInBusyUs, messageInPerKbUs }: Calibration["cpu"],
  perRoomSecond: number,
  bytes: number
): number => {
  const { quiet, busy } = messagePace
  const quietUs = Math.max(messageInUs, leastUs)
  const busyUs = Math.max(messageInBusyUs, leastUs)
  const at = Math.log(Math.max(perRoomSecond, quiet) / quiet) / Math.log(busy / quiet)
  return quietUs * (busyUs / quietUs) ** Math.min(1, at) + (messageInPerKbUs * bytes) / KiB
}
