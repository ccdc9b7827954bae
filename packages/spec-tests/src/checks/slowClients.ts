import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import { roomStage, stateOf } from "../trial/RoomStage.ts"

const block = 64 * 1024
/** More than the kernels of both sides hold for a connection, and the budget. */
const muchBytes = 24 * 1024 * 1024

/** The room says so much to all of its clients, a MiB at a time. */
const flood = async (reader: RoomSocket, bytes: number): Promise<void> => {
  for (let left = Math.floor(bytes / block); left > 0; left -= 16) {
    await reader.call("flood", { bytes: block, count: Math.min(left, 16) })
  }
}

/** Clients that do not read as fast as their room writes. */
export const slowClientChecks: ReadonlyArray<Check> = [
  {
    ids: ["state.socket.slow-consumer"],
    timeoutMs: 60_000,
    title: "a client past its outbound budget is closed with 1008 E_SLOW_CONSUMER, and comes back",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { outcome } = rowOf("move", "state.socket.slow-consumer")
      const [slow, other] = [await stage.client("fast"), await stage.client("fast")]
      await other.call("add", { by: 7 })
      slow.stall(true)
      await flood(other, muchBytes)
      slow.stall(false)
      const closed = await slow.end()
      same("the close", closed, { code: outcome?.close, reason: outcome?.code })
      holds("who reads stays", other.isOpen(), "closed")
      const back = await stage.client("fast")
      same("the state that it comes back to", (await stateOf(back)).value, 7)
    }
  },
  {
    ids: ["limits.outbound.player"],
    timeoutMs: 60_000,
    title: "4 MiB may wait for a client, and not many more",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept } = rowOf("boundary", "limits.outbound.player")
      const client = await stage.client("fast")
      const witness = await stage.client("fast")
      client.stall(true)
      const bytes = (accept / 8) * 7
      await flood(witness, bytes)
      client.stall(false)
      await client.ping()
      same("3.5 MiB are delivered", client.heard("blob").length, bytes / block)
      holds("the connection stays", client.isOpen(), "closed")
      client.stall(true)
      await flood(witness, muchBytes)
      client.stall(false)
      const { outcome } = rowOf("boundary", "limits.outbound.player")
      same("past it", (await client.end()).code, outcome.close)
    }
  },
  {
    ids: ["limits.outbound.welcome-extra"],
    timeoutMs: 60_000,
    title: "the size of a welcome that is being sent counts beside the budget",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const builder = await stage.client("vast", { type: "large" })
      for (let part = 0; part < 24; part++) await builder.call("keep", { bytes: 1024 * 1024 })
      const slow = await stage.socket("vast")
      await slow.hello({ type: "large" })
      slow.stall(true)
      await stage.counted("vast", 2)
      await builder.call("add", { by: 1 })
      await trial.pause(1000)
      slow.stall(false)
      const { stateBytes } = await slow.welcomed()
      holds("the whole state", stateBytes >= 24 * 1024 * 1024, stateBytes)
      await slow.ping()
    }
  }
]
