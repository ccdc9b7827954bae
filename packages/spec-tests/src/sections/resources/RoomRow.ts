import { isSuccess } from "../../check/Answers.ts"
import { same, holds, oneOf } from "../../check/Expect.ts"
import { fitsShape } from "../../check/FitsShape.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { shapeFault } from "../EveryExchange.ts"
import { roomRowHeading } from "../Headings.ts"
import { textField, wholeField, momentField, windowOrNull, momentOrNull } from "../Literals.ts"
import { section, tierA, tierB, tierC, rowOf } from "../Section.ts"
import { momentOf } from "../states/HeldTime.ts"
import { paused, serverOf } from "../states/ServerOfRoom.ts"
import { dayMs, hourMs, minuteMs } from "../Units.ts"
import { follows, newestFirst, noViewers, roomIds, statusesDuring } from "./RoomRowProbes.ts"

/** A field of a row that the check of all of them proves. */
const fieldRow = tierA.taking({
  literalsOf: "rooms.row.exact-keys",
  provedBy: "rooms.row.exact-keys"
})

/** Lines 16 to 32 of the specification: Room list row. */
export const roomRowSection = section(roomRowHeading, {
  "rooms.row.exact-keys": tierA(16, "a list row has exactly the documented fields", {
    decisions: ["D-04"],
    shape: {
      of: "an element of GET /v1/projects/:id/rooms",
      fields: {
        project: { type: ["string"], pattern: "^p_[0-9a-f]{16}$" },
        roomId: textField,
        status: textField,
        slot: wholeField,
        lastSeen: momentField,
        clients: wholeField,
        maxClients: wholeField,
        backfill: { type: ["boolean"] },
        retention: windowOrNull,
        retentionOverride: windowOrNull,
        deletesAt: momentOrNull
      },
      exact: true
    },
    ambient: [
      {
        title: "every row of every list of rooms has the fields that are shown",
        needs: ["fixture"],
        look: ({ request, status, json }) => {
          if (request.method !== "GET" || !roomsRoute.test(request.path) || status !== 200)
            return undefined
          if (!Array.isArray(json)) return "no array"
          if (json.length === 0) return undefined
          return json.map(rowFault).find((fault) => fault !== null) ?? null
        }
      }
    ],
    check: {
      needs: ["fixture"],
      title: "the list is an array of rows, each with its documented fields",
      run: withRooms(async (stage, trial) => {
        await stage.played("asleep")
        await stage.played("windowed", 1, { type: "windowed" })
        await stage.played("by-type", 1, { type: "windowed" })
        await stage.played("forever", 1, { type: "windowed" })
        await stage.client("awake")
        isSuccess(await stage.patch("windowed", { retention: "120m" }))
        isSuccess(await stage.patch("forever", { retention: "forever" }))
        const rows = await stage.rows()
        same("the rooms", rows.map(({ roomId }) => roomId).toSorted(), [
          "asleep",
          "awake",
          "by-type",
          "forever",
          "windowed"
        ])
        trial.chosen("D-04", () => same("their order", rows, rows.toSorted(newestFirst)))
        for (const row of rows) {
          fitsShape(trial, rowOf("shape", "rooms.row.exact-keys"), row)
          same("the project", row["project"], stage.project.id)
        }
        const of = (room: string) => Object(rows.find(({ roomId }) => roomId === room))
        const kept = { retention: null, retentionOverride: null, deletesAt: null }
        const { retention, retentionOverride, deletesAt } = of("asleep")
        same("of a room that is kept", { retention, retentionOverride, deletesAt }, kept)
        same("asleep", of("asleep").status, "hibernated")
        holds("awake", of("awake").status !== "hibernated", of("awake").status)
        same("the window in force", of("windowed").retention, "120m")
        same("the override", of("windowed").retentionOverride, "120m")
        holds("a moment of deletion", typeof of("windowed").deletesAt === "string", of("windowed"))
        same("the window of the type", of("by-type").retention, "10m")
        same("no override", of("by-type").retentionOverride, null)
        holds("its moment of deletion", typeof of("by-type").deletesAt === "string", of("by-type"))
        same("forever: no deletion", of("forever").deletesAt, null)
        trial.chosen("T-08", () => {
          const { retention: window, retentionOverride: own } = of("forever")
          same("forever", { window, own }, { window: null, own: "forever" })
        })
      })
    }
  }),
  "rooms.row.project": fieldRow(20, "`project` is string; `p_` + 16 hex", { decisions: ["D-05"] }),
  "rooms.row.roomId": fieldRow(21, "`roomId` is string", {
    decisions: ["D-05"],
    check: {
      needs: ["fixture"],
      title: "a room id has 1 to 128 letters, digits and . _ ~ : -, and a room has no other",
      run: roomIds
    }
  }),
  "rooms.row.status": fieldRow(
    22,
    "`status` is string; advisory, last report; `hibernated` is one value"
  ),
  "rooms.row.status.values": tierB(22, "full set of status values is not given", {
    level: "decided",
    decisions: ["D-14"],
    is: { values: ["starting", "awake", "draining", "hibernated", "restarting", "closed"] },
    check: {
      title: "a room starts, is awake, drains and hibernates, and no status has another name",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const paths = rowOf("statement", "state.room.transitions-unlisted").is ?? {}
        let client: RoomSocket | undefined
        const join = async (): Promise<void> => {
          client = await stage.client("moving")
          await stage.counted("moving", 1)
        }
        const leave = async (): Promise<void> => {
          await client?.leave()
          await stage.asleep("moving")
        }
        const joined = await statusesDuring(stage, "moving", join)
        const left = await statusesDuring(stage, "moving", leave)
        const woken = await statusesDuring(stage, "moving", join)
        trial.chosen("D-14", () => {
          follows("a join", joined, listOf(paths["joined"]))
          follows("the last client leaves", left, listOf(paths["left"]))
          follows("a wake", woken, listOf(paths["woken"]))
          const { values } = rowOf("statement", "rooms.row.status.values").is ?? {}
          for (const status of [...joined, ...left, ...woken]) {
            oneOf("a status", status, listOf(values))
          }
        })
        await stage.remove("moving", "?force=true")
        same("a deleted room is gone", await stage.roomIds(), [])
      })
    }
  }),
  "rooms.row.slot": fieldRow(23, "`slot` is integer"),
  "rooms.row.slot.meaning": tierB(23, "meaning of slot is not given", {
    level: "decided",
    decisions: ["D-06"],
    is: { first: 0 },
    check: {
      title: "slots of a server count from 0; a room that sleeps keeps the one that it had",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const { first = 0 } = rowOf("statement", "rooms.row.slot.meaning").is ?? {}
        const rooms = ["one", "two", "three"]
        const clients: Array<RoomSocket> = []
        for (const room of rooms) clients.push(await stage.client(room))
        const slots = async (): Promise<ReadonlyArray<number>> => {
          const rows = await stage.rows()
          return rooms.map((room) => Number(rows.find(({ roomId }) => roomId === room)?.["slot"]))
        }
        for (const room of rooms) await stage.counted(room, 1)
        const before = await slots()
        const start = Number(first)
        trial.chosen("D-06", () => same("slots", before.toSorted(), [start, start + 1, start + 2]))
        await clients[1]?.leave()
        await stage.asleep("two")
        const after = await slots()
        trial.chosen("D-06", () => same("slots with one asleep", after, before))
        // Two of the largest do not fit beside these: the second is on a server of its own.
        for (const room of ["beside", "elsewhere"]) await stage.client(room, { type: "xlarge" })
        await stage.client("further", { type: "xlarge" })
        const { slot } = await stage.counted("further", 1)
        trial.chosen("D-06", () => same("the first slot of another server", slot, start))
      })
    }
  }),
  "rooms.row.lastSeen": fieldRow(24, "`lastSeen` is string; ISO 8601 UTC, milliseconds"),
  "rooms.row.lastSeen.clock": tierC(
    24,
    "lastSeen comes from the service clock and trails the storage timestamp by a few seconds",
    {
      hooks: ["clock", "storage"],
      decisions: ["D-07"],
      check: {
        needs: ["fixture"],
        alone: true,
        title: "lastSeen is a moment of the service's own clock, seconds from that of the storage",
        run: withRooms(async (stage, trial) => {
          await trial.control.advance(dayMs)
          const row = await stage.played("room")
          const seenAtMs = Date.parse(String(row["lastSeen"]))
          const nowMs = await trial.control.nowMs()
          holds("now by that clock", Math.abs(nowMs - seenAtMs) < 15_000, `${nowMs - seenAtMs} ms`)
          const objects = await trial.control.objects(stage.project.id, "room")
          const storedAtMs = Math.max(...objects.map((object) => object.storedAtMs))
          const apartMs = seenAtMs - storedAtMs
          holds("seconds from the storage", Math.abs(apartMs) < 10_000, `${apartMs} ms`)
        })
      }
    }
  ),
  "rooms.row.clients": tierB(25, "`clients` is integer; current number of clients", {
    probe: ["http", "ws"],
    literalsOf: "rooms.row.exact-keys",
    check: [
      {
        title: "clients is how many are in the room now",
        run: withRooms(async (stage, trial) => {
          const clients = [await stage.client("room"), await stage.client("room")]
          clients.push(
            await stage.client("room", { token: await mintIdentity(trial, stage.project) })
          )
          await stage.counted("room", 3)
          await clients[0]?.leave()
          await stage.counted("room", 2)
          for (const client of clients.slice(1)) await client.leave()
          same("asleep", (await stage.asleep("room"))["clients"], 0)
        })
      },
      noViewers
    ]
  }),
  "rooms.row.maxClients": tierB(26, "`maxClients` is integer; room capacity", {
    literalsOf: "rooms.row.exact-keys",
    check: {
      title: "maxClients is what the type declares, 64 where it says nothing",
      run: withRooms(async (stage) => {
        const clients = [
          await stage.client("plain"),
          await stage.client("small", { type: "small" })
        ]
        const { accept } = rowOf("boundary", "limits.maxClients.default")
        const capacities = async () => [
          (await stage.row("plain"))?.["maxClients"],
          (await stage.row("small"))?.["maxClients"]
        ]
        same("undeclared and declared", await capacities(), [accept, 2])
        for (const client of clients) await client.leave()
        for (const room of ["plain", "small"]) await stage.asleep(room)
        same("the same asleep", await capacities(), [accept, 2])
      })
    }
  }),
  "rooms.row.backfill": fieldRow(27, "`backfill` is boolean"),
  "rooms.row.retention": fieldRow(28, "`retention` is string or null; window in force", {
    decisions: ["D-08", "T-08"]
  }),
  "rooms.row.retentionOverride": tierA(
    29,
    "`retentionOverride` is string or null; null when the room has none",
    {
      decisions: ["D-08"],
      literalsOf: "rooms.row.exact-keys",
      provedBy: ["state.room.delete-awake-noforce#model", "rooms.row.exact-keys"]
    }
  ),
  "rooms.row.deletesAt": fieldRow(
    30,
    "`deletesAt` is string or null; reaper deadline; null = never"
  ),
  "rooms.row.deletesAt.approximate": tierA(
    30,
    "on the list route deletesAt is measured from lastSeen",
    {
      decisions: ["D-07"],
      check: {
        needs: ["fixture"],
        title: "in the list the moment of deletion is lastSeen and the window",
        run: withRooms(async (stage) => {
          await stage.played("asleep", 1, { type: "windowed" })
          await stage.played("own", 1, { type: "windowed" })
          await stage.client("awake", { type: "windowed" })
          isSuccess(await stage.patch("own", { retention: "2h" }))
          const { forMs } = rowOf("keep", "retention.state.type-window")
          for (const row of await stage.rows()) {
            const [seen, deletes] = [String(row["lastSeen"]), String(row["deletesAt"])]
            const apartMs = Date.parse(deletes) - Date.parse(seen)
            const windowMs = row["roomId"] === "own" ? 2 * hourMs : forMs
            same(`deletesAt - lastSeen of ${String(row["roomId"])}`, apartMs, windowMs)
          }
        })
      }
    }
  ),
  "rooms.detail.deletesAt.exact": tierC(
    30,
    "on the single-room read deletesAt is the exact deadline",
    {
      hooks: ["clock"],
      alsoLines: [44],
      check: {
        needs: ["fixture", "storage"],
        title:
          "the detail's moment of deletion is the newest stored state and the window, to the ms",
        run: withRooms(async (stage, trial) => {
          await stage.played("windowed", 1, { type: "windowed" })
          const objects = await trial.control.objects(stage.project.id, "windowed")
          const newestAtMs = Math.max(...objects.map(({ storedAtMs }) => storedAtMs))
          const deletesAtMs = await momentOf(stage, "windowed", "deletesAt")
          same("deletesAt", deletesAtMs, newestAtMs + 10 * minuteMs)
          isSuccess(await stage.patch("windowed", { retention: "3h" }))
          same(
            "by its own",
            await momentOf(stage, "windowed", "deletesAt"),
            newestAtMs + 3 * hourMs
          )
          await stage.client("awake", { type: "windowed" })
          const beforeMs = await trial.control.nowMs()
          const awakeMs = (await momentOf(stage, "awake", "deletesAt")) - 10 * minuteMs
          const afterMs = await trial.control.nowMs()
          trial.chosen("D-07", () =>
            holds("of a room that is awake: from now", awakeMs >= beforeMs && awakeMs <= afterMs, {
              beforeMs,
              awakeMs,
              afterMs
            })
          )
        })
      }
    }
  ),
  "rooms.status.advisory": tierC(
    32,
    "status is only the last report of the server and may be stale",
    {
      hooks: ["servers"],
      check: {
        needs: ["fixture"],
        title: "status is what the server reported last, also when it does not answer any more",
        run: withRooms(async (stage, trial) => {
          await stage.client("held")
          const before = await stage.row("held")
          await paused(trial, await serverOf(trial, stage, "held"))
          const after = await stage.row("held")
          same("the status of a server that stands still", after?.["status"], before?.["status"])
          holds("which is not asleep", after?.["status"] !== "hibernated", after)
        })
      }
    }
  ),
  "rooms.list.pruned-row-absent": tierC(
    32,
    "a long-asleep room can drop out of the list while its state remains readable",
    { hooks: ["clock"], alsoLines: [197], provedBy: "state.row.pruned-30d" }
  )
})

const roomsRoute = /^\/v1\/projects\/[^/?]+\/rooms(?:\?|$)/

const rowFault = (value: unknown) => shapeFault("rooms.row.exact-keys")(value)

const listOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : []
