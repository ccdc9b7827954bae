import type { Check } from "../check/Check.ts"
import { holds, matches, oneOf, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { board, relayStage } from "../trial/RelayStage.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

const listOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map(String) : []

/** Statuses that the list showed of a room while something was done to it, without repeats. */
const statusesDuring = async (
  stage: RoomStage,
  room: string,
  work: () => Promise<unknown>
): Promise<ReadonlyArray<string>> => {
  const seen: Array<string> = []
  const look = async (): Promise<void> => {
    const status = (await stage.row(room))?.["status"]
    if (typeof status === "string" && seen.at(-1) !== status) seen.push(status)
  }
  let done = false
  const looking = async (): Promise<void> => {
    while (!done) await look()
  }
  const [, worked] = await Promise.allSettled([looking(), work().finally(() => (done = true))])
  if (worked.status === "rejected") throw worked.reason
  await look()
  return seen
}

/** A few statuses may be too short to be seen: what was seen stands in the order of the path. */
const follows = (what: string, seen: ReadonlyArray<string>, path: ReadonlyArray<string>): void => {
  let at = 0
  for (const status of seen) {
    const found = path.indexOf(status, at)
    holds(`${what}: ${status} is on the way ${path.join(", ")}`, found !== -1, seen)
    at = found
  }
  same(`${what}: where it ends`, seen.at(-1), path.at(-1))
}

const statusChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.row.status.values", "state.room.transitions-unlisted"],
    title: "a room starts, is awake, drains and hibernates, and no status has another name",
    timeoutMs: 60_000,
    run: async (trial) => {
      const stage = await roomStage(trial)
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
    }
  },
  {
    ids: ["rooms.row.slot.meaning"],
    title: "slots of a server count from 0; a room that sleeps keeps the one that it had",
    timeoutMs: 60_000,
    run: async (trial) => {
      const stage = await roomStage(trial)
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
    }
  },
  {
    ids: ["rooms.detail.class.values"],
    title: "the size classes are called standard, large and xlarge",
    timeoutMs: 60_000,
    run: async (trial) => {
      const stage = await roomStage(trial)
      const classes: Array<unknown> = []
      for (const type of ["probe", "large", "xlarge"]) {
        await stage.client(type, { type })
        classes.push((await stage.detail(type))["class"])
      }
      const { values } = rowOf("statement", "rooms.detail.class.values").is ?? {}
      trial.chosen("D-15", () => same("the classes", classes, values))
    }
  },
  {
    ids: ["rooms.list.pagination"],
    title: "the list holds all rooms at once, and takes no page",
    timeoutMs: 120_000,
    run: async (trial) => {
      const { rooms = 0 } = rowOf("statement", "rooms.list.pagination").is ?? {}
      const ids = Array.from({ length: Number(rooms) }, (_, at) => `room-${at}`)
      // A room without code is soon made.
      const isLight = trial.config.features.includes("relay")
      const stage = isLight ? await relayStage(trial) : await roomStage(trial)
      const visit = async (room: string): Promise<unknown> =>
        isLight ? (await stage.client(room, board)).leave() : stage.played(room)
      // The free plan has ten rooms awake.
      for (let at = 0; at < ids.length; at += 7) {
        await Promise.all(ids.slice(at, at + 7).map(visit))
      }
      const list = await stage.ask("")
      trial.chosen("D-04", () => {
        same("rooms in the list", Array.isArray(list.json) && list.json.length, ids.length)
        same("a link to another page", list.headers["link"], undefined)
      })
      for (const query of ["limit=5", "page=2", "cursor=x", "offset=1"]) {
        const { status } = await stage.ask(`?${query}`)
        trial.chosen("D-04", () => same(`?${query}`, status, 400))
      }
    }
  }
]

/** What a client and a room say to each other, as D-24 shapes it. */
const payloads = async (trial: Trial): Promise<void> => {
  const stage = await roomStage(trial)
  const [one, two] = [await stage.client("talk"), await stage.client("talk")]
  const [welcome] = one.welcomes()
  const { codecs } = trial
  const { subprotocol } = rowOf("statement", "events.payloads").is ?? {}
  trial.chosen("D-24", () => {
    same("the subprotocol", codecs.room.subprotocol, subprotocol)
    same("the room of the welcome", welcome?.roomId, "talk")
    same("the version of the welcome", welcome?.version, 1)
    for (const field of ["clientId", "playerId", "resume"] as const) {
      matches(`${field} of the welcome`, welcome?.[field], /^.+$/)
    }
    same("whether it is a viewer's", welcome?.audience, false)
    holds("a state", (welcome?.stateBytes ?? 0) > 0, welcome)
  })
  same("an answer", await one.call("echo", { deep: [1, null, "ä"] }), { deep: [1, null, "ä"] })
  one.say("say", { words: ["hello"] })
  one.chat("a line")
  const heard = await trial.until("the message", async () => two.heard("said").at(0) ?? null)
  const line = await trial.until("the chat line", async () => two.chats().at(0) ?? null)
  trial.chosen("D-24", () => {
    same("a message", Object(heard)["value"], { words: ["hello"] })
    same("who says it", Object(heard)["from"], welcome?.clientId)
    same("a chat line", [line.from, line.line], [welcome?.clientId, "a line"])
  })
  one.chat("x".repeat(rowOf("boundary", "limits.chat.bytes").refuse))
  const error = await trial.until("the error", async () => one.errors().at(0) ?? null)
  trial.chosen("D-24", () => {
    matches("the code of an error", error.code, /^E_[A-Z_]+$/)
    matches("its message", error.message, /^.+$/)
  })
  await one.ping()
}

/** What the specification leaves open about rooms, asked as our choices. */
export const chosenRoomChecks: ReadonlyArray<Check> = [
  ...statusChecks,
  {
    ids: ["events.payloads"],
    title: "welcome, answer, message, chat line and error have the shapes of D-24",
    run: payloads
  }
]
