import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { type BucketBench, bucketChecks } from "../families/Bucket.ts"
import { onHeldClock } from "../families/HeldClock.ts"
import { type Outcome, taken } from "../families/Outcome.ts"
import { rowOf } from "../tables/Tables.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import { board, settled } from "../trial/RelayStage.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

const timeoutMs = 120_000
const atOnce = 16

/** So many viewers, some of them at a time. */
const seated = async (
  audience: AudienceStage,
  { room, count, token }: { readonly room: string; readonly count: number; readonly token: string }
): Promise<ReadonlyArray<RoomSocket>> => {
  const viewers: Array<RoomSocket> = []
  while (viewers.length < count) {
    const some = Math.min(atOnce, count - viewers.length)
    const joins = Array.from({ length: some }, () => audience.viewer(room, token))
    viewers.push(...(await Promise.all(joins)))
  }
  return viewers
}

/** So many viewers beside so many players, no more of either, and a seat is free when one has gone. */
const seats = async (
  trial: Trial,
  audience: AudienceStage,
  ids: { readonly viewers: string; readonly players: string }
): Promise<void> => {
  const { accept, outcome } = rowOf("boundary", ids.viewers)
  const players: Array<RoomSocket> = [await audience.stage.client("full", board)]
  const token = await audience.credential("full")
  const viewers = await seated(audience, { room: "full", count: accept, token })
  const refusal = await refusedJoin(await audience.stage.socket("full"), { token, type: null })
  same("the code of one more viewer", refusal.code, outcome.code)
  const limit = rowOf("boundary", ids.players)
  while (players.length < limit.accept) players.push(await audience.stage.client("full", board))
  await refusedJoin(await audience.stage.socket("full"), board)
  const isOpen = [...players, ...viewers].every((client) => client.isOpen())
  holds("all who are in stay", isOpen, "closed")
  await viewers[0]?.leave()
  await trial.until("the seat of the viewer who left is free", () =>
    audience.viewer("full", token).catch(() => null)
  )
}

const seatChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.audience.seats"],
    title: "a relay room takes 256 viewers beside its 64 players, and no more",
    timeoutMs,
    run: async (trial) =>
      seats(trial, await AudienceStage.of(trial), {
        viewers: "limits.audience.seats",
        players: "limits.relay.players"
      })
  },
  {
    ids: ["limits.audience.seats.free"],
    title: "on the free plan a relay room takes 64 viewers beside its 16 players",
    timeoutMs,
    run: async (trial) => {
      const audience = await AudienceStage.of(trial)
      await trial.control.plan(audience.stage.project.id, "free")
      await seats(trial, audience, {
        viewers: "limits.audience.seats.free",
        players: "limits.relay.players.free"
      })
    }
  }
]

const messageChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.audience.msg.rate"],
    alone: true,
    title: "a viewer sends two messages a second, counted to the millisecond",
    timeoutMs,
    run: async (trial) => {
      const audience = await AudienceStage.of(trial)
      const listener = await audience.stage.client("seen", board)
      const token = await audience.credential("seen")
      const bench: BucketBench<RoomSocket> = {
        fresh: () => audience.viewer("seen", token),
        ask: async (viewer): Promise<Outcome> => {
          const before = listener.relay.sent().length
          viewer.relay.send(null, "hello")
          await settled(viewer, listener)
          if (listener.relay.sent().length > before) return taken
          return { taken: false, refused: viewer.isOpen() ? { close: "open" } : {} }
        }
      }
      await bucketChecks(trial, rowOf("bucket", "limits.audience.msg.rate"), bench)
    }
  },
  {
    ids: ["limits.audience.msg.burst"],
    alone: true,
    title: "ten messages of a viewer at once; the excess is dropped, told once, and nothing closes",
    timeoutMs,
    run: async (trial) => {
      const row = rowOf("bucket", "limits.audience.msg.burst")
      const audience = await AudienceStage.of(trial)
      const listener = await audience.stage.client("seen", board)
      const viewer = await audience.viewer("seen")
      const heard = (): number => listener.relay.sent().length
      const told = () => viewer.errors().length
      const flood = async (): Promise<void> => {
        for (let message = 0; message < row.burst + 5; message++) viewer.relay.send(null, message)
        await settled(viewer, listener)
      }
      if (!trial.control.has("clock")) {
        const beganAtMs = performance.now()
        await flood()
        const more = ((performance.now() - beganAtMs) * row.rate) / row.perMs
        holds("not fewer", heard() >= row.burst, heard())
        holds("not more", heard() <= row.burst + more + 1, heard())
        return holds("the sender is told", told() > 0, told())
      }
      const backMs = row.perMs / row.rate
      await onHeldClock(trial, row.burst * backMs, async () => {
        await flood()
        same("what came of them", heard(), row.burst)
        same("how often the sender is told", told(), 1)
        trial.chosen("D-35", () => same("the code", viewer.errors()[0]?.code, "E_RATE_LIMITED"))
        await trial.control.advance(backMs)
        await flood()
        same("what came when one was back", heard(), row.burst + 1)
        trial.chosen("T-76", () => same("told again", told(), 2))
      })
      holds("the connection stays", viewer.isOpen(), "closed")
    }
  }
]

/** How many viewers there may be, and how much they may say. */
export const audienceLimitChecks: ReadonlyArray<Check> = [...seatChecks, ...messageChecks]
