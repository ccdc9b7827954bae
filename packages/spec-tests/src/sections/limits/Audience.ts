import { holds, same } from "../../check/Expect.ts"
import { type BucketBench, bucketChecks } from "../../families/Bucket.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { type Outcome, taken } from "../../families/Outcome.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import { board, settled } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import type { Trial } from "../../trial/Trial.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { audienceRow } from "../RowKinds.ts"
import { section, tierB, tierC, rowOf } from "../Section.ts"
import { atMost, secondMs } from "../Units.ts"

/** Lines 401 to 405 of the specification: Connection and room limits, viewers. */
export const audienceSection = section(roomLimitsHeading, {
  "limits.audience.seats": audienceRow(401, "256 viewers in a relay audience, apart from players", {
    alsoLines: [345],
    boundary: { ...atMost(256, "count"), outcome: { code: "E_AUDIENCE_FULL" } },
    check: {
      title: "a relay room takes 256 viewers beside its 64 players, and no more",
      timeoutMs: 120_000,
      run: async (trial) =>
        seats(trial, await AudienceStage.of(trial), {
          viewers: "limits.audience.seats",
          players: "limits.relay.players"
        })
    }
  }),
  "limits.audience.seats.free": tierC(401, "64 on the free plan", {
    probe: ["ws"],
    hooks: ["fixture", "plan"],
    features: ["audience", "relay"],
    boundary: { ...atMost(64, "count"), outcome: { code: "E_AUDIENCE_FULL" } },
    check: {
      title: "on the free plan a relay room takes 64 viewers beside its 16 players",
      timeoutMs: 120_000,
      run: async (trial) => {
        const audience = await AudienceStage.of(trial)
        await trial.control.plan(audience.stage.project.id, "free")
        await seats(trial, audience, {
          viewers: "limits.audience.seats.free",
          players: "limits.relay.players.free"
        })
      }
    }
  }),
  "limits.audience.msg.rate": tierC(402, "2 messages a second per audience peer", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["audience", "relay"],
    bucket: {
      endpoint: "messages of an audience peer",
      key: "connection",
      rate: 2,
      perMs: secondMs,
      burst: 10,
      outcome: { close: "open" },
      told: "once"
    },
    check: {
      alone: true,
      title: "a viewer sends two messages a second, counted to the millisecond",
      timeoutMs: 120_000,
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
    }
  }),
  "limits.audience.msg.burst": audienceRow(402, "burst 10; excess dropped, sender told once", {
    decisions: ["D-35", "T-76"],
    literalsOf: "limits.audience.msg.rate",
    check: {
      alone: true,
      title:
        "ten messages of a viewer at once; the excess is dropped, told once, and nothing closes",
      timeoutMs: 120_000,
      run: async (trial) => {
        const row = rowOf("bucket", "limits.audience.msg.burst")
        const audience = await AudienceStage.of(trial)
        const listener = await audience.stage.client("seen", board)
        const viewer = await audience.viewer("seen")
        const heard = (): number => listener.relay.sent().length
        const told = () => viewer.errors().length
        const named = listener.welcomes().map(({ clientId }) => clientId)
        const flood = async (): Promise<void> => {
          for (let message = 0; message < row.burst + 5; message++)
            viewer.relay.send(message % 2 === 0 ? null : named, message)
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
  }),
  "limits.audience.mint.room.burst": tierC(403, "512 audience credentials per room", {
    hooks: ["address", "fixture"],
    features: ["audience", "openRates", "relay"],
    alsoLines: [460],
    sameAs: "rate.audience.mint.room.burst"
  }),
  "limits.audience.mint.room.refill": tierC(403, "refill 600 an hour", {
    hooks: ["address", "clock", "fixture"],
    features: ["audience", "openRates", "relay"],
    decisions: ["T-22"],
    sameAs: "rate.audience.mint.room.refill"
  }),
  "limits.audience.mint.ip.burst": tierB(404, "30 per address", {
    features: ["audience", "openRates", "relay"],
    alsoLines: [460],
    sameAs: "rate.audience.mint.address.burst"
  }),
  "limits.audience.mint.ip.refill": tierC(404, "refill 60 an hour", {
    hooks: ["clock", "fixture"],
    features: ["audience", "openRates", "relay"],
    sameAs: "rate.audience.mint.address.refill"
  }),
  "limits.audience.lifetime": tierC(405, "3 hours", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["audience", "relay"],
    alsoLines: [303],
    sameAs: "auth.audience.lifetime-3h"
  })
})

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
