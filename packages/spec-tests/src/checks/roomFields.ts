import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { fitsShape } from "../check/FitsShape.ts"
import { rowOf } from "../tables/Tables.ts"
import { hourMs } from "../tables/Units.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

const lobbyOf = async (trial: Trial, stage: RoomStage): Promise<ReadonlyArray<string> | null> => {
  const path = trial.codecs.lobbyPath(stage.project.id)
  return trial.codecs.lobbyRooms((await trial.send({ method: "GET", path })).json)
}

/** Until the registry lists these rooms and no others: what a room says in its code is not at once. */
const lobbyBecomes = (trial: Trial, stage: RoomStage, rooms: ReadonlyArray<string>) =>
  trial.until(`the registry lists ${rooms.join() || "nothing"}`, async () => {
    const listed = await lobbyOf(trial, stage)
    return listed?.join() === rooms.join() ? listed : null
  })

/** D-04: rooms by `lastSeen`, the newest first, and then by id. */
const newestFirst = (one: Fields, other: Fields): number => {
  const [a, b] = [String(one["lastSeen"]), String(other["lastSeen"])]
  if (a !== b) return a > b ? -1 : 1
  return String(one["roomId"]) < String(other["roomId"]) ? -1 : 1
}
type Fields = Readonly<Record<string, unknown>>

const shapeChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "rooms.row.exact-keys",
      "rooms.row.project",
      "rooms.row.roomId",
      "rooms.row.status",
      "rooms.row.slot",
      "rooms.row.lastSeen",
      "rooms.row.backfill",
      "rooms.row.retention",
      "rooms.row.retentionOverride",
      "rooms.row.deletesAt",
      "rooms.list.array"
    ] as const,
    needs: ["fixture"],
    title: "the list is an array of rows, each with its documented fields",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("asleep")
      await stage.played("windowed", 1, { type: "windowed" })
      await stage.played("by-type", 1, { type: "windowed" })
      await stage.played("forever", 1, { type: "windowed" })
      await stage.client("awake")
      isSuccess(await stage.patch("windowed", { retention: "2h" }))
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
      same("the window in force", of("windowed").retention, "2h")
      same("the override", of("windowed").retentionOverride, "2h")
      holds("a moment of deletion", typeof of("windowed").deletesAt === "string", of("windowed"))
      same("the window of the type", of("by-type").retention, "10m")
      same("no override", of("by-type").retentionOverride, null)
      holds("its moment of deletion", typeof of("by-type").deletesAt === "string", of("by-type"))
      same("forever: no deletion", of("forever").deletesAt, null)
      trial.chosen("T-08", () => {
        const { retention: window, retentionOverride: own } = of("forever")
        same("forever", { window, own }, { window: null, own: "forever" })
      })
    }
  },
  {
    ids: ["rooms.row.deletesAt.approximate"],
    needs: ["fixture"],
    title: "in the list the moment of deletion is lastSeen and the window",
    run: async (trial) => {
      const stage = await roomStage(trial)
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
    }
  },
  {
    ids: [
      "rooms.detail.exact-keys",
      "rooms.detail.roomId",
      "rooms.detail.type",
      "rooms.detail.retention",
      "rooms.detail.retentionOverride",
      "rooms.detail.deletesAt",
      "rooms.detail.lastSeen",
      "rooms.patch.returns-detail"
    ] as const,
    needs: ["fixture"],
    title: "one room is read with its documented fields, and PATCH answers with the same",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("windowed", 1, { type: "windowed" })
      await stage.client("awake")
      const shape = rowOf("shape", "rooms.detail.exact-keys")
      for (const [room, type] of [
        ["windowed", "windowed"],
        ["awake", "probe"]
      ] as const) {
        const detail = await stage.detail(room)
        fitsShape(trial, shape, detail)
        same("roomId", detail["roomId"], room)
        same("type", detail["type"], type)
      }
      const { retention, retentionOverride, deletesAt } = await stage.detail("windowed")
      same(
        "retention of the type",
        { retention, retentionOverride },
        {
          retention: "10m",
          retentionOverride: null
        }
      )
      holds("a moment of deletion", typeof deletesAt === "string", deletesAt)
      same("of a room without a window", (await stage.detail("awake"))["deletesAt"], null)
      const answer = await stage.patch("windowed", { retention: "2h" })
      isSuccess(answer)
      fitsShape(trial, shape, Object(answer.json))
      same("what PATCH answers is what is read", answer.json, await stage.detail("windowed"))
      same("the override", Object(answer.json).retentionOverride, "2h")
      const kept = Object((await stage.patch("windowed", { retention: "forever" })).json)
      same("forever: no deletion", kept.deletesAt, null)
      trial.chosen("T-08", () => {
        const shown = { retention: kept.retention, retentionOverride: kept.retentionOverride }
        same("forever", shown, { retention: null, retentionOverride: "forever" })
      })
    }
  }
]

const countChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.row.clients"],
    title: "clients is how many are in the room now",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const clients = [await stage.client("room"), await stage.client("room")]
      clients.push(await stage.client("room", { token: await mintIdentity(trial, stage.project) }))
      await stage.counted("room", 3)
      await clients[0]?.leave()
      await stage.counted("room", 2)
      for (const client of clients.slice(1)) await client.leave()
      same("asleep", (await stage.asleep("room"))["clients"], 0)
    }
  },
  {
    ids: ["rooms.row.maxClients"],
    title: "maxClients is what the type declares, 64 where it says nothing",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.client("plain")
      await stage.client("small", { type: "small" })
      const { accept } = rowOf("boundary", "limits.maxClients.default")
      same("undeclared", (await stage.row("plain"))?.["maxClients"], accept)
      same("declared", (await stage.row("small"))?.["maxClients"], 2)
    }
  },
  {
    ids: ["rooms.detail.class"],
    title: "class is the size class that the type declares",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const classes = new Set<unknown>()
      for (const type of ["probe", "large", "xlarge"]) {
        await stage.client(type, { type })
        classes.add((await stage.detail(type))["class"])
      }
      same("three classes", classes.size, 3)
      same("of a large type", (await stage.detail("large"))["class"], "large")
      trial.chosen("D-15", () => same("all", [...classes], ["standard", "large", "xlarge"]))
    }
  },
  {
    ids: ["rooms.class.follows-type"],
    title: "a room's class changes with its type's declaration, and by nothing else",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("room", 1, { type: "small" })
      const before = (await stage.detail("room"))["class"]
      const refusal = { ...rowOf("error", "rooms.patch.unknown-field"), naming: "class" }
      isRefusal(trial, await stage.patch("room", { class: "large" }), refusal)
      same("after the PATCH", (await stage.detail("room"))["class"], before)
      await stage.deploy("next")
      await stage.client("room", { type: null })
      same("after the deploy", (await stage.detail("room"))["class"], "large")
      holds("before it was another", before !== "large", before)
    }
  },
  {
    ids: ["rooms.detail.stateBytes"],
    title: "stateBytes is the size of what is stored",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("room")
      await client.call("save")
      const small = Number((await stage.detail("room"))["stateBytes"])
      holds("something", small > 0, small)
      await client.call("keep", { bytes: 100_000 })
      await client.call("save")
      const large = Number((await stage.detail("room"))["stateBytes"])
      holds("it grows with the state", large >= small + 100_000, `${small}, then ${large}`)
      const [newest = ""] = await stage.saves("room")
      const { bytes } = await stage.bytes("room", newest)
      trial.chosen("D-11", () => same("it is as long as what is read", large, bytes.byteLength))
    }
  }
]

const publicChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.patch.public.true", "rooms.patch.public.false"],
    title: "public puts a room into the public registry, and takes it out",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.client("shown")
      await stage.client("hidden")
      same("at first", await lobbyOf(trial, stage), [])
      isSuccess(await stage.patch("shown", { public: true }))
      same("after true", await lobbyOf(trial, stage), ["shown"])
      await stage.counted("shown", 1)
      const path = trial.codecs.lobbyPath(stage.project.id)
      const lobby = await trial.send({ method: "GET", path })
      const shown = { roomId: "shown", type: "probe", clients: 1, maxClients: 64 }
      trial.chosen("D-21", () => same("the registry", lobby.json, [shown]))
      isSuccess(await stage.patch("shown", { public: true }))
      same("true twice", await lobbyOf(trial, stage), ["shown"])
      isSuccess(await stage.patch("shown", { public: false }))
      same("after false", await lobbyOf(trial, stage), [])
    }
  },
  {
    ids: ["rooms.patch.public.same-row"],
    title: "PATCH public and the room's own call move the same row",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("room")
      await client.call("setPublic", { public: true })
      await lobbyBecomes(trial, stage, ["room"])
      isSuccess(await stage.patch("room", { public: false }))
      same("out by PATCH", await lobbyOf(trial, stage), [])
      isSuccess(await stage.patch("room", { public: true }))
      same("in by PATCH", await lobbyOf(trial, stage), ["room"])
      await client.call("setPublic", { public: false })
      await lobbyBecomes(trial, stage, [])
    }
  },
  {
    ids: ["rooms.patch.public.type", "rooms.patch.retention.type"],
    needs: ["fixture"],
    title: "public is a boolean, retention a duration, forever or null",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("room")
      for (const value of ["true", 1, 0, null, [], {}]) {
        isRefused(await stage.patch("room", { public: value }))
      }
      const { bad, good } = rowOf("text", "rooms.patch.retention.type")
      for (const value of [...bad, 10, true, ["1h"], {}]) {
        isRefused(await stage.patch("room", { retention: value }))
      }
      same("nothing was set", (await stage.detail("room"))["retentionOverride"], null)
      for (const value of [...good, null]) {
        isSuccess(await stage.patch("room", { retention: value }))
        same("set", (await stage.detail("room"))["retentionOverride"], value)
      }
      for (const value of [true, false]) isSuccess(await stage.patch("room", { public: value }))
    }
  }
]

const dataChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.delete.player-data-kept"],
    title: "a player's data outlives the room that it was written in",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("room")
      same("written", await client.call("score", { by: 5 }), { total: 5 })
      await client.leave()
      await stage.asleep("room")
      isSuccess(await stage.remove("room"))
      const other = await stage.client("other")
      same("in another room", await other.call("score", { by: 1 }), { total: 6 })
      isSuccess(await stage.remove("other", "?force=true"))
      const again = await stage.client("room")
      same("after a forced delete", await again.call("score", { by: 1 }), { total: 7 })
      same("the room is a new one", (await stateOf(again)).created, 1)
    }
  },
  {
    ids: ["overview.http-cannot-change-live-state"],
    title: "no route changes what a live room holds",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("live")
      await client.call("add", { by: 7 })
      await client.call("save")
      const [saveId = ""] = await stage.saves("live")
      const { project } = stage
      const { keyId } = await project.key("rooms:read")
      for (const [method, path, body] of [
        ["GET", "/rooms"],
        ["GET", "/rooms/live"],
        ["GET", "/rooms/live/saves"],
        ["GET", `/rooms/live/saves/${saveId}/bytes`],
        ["POST", "/rooms/live/restore", trial.codecs.restoreBody("sv_0123456789abcdef")],
        ["DELETE", "/rooms/live?force=false"],
        ["POST", "/keys", { scopes: ["rooms:write"], label: "live" }],
        ["DELETE", `/keys/${keyId}`],
        ["PATCH", "/rooms/live", { retention: "1h", public: true }],
        ["PATCH", "/rooms/live", { state: { counter: { value: 1 } } }],
        ["PATCH", "/rooms/live", { value: 1 }],
        ["DELETE", "/rooms/live"],
        ["PATCH", "", { name: project.name, vmMemMib: 256 }],
        ["PATCH", "/caps", trial.codecs.capsBody({ roomHours: 100 })],
        ["GET", "/caps"],
        ["GET", "/keys"]
      ] as const) {
        await project.ask(path, { method, ...(body === undefined ? {} : { body }) })
        const { value, created } = await stateOf(client)
        same(`the state after ${method} ${path}`, { value, created }, { value: 7, created: 1 })
      }
      const stranger = await stage.socket("live")
      await refusedJoin(stranger, { token: "no credential" })
      same("who is not let in calls nothing", (await stateOf(client)).value, 7)
      same("by a call it does", await client.call("add", { by: 1 }), { value: 8 })
    }
  }
]

/** The fields of a room, its place in the registry, and what is not its own. */
export const roomFieldChecks: ReadonlyArray<Check> = [
  ...shapeChecks,
  ...countChecks,
  ...publicChecks,
  ...dataChecks
]
