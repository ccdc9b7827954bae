import { ticketTable } from "@atrium/actors/match/MemoryMatch"
import { rowOf } from "@atrium/actors/replay/ReplayRows"
import { RoomId } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

import { type GameParts, rightGames } from "./GameParts.ts"
import type { Mutant } from "./Mutant.ts"

const games = (rule: string, says: string, changed: Partial<GameParts>): Mutant => ({
  says,
  rule,
  parts: { games: { ...rightGames, ...changed } }
})

/** Worlds whose rooms record themselves. */
const filming = [6, 33, 60, 87]

/** Wrong stores and shells of KV, boards, ratings, quick match and presence. */
export const gameMutants: ReadonlyArray<Mutant> = [
  games("kv", "compare-and-set compares nothing", {
    kv: (store) => ({
      ...store,
      set: (projectId, writes) =>
        store.set(
          projectId,
          writes.map((write) => ({ ...write, expected: null }))
        )
    })
  }),
  games("kv", "a write is answered before it is stored", {
    kv: (store) => ({
      ...store,
      set: (projectId, writes) =>
        Effect.as(
          Effect.forkDetach(store.set(projectId, writes)),
          writes.map(() => ({ _tag: "Written" as const, version: 1 }))
        )
    })
  }),
  games("scores", "an id counts each time that it is told", {
    boards: (store) => {
      let told = 0
      return {
        ...store,
        submit: (projectId, submits) =>
          store.submit(
            projectId,
            submits.map((submit) => ({ ...submit, digest: `${submit.digest} ${told++}` }))
          )
      }
    }
  }),
  games("ratings", "each incarnation of a room has ids of its own", {
    calling: (room) => ({ ...room, roomId: RoomId.make(`${room.roomId}.${room.epoch}`) })
  }),
  games("scores", "scores that the store may have taken are stored again", {
    boards: (store) => ({
      ...store,
      submit: (projectId, submits) =>
        Effect.catchCause(store.submit(projectId, submits), () =>
          store.submit(
            projectId,
            submits.map((submit) => ({ ...submit, digest: `${submit.digest} again` }))
          )
        )
    })
  }),
  games("scores", "scores are answered before they are stored", {
    boards: (store) => ({
      ...store,
      submit: (projectId, submits) =>
        Effect.as(
          Effect.forkDetach(store.submit(projectId, submits)),
          submits.map(({ score }) => ({ _tag: "Taken" as const, score, changed: true }))
        )
    })
  }),
  games("ratings", "a report that nobody answered counts again under another id", {
    ratings: (store) => ({
      ...store,
      report: (report) =>
        Effect.catchDefect(store.report(report), () =>
          store.report({ ...report, reportId: `${report.reportId} again` })
        )
    })
  }),
  games("ratings", "a report that the store did not take is answered as counted", {
    ratings: (store) => ({
      ...store,
      report: (report) =>
        Effect.catchDefect(store.report(report), () =>
          Effect.succeed({ counted: true, ratings: new Map() })
        )
    })
  }),
  games("tickets", "a ticket is added although it is there", {
    match: (store, tables) => ({
      ...store,
      change: (key, change) =>
        Effect.catchTag(store.change(key, change), "QueueMoved", (moved) =>
          Effect.suspend(() => {
            const rows = ticketTable.rowsIn(tables)
            const row = rows.get(change.added?.ticketId ?? "")
            if (row === undefined) return moved
            return Effect.sync(() => void rows.set(row.ticketId, { ...row, status: "waiting" }))
          })
        )
    })
  }),
  games("tickets", "an actor that begins finds no tickets", {
    match: (store) => ({ ...store, waiting: () => Effect.succeed([]) })
  }),
  games("tickets", "an actor ends tickets that another one has ended", {
    match: (store, tables) => ({
      ...store,
      change: (key, change) =>
        Effect.catchTag(store.change(key, change), "QueueMoved", () =>
          Effect.sync(() => {
            const rows = ticketTable.rowsIn(tables)
            for (const { ticketId, status, roomId, team } of change.ended) {
              const row = rows.get(ticketId)
              if (row !== undefined) rows.set(ticketId, { ...row, status, roomId, team })
            }
          })
        )
    })
  }),
  games("tickets", "a ticket whose wait is over is forgotten", {
    match: (store) => ({
      ...store,
      change: (key, change) =>
        store.change(key, {
          ...change,
          ended: change.ended.filter(({ status }) => status !== "expired")
        })
    })
  }),
  {
    ...games("replays", "a clip is answered before it is stored", {
      replays: (store) => ({
        ...store,
        add: (clip, chunks) =>
          Effect.as(Effect.forkDetach(store.add(clip, chunks)), {
            ...rowOf(clip, chunks, 0),
            kind: "clip" as const,
            epoch: 0,
            running: false
          })
      })
    }),
    near: filming
  },
  {
    ...games("replays", "a replay that has expired is kept", {
      replays: (store) => ({ ...store, removeExpired: Effect.succeed(0) })
    }),
    near: filming
  },
  {
    ...games("replays", "a recording whose room is gone runs on", {
      replays: (store) => ({ ...store, endLost: Effect.void })
    }),
    near: filming
  },
  games("presence", "a player who leaves a room stays in it", {
    seats: (seats) => {
      const room = seats.room.bind(seats)
      seats.room = (key, lapsed) => ({ ...room(key, lapsed), left: () => {} })
      return seats
    }
  }),
  games("presence", "a runner that came later is not asked where its players are", {
    others: (living) => Effect.runSync(Effect.cached(living))
  })
]
