import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { roomStage, stateOf } from "../trial/RoomStage.ts"

/** A close frame and an answer travel on different connections: this late it is still `with`. */
const graceMs = 250

const refusalOf = (id: string) => {
  const { outcome = {} } = rowOf("move", id)
  return { outcome: { ...outcome } }
}

/** Deleting rooms, and which of them are awake. */
export const stateChecks: ReadonlyArray<Check> = [
  {
    ids: ["state.room.filter-classes", "rooms.list.active-false"],
    needs: ["fixture"],
    title: "every room is in exactly one of active=true and active=false",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("asleep-1")
      await stage.played("asleep-2")
      await stage.client("awake-1")
      await stage.client("awake-2")
      const awake = (await stage.roomIds("?active=true")).toSorted()
      const others = (await stage.roomIds("?active=false")).toSorted()
      same("active=true", awake, ["awake-1", "awake-2"])
      same("active=false", others, ["asleep-1", "asleep-2"])
      same("all", (await stage.roomIds()).toSorted(), [...others, ...awake].toSorted())
      same("of a sleeping room", (await stage.row("asleep-1"))?.["status"], "hibernated")
    }
  },
  {
    ids: ["state.room.delete-awake-noforce", "error.http.E_ROOM_IN_USE"],
    title: "an awake room is not deleted without force: 409, its client and state stay",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("used")
      await client.call("add", { by: 3 })
      await client.call("save")
      const before = await stage.saves("used")
      isRefusal(trial, await stage.remove("used"), refusalOf("state.room.delete-awake-noforce"))
      const key = await stage.project.key("rooms:write")
      const answer = await stage.ask("/used", { method: "DELETE", bearer: key.secret })
      isRefusal(trial, answer, refusalOf("state.room.delete-awake-noforce"))
      const { value, created } = await stateOf(client)
      same("the state", { value, created }, { value: 3, created: 1 })
      holds("the client is connected", client.isOpen(), "closed")
      same("the generations", await stage.saves("used"), before)
    }
  },
  {
    ids: ["rooms.delete.force.value"],
    title: "force=true forces, and nothing else does",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("used")
      for (const query of ["?force=false", "?force=1", "?force=", "?force=TRUE", "?force=yes"]) {
        const answer = await stage.remove("used", query)
        isRefused(answer)
        trial.chosen("T-03", () =>
          isRefusal(trial, answer, refusalOf("state.room.delete-awake-noforce"))
        )
      }
      same("the room", (await stateOf(client)).created, 1)
      isSuccess(await stage.remove("used", "?force=true"))
    }
  },
  {
    ids: ["state.room.force-delete", "rooms.delete.result.roomId"],
    title: "a forced delete removes a room that is awake with all that was stored of it",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("used")
      await client.call("addDurably", { by: 3 })
      await client.call("save")
      const [saveId = ""] = await stage.saves("used")
      const answer = await stage.remove("used", "?force=true")
      isSuccess(answer)
      same("roomId of the answer", Object(answer.json)["roomId"], "used")
      const gone = { outcome: rowOf("error", "rooms.get.not-found").outcome }
      isRefusal(trial, await stage.ask("/used"), gone)
      same("the list", await stage.roomIds(), [])
      same("the generation", (await stage.bytes("used", saveId)).status, 404)
      const { value, created } = await stateOf(await stage.client("used"))
      same("the next room of that id", { value, created }, { value: 0, created: 1 })
      same("its generations", await stage.saves("used"), [])
    }
  },
  {
    ids: ["state.room.force-delete.clients-closed-first"],
    title: "before a forced delete every client is closed with 4291 E_ROOM_DELETED",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const clients = [
        await stage.client("used"),
        await stage.client("used"),
        await stage.client("used")
      ]
      const neighbour = await stage.client("other")
      const closes = Promise.all(
        clients.map(async (client) => ({ ...(await client.end()), atMs: performance.now() }))
      )
      isSuccess(await stage.remove("used", "?force=true"))
      const answeredAtMs = performance.now()
      const { outcome } = rowOf("move", "state.room.force-delete.clients-closed-first")
      for (const closed of await closes) {
        same("the close code", closed.code, outcome?.close)
        same("the reason", closed.reason, outcome?.code)
        const lateMs = closed.atMs - answeredAtMs
        holds("closed before the answer or with it", lateMs < graceMs, `${lateMs} ms later`)
      }
      holds("a client of another room stays", neighbour.isOpen(), "closed")
    }
  },
  {
    ids: ["state.room.delete-asleep"],
    title: "a room that is not awake is deleted without force",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("slept", 3)
      await stage.played("stays", 4)
      const answer = await stage.remove("slept")
      isSuccess(answer)
      same("roomId of the answer", Object(answer.json)["roomId"], "slept")
      isRefusal(trial, await stage.ask("/slept"), {
        outcome: rowOf("error", "rooms.get.not-found").outcome
      })
      same("the list", await stage.roomIds(), ["stays"])
      same("the next of that id", (await stateOf(await stage.client("slept"))).value, 0)
      same("another room", (await stateOf(await stage.client("stays"))).value, 4)
    }
  },
  {
    ids: ["state.room.public-started", "error.http.E_ROOM_STARTED"],
    title: "a room is not made public after its game has started: 409",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("begun")
      isSuccess(await stage.patch("begun", { public: false }))
      await client.call("setStarted", { started: true })
      const refusal = refusalOf("state.room.public-started")
      isRefusal(trial, await stage.patch("begun", { public: true }), refusal)
      const answer = await stage.patch("begun", { public: false })
      trial.chosen("T-61", () => isRefusal(trial, answer, refusal))
      const lobby = await trial.send({
        method: "GET",
        path: trial.codecs.lobbyPath(stage.project.id)
      })
      same("the registry", trial.codecs.lobbyRooms(lobby.json), [])
      await client.call("addDurably", { by: 1 })
      await client.leave()
      await stage.asleep("begun")
      isRefusal(trial, await stage.patch("begun", { public: true }), refusal)
    }
  },
  {
    ids: ["rooms.patch.atomic"],
    title: "a PATCH that is refused in one part sets nothing",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("begun")
      await client.call("setStarted", { started: true })
      isRefused(await stage.patch("begun", { retention: "1h", public: true }))
      isRefused(await stage.patch("begun", { retention: "1h", clazz: "large" }))
      const { retention, retentionOverride } = await stage.detail("begun")
      same(
        "what was set",
        { retention, retentionOverride },
        { retention: null, retentionOverride: null }
      )
      isSuccess(await stage.patch("begun", { retention: "1h" }))
    }
  }
]
