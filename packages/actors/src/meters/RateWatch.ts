import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Clock, Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { RoomLogs } from "../logs/RoomLogs.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { ServerRates } from "./ServerRates.ts"
import { SustainedBytes } from "./SustainedBytes.ts"

/**
 * Limits the servers on this runner that send more than the sustained rate for ten seconds, and warns in the
 * logs of the rooms whose messages are dropped. Source: D-39, C-506; spec: Usage caps.
 */
export const RateWatch = Layer.effectDiscard(
  Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const logs = yield* RoomLogs
    const bytesPerSecond = yield* SustainedBytes
    const rates = new ServerRates(bytesPerSecond, yield* Clock.currentTimeMillis)
    const line =
      `the server has sent more than ${bytesPerSecond} bytes a second for ` +
      `${MeterLimits.sustainedFor.ms / 1000} seconds: messages over this rate are dropped`
    const look = Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const rooms = awake.all()
      const dropping = new Set(rates.look(rooms.map(ratedRoom), nowMs))
      for (const { key, gate } of rooms) if (dropping.has(gate)) logs.say(key, "warn", line)
    })
    yield* look.pipe(lookEvery(MeterLimits.sustainedLook.ms), Effect.forkScoped)
  })
)

const ratedRoom = ({ key, gate, seat }: ReturnType<AwakeRooms["Service"]["all"]>[number]) => ({
  server: `${key.projectId}/${seat().serverIndex}`,
  gate
})
