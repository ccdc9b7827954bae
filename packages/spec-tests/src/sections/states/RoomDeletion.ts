import { isRefusal, isSuccess } from "../../check/Answers.ts"
import { same, holds } from "../../check/Expect.ts"
import { roomsAsModelled, killedRoomsAsModelled } from "../../models/ModelChecks.ts"
import { roomsInSomeOrder } from "../../models/Races.ts"
import { board, withRelayRooms } from "../../trial/RelayStage.ts"
import { stateOf, withRooms } from "../../trial/RoomStage.ts"
import { markOf, isThere } from "../limits/Marks.ts"
import { section, tierB, tierC, rowOf } from "../Section.ts"
import { refusalOf } from "./MoveRefusal.ts"
import { serverOf, paused } from "./ServerOfRoom.ts"

const inUse = { status: 409, code: "E_ROOM_IN_USE" } as const

const deleted = { close: 4291, code: "E_ROOM_DELETED" } as const

/** Lines 191 to 195 of the specification: States and transitions, the deletion of a room. */
export const roomDeletionSection = section("States and transitions", {
  "state.room.delete-awake-noforce": tierB(
    191,
    "deleting an awake room without force changes nothing: 409 E_ROOM_IN_USE",
    {
      probe: ["http", "ws"],
      alsoLines: [238, 331],
      move: {
        subject: "room",
        from: "awake",
        trigger: "DELETE room",
        guard: "no force",
        to: "awake",
        outcome: inUse
      },
      check: [
        roomsAsModelled,
        {
          name: "refused",
          title: "an awake room is not deleted without force: 409, its client and state stay",
          run: withRooms(async (stage, trial) => {
            const client = await stage.client("used")
            await client.call("add", { by: 3 })
            await client.call("save")
            const before = await stage.saves("used")
            isRefusal(
              trial,
              await stage.remove("used"),
              refusalOf("state.room.delete-awake-noforce")
            )
            const key = await stage.project.key("rooms:write")
            const answer = await stage.ask("/used", { method: "DELETE", bearer: key.secret })
            isRefusal(trial, answer, refusalOf("state.room.delete-awake-noforce"))
            const { value, created } = await stateOf(client)
            same("the state", { value, created }, { value: 3, created: 1 })
            holds("the client is connected", client.isOpen(), "closed")
            same("the generations", await stage.saves("used"), before)
          })
        }
      ]
    }
  ),
  "state.room.force-delete": tierB(
    192,
    "force delete with the server reachable (non-relay) deletes the state",
    {
      probe: ["http", "ws"],
      move: {
        subject: "room",
        from: "awake",
        trigger: "DELETE room with force=true",
        guard: "server reachable, non-relay project",
        to: "gone"
      },
      provedBy: "state.room.delete-awake-noforce#model",
      check: [
        killedRoomsAsModelled,
        {
          name: "removes",
          title: "a forced delete removes a room that is awake with all that was stored of it",
          run: withRooms(async (stage, trial) => {
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
          })
        }
      ]
    }
  ),
  "state.room.force-delete.clients-closed-first": tierB(
    192,
    "every client is closed with 4291/E_ROOM_DELETED before the deletion",
    {
      probe: ["http", "ws"],
      alsoLines: [239, 311],
      move: {
        subject: "room",
        from: "awake",
        trigger: "DELETE room with force=true",
        guard: "server reachable, non-relay project",
        to: "gone",
        outcome: deleted
      },
      check: {
        title: "before a forced delete every client is closed with 4291 E_ROOM_DELETED",
        run: withRooms(async (stage) => {
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
        })
      }
    }
  ),
  "state.room.force-delete.clients-stop": tierB(
    192,
    "the client library stops and does not reconnect",
    {
      probe: ["sdk"],
      features: ["sdk"],
      alsoLines: [311],
      outcome: deleted,
      provedBy: "events.4291.fatal"
    }
  ),
  "state.room.force-delete.unreachable": tierC(
    193,
    "force delete with the server unreachable: 502 E_EVICT_FAILED, nothing deleted",
    {
      hooks: ["servers"],
      alsoLines: [239, 333],
      move: {
        subject: "room",
        from: "awake",
        trigger: "DELETE room with force=true",
        guard: "server unreachable",
        to: "awake",
        outcome: { status: 502, code: "E_EVICT_FAILED" }
      },
      check: {
        needs: ["fixture"],
        timeoutMs: 60_000,
        title:
          "a forced delete on a server that does not answer is 502, names it and deletes nothing",
        run: withRooms(async (stage, trial) => {
          const client = await stage.client("held")
          await client.call("addDurably", { by: 7 })
          await client.call("save")
          const saves = await stage.saves("held")
          const server = await serverOf(trial, stage, "held")
          await paused(trial, server)
          const answer = await stage.remove("held", "?force=true")
          isRefusal(trial, answer, {
            outcome: { ...rowOf("move", "state.room.force-delete.unreachable").outcome },
            naming: server
          })
          same("its generations", await stage.saves("held"), saves)
          await trial.control.server("resume", server)
          const state = await trial.until("the room answers again", async () => {
            const back = client.isOpen() ? client : await stage.rejoin("held")
            return stateOf(back).catch(() => null)
          })
          same(
            "its state",
            { value: state.value, created: state.created },
            { value: 7, created: 1 }
          )
          same("it is listed", await stage.roomIds(), ["held"])
        })
      }
    }
  ),
  "state.room.delete-relay": tierB(194, "delete in a relay project: 409 E_ROOM_IN_USE, unchanged", {
    features: ["relay"],
    decisions: ["T-28"],
    alsoLines: [239, 331],
    move: {
      subject: "relay",
      from: "any",
      trigger: "DELETE room",
      to: "unchanged",
      outcome: inUse
    },
    check: {
      timeoutMs: 60_000,
      title: "no room of a relay project is deleted, by force or asleep: 409, and it stays",
      run: withRelayRooms(async (stage, trial) => {
        const { outcome } = rowOf("move", "state.room.delete-relay")
        const refusal = { outcome: outcome ?? {} }
        const client = await stage.client("a", board)
        const key = await markOf(client)
        for (const query of ["", "?force=true"]) {
          isRefusal(trial, await stage.remove("a", query), refusal)
        }
        await client.ping()
        holds("its client stays", client.isOpen(), "closed")
        await client.leave()
        await stage.asleep("a")
        const asleep = [await stage.remove("a"), await stage.remove("a", "?force=true")]
        const unknown = await stage.remove("nobody-was-here")
        trial.chosen("T-28", () => {
          for (const answer of asleep) isRefusal(trial, answer, refusal)
          same("an unknown room", unknown.status, 404)
        })
        const back = await stage.client("a", board)
        holds("what it held is there", await isThere(back, key), "gone")
      })
    }
  }),
  "state.room.delete-asleep": tierB(195, "deleting a room that is not awake removes its state", {
    move: { subject: "room", from: "not awake", trigger: "DELETE room", to: "gone" },
    provedBy: ["state.room.delete-awake-noforce#model", "state.room.force-delete#model"],
    check: [
      roomsInSomeOrder,
      {
        title: "a room that is not awake is deleted without force",
        run: withRooms(async (stage, trial) => {
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
        })
      }
    ]
  }),
  "state.room.delete-asleep.all-versions": tierC(
    195,
    "snapshots across all deployment versions are removed",
    {
      hooks: ["fixture", "storage"],
      literalsOf: "state.room.delete-asleep",
      check: {
        title:
          "deleting a sleeping room removes what is stored of it, of all versions, and counts it",
        run: withRooms(async (stage, trial) => {
          const of = (room: string) => trial.control.objects(stage.project.id, room)
          await stage.played("neighbour")
          for (const fixture of ["probe", "next"] as const) {
            await stage.deploy(fixture)
            const client = await stage.client("stored")
            for (let save = 0; save < 3; save++) {
              await client.call("add", { by: 1 })
              await client.call("save")
            }
            await client.leave()
            await stage.asleep("stored")
          }
          const saves = await stage.saves("stored")
          holds("generations of two versions", saves.length >= 6, saves.length)
          const stored = await of("stored")
          holds("they are stored", stored.length >= saves.length, stored.length)
          const others = await of("neighbour")
          const answer = await stage.remove("stored")
          isSuccess(answer)
          same("objects of the answer", Object(answer.json).objects, stored.length)
          same("what is stored of it", await of("stored"), [])
          same("what is stored of another", await of("neighbour"), others)
          same("its generations", (await stage.ask("/stored/saves")).status, 404)
          for (const id of saves) same("their bytes", (await stage.bytes("stored", id)).status, 404)
          const client = await stage.client("forced")
          await client.call("addDurably", { by: 1 })
          await client.call("save")
          const held = await of("forced")
          const forced = await stage.remove("forced", "?force=true")
          isSuccess(forced)
          same("objects of a forced delete", Object(forced.json).objects, held.length)
          same("what is stored of it by then", await of("forced"), [])
        })
      }
    }
  ),
  "state.room.delete-asleep.saves": tierC(195, "save generations are removed", {
    hooks: ["fixture", "storage"],
    literalsOf: "state.room.delete-asleep",
    provedBy: "state.room.delete-asleep.all-versions"
  }),
  "state.room.delete-asleep.alarms": tierC(195, "the alarm sidecar is removed", {
    hooks: ["fixture", "storage"],
    literalsOf: "state.room.delete-asleep",
    check: {
      title: "no alarm of a deleted room rings",
      run: withRooms(async (stage, trial) => {
        const sleeps = async (room: string): Promise<void> => {
          const client = await stage.client(room)
          await client.call("addDurably", { by: 1 })
          await client.call("alarmIn", { ms: 4000 })
          await client.call("addDurably", { by: 1 })
          await client.leave()
          await stage.asleep(room)
        }
        // Its alarm must not wake it first; that of the other room is due later.
        await sleeps("deleted")
        isSuccess(await stage.remove("deleted"))
        await sleeps("kept")
        await trial.until("the alarm of the other room", async () => {
          const client = await stage.client("kept")
          const { alarms } = await stateOf(client)
          await client.leave()
          return alarms > 0 ? true : null
        })
        await trial.pause(2000)
        same("the list", await stage.roomIds(), ["kept"])
        same("what is stored", await trial.control.objects(stage.project.id, "deleted"), [])
        same("the next room of that id", (await stateOf(await stage.client("deleted"))).alarms, 0)
      })
    }
  })
})

/** A close frame and an answer travel on different connections: this late it is still `with`. */
const graceMs = 250
