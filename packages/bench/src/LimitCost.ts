import { Duplex } from "node:stream"

import { median } from "@atrium/api/testing/load/Statistics"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { makeBucket, takeToken } from "@atrium/wire/limits/TokenBucket"

/** What limits and meters add to one message, in ns. */
export interface LimitCost {
  /** To a frame that comes: its size, and the token that it takes. */
  readonly perFrameNs: number
  /** To a frame that goes: what its receiver has not read yet. */
  readonly perDeliveryNs: number
  /** To a frame that goes: its bytes count for its room and for its client. All else of meters happens at reports. */
  readonly perDeliveryMeteredNs: number
}

const turns = 1_000_000
const repeats = 5

/**
 * Measured apart, in this process, as the router does it: in the CPU of a whole run it is too little
 * to be seen among what differs from run to run.
 */
export const limitCost = (): LimitCost => {
  const bucket = makeBucket(ConnectionLimits.frames, Date.now())
  const socket = new Duplex()
  let passed = 0
  // The router reads the clock for each frame, which is most of the cost: a clock of our own would be
  // cheaper than what is measured.
  const perFrameNs = nsOf((turn) => {
    if (
      turn <= FrameLimits.frameBytes.max &&
      takeToken(bucket, ConnectionLimits.frames, Date.now())
    )
      passed++
  })
  const perDeliveryNs = nsOf((turn) => {
    if (turn + socket.writableLength <= ConnectionLimits.outboundPlayerBytes.max) passed++
  })
  const room = { egressBytes: 0 }
  const client = { egressBytes: 0 }
  const perDeliveryMeteredNs = nsOf((turn) => {
    room.egressBytes += turn
    client.egressBytes += turn
  })
  // The engine may skip a value that nobody reads afterwards.
  if (passed < turns) throw new Error("the limits let nothing pass")
  if (room.egressBytes !== client.egressBytes) throw new Error("not all bytes were counted")
  return { perFrameNs, perDeliveryNs, perDeliveryMeteredNs }
}

const nsOf = (act: (turn: number) => void): number =>
  median(
    Array.from({ length: repeats }, () => {
      const startedAtMs = performance.now()
      for (let turn = 0; turn < turns; turn++) act(turn)
      return ((performance.now() - startedAtMs) * 1e6) / turns
    })
  )
