import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same, holds, oneOf } from "../../check/Expect.ts"
import { joinsInSomeOrder } from "../../models/Races.ts"
import { board } from "../../trial/RelayStage.ts"
import { roomStage, stateOf, withRooms } from "../../trial/RoomStage.ts"
import { flood, muchBytes } from "../limits/Flood.ts"
import { restarted } from "../limits/MemoryCeiling.ts"
import { clientRow, slowClientRow } from "../RowKinds.ts"
import { section, tierB, tierC, rowOf } from "../Section.ts"
import { mib, minuteMs } from "../Units.ts"
import { held } from "./HeldTime.ts"
import { refusalOf } from "./MoveRefusal.ts"
import { changedSinceSave, restored, restoresAsleep } from "./Restores.ts"
import { reachesTheWall } from "./RoomStatesProbes.ts"

/** Lines 198 to 204 of the specification: States and transitions, restore, start, sleep and restart. */
export const roomStatesSection = section("States and transitions", {
  "state.room.restore.discards-current": tierB(198, "a queued restore discards the current state", {
    probe: ["http", "ws"],
    move: {
      subject: "room",
      from: "any",
      trigger: "restore queued",
      guard: "rooms:write",
      to: "the state of the generation"
    },
    provedBy: "state.room.delete-awake-noforce#model",
    check: [
      {
        title: "a restored room holds the state of the generation, and not what came after",
        run: withRooms(async (stage, trial) => {
          const { client, saveId } = await changedSinceSave(stage, "turned", 7)
          same("before", (await stateOf(client)).value, 107)
          const key = await stage.project.key("rooms:write")
          const body = trial.codecs.restoreBody(saveId)
          const answer = await stage.ask("/turned/restore", {
            method: "POST",
            body,
            bearer: key.secret
          })
          isSuccess(answer)
          trial.chosen("D-01", () => same("the status", answer.status, 202))
          trial.chosen("D-11", () => same("what it is", Object(answer.json)["status"], "queued"))
          await client.end()
          same("after", (await restored(trial, stage, "turned")).value, 7)
        })
      },
      {
        timeoutMs: 40_000,
        title: "a sleeping room is restored as well, also to a generation of an older version",
        run: async (trial) => restoresAsleep(trial, await roomStage(trial))
      }
    ]
  }),
  "state.room.restore.server-stopped": tierB(
    198,
    "the project server is stopped if running, disrupting every room briefly",
    {
      probe: ["http", "ws"],
      literalsOf: "state.room.restore.discards-current",
      check: {
        title: "a restore sends the clients of all rooms away; the others come back as they were",
        run: withRooms(async (stage, trial) => {
          const { client, saveId } = await changedSinceSave(stage, "turned", 7)
          const neighbour = await stage.client("neighbour")
          await neighbour.call("add", { by: 21 })
          isSuccess(await stage.restore("turned", saveId))
          await client.end()
          const closed = await neighbour.end()
          trial.chosen("C-80", () => same("the close of another room's client", closed.code, 1012))
          const back = await stage.rejoin("neighbour")
          const { value, created } = await stateOf(back)
          same("the other room", { value, created }, { value: 21, created: 1 })
          same("the restored room", (await restored(trial, stage, "turned")).value, 7)
        })
      }
    }
  ),
  "state.room.restore.others-unchanged": tierB(198, "other rooms return from their own snapshots", {
    probe: ["http", "ws"],
    literalsOf: "state.room.restore.discards-current",
    provedBy: ["state.room.delete-awake-noforce#model", "state.room.restore.server-stopped"]
  }),
  "state.room.public-started": tierB(
    199,
    "PATCH public after the game started: 409 E_ROOM_STARTED, unchanged",
    {
      decisions: ["D-21", "T-61"],
      alsoLines: [236, 332],
      move: {
        subject: "room",
        from: "started",
        trigger: "PATCH public",
        guard: "game already started",
        to: "unchanged",
        outcome: { status: 409, code: "E_ROOM_STARTED" }
      },
      provedBy: "state.room.delete-awake-noforce#model",
      check: {
        title: "a room is not made public after its game has started: 409",
        run: withRooms(async (stage, trial) => {
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
          await stage.client("begun")
          isRefusal(trial, await stage.patch("begun", { public: true }), refusal)
        })
      }
    }
  ),
  "state.room.dataout-hibernates": tierC(
    200,
    "reaching the data-out allowance hibernates rooms with state and closes sockets 4290",
    {
      probe: ["http", "ws"],
      hooks: ["meters"],
      features: ["caps"],
      alsoLines: [312, 542],
      move: {
        subject: "room",
        from: "awake",
        trigger: "data-out allowance reached",
        to: "hibernated",
        outcome: { close: 4290 }
      },
      check: [
        {
          needs: ["fixture", "plan"],
          timeoutMs: 60_000,
          title:
            "at the data-out allowance sockets close with 4290, rooms sleep, and joins get 4402",
          run: withRooms(async (stage, trial) => {
            const client = await stage.client("one")
            await client.call("addDurably", { by: 7 })
            await client.leave()
            await reachesTheWall(trial, stage, undefined)
            same("the state of the room", (await stateOf(await stage.client("one"))).value, 7)
          })
        },
        {
          needs: ["fixture", "plan", "relay"],
          timeoutMs: 60_000,
          title: "at the data-out allowance relay rooms sleep as well",
          run: async (trial) => reachesTheWall(trial, await roomStage(trial, "relay"), board)
        }
      ]
    }
  ),
  "state.socket.slow-consumer": slowClientRow(
    201,
    "over the outbound budget the socket closes 1008 E_SLOW_CONSUMER",
    {
      alsoLines: [313, 346],
      move: {
        subject: "socket",
        from: "open",
        trigger: "outbound buffer over budget",
        to: "closed",
        outcome: { close: 1008, code: "E_SLOW_CONSUMER" }
      },
      check: {
        timeoutMs: 60_000,
        title:
          "a client past its outbound budget is closed with 1008 E_SLOW_CONSUMER, and comes back",
        run: withRooms(async (stage) => {
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
        })
      }
    }
  ),
  "state.worker.memory-restart": clientRow(
    202,
    "a worker over its memory ceiling restarts from saved state",
    {
      alsoLines: [382],
      move: {
        subject: "worker",
        from: "running",
        trigger: "memory ceiling exceeded",
        to: "restarted from saved state"
      },
      check: {
        timeoutMs: 30_000,
        title: "a room over its memory ceiling is started again from its saved state",
        run: withRooms(async (stage) => {
          const client = await stage.client("filled")
          const neighbour = await stage.client("neighbour")
          await client.call("addDurably", { by: 5 })
          await client.call("add", { by: 1 })
          const back = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
          const { value, created } = await stateOf(back)
          same("it did not begin anew", created, 1)
          // The later change may have been stored by itself just before.
          oneOf("the saved state", value, [5, 6])
          same("it goes on", await back.call("add", { by: 10 - value }), { value: 10 })
          same("welcomes of another room", neighbour.welcomes().length, 1)
          holds("which stays", neighbour.isOpen(), "closed")
        })
      }
    }
  ),
  "state.worker.three-restarts-close": clientRow(202, "three restarts in a minute close the room", {
    decisions: ["D-22", "T-39"],
    alsoLines: [382, 413],
    move: {
      subject: "worker",
      from: "running",
      trigger: "memory ceiling exceeded",
      guard: "the third time within the window",
      to: "closed"
    },
    is: { restarts: 3, withinMs: 1 * minuteMs },
    check: [
      {
        name: "closes",
        timeoutMs: 60_000,
        title: "three restarts in a minute close the room, two do not; its state stays",
        run: withRooms(async (stage, trial) => {
          let client = await stage.client("filled")
          await client.call("addDurably", { by: 5 })
          for (let time = 0; time < 2; time++) {
            client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
            same(`after restart ${time + 1}`, (await stateOf(client)).value, 5)
          }
          client.say("fill", { bytes: 200 * mib, kind: "buffer" })
          const closed = await client.end()
          trial.chosen("D-22", () =>
            same("the close", closed, {
              code: trial.codecs.room.closes.roomCrashed,
              reason: "E_ROOM_CRASHED"
            })
          )
          const { crashed } = rowOf("statement", "state.room.transitions-unlisted").is ?? {}
          const { status } = await stage.detail("filled")
          trial.chosen("D-14", () => same("its status", status, crashed))
          const again = await stage.rejoin("filled")
          same("its state", (await stateOf(again)).value, 5)
        })
      },
      {
        needs: ["clock"],
        alone: true,
        timeoutMs: 60_000,
        title: "three restarts in more than a minute do not close the room",
        run: withRooms(async (stage, trial) => {
          let client = await stage.client("filled")
          await client.call("addDurably", { by: 5 })
          for (let time = 0; time < 4; time++) {
            client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
            same(`after restart ${time + 1}`, (await stateOf(client)).value, 5)
            if (time % 2 === 1) await trial.control.advance(61_000)
          }
        })
      },
      {
        needs: ["clock"],
        alone: true,
        timeoutMs: 60_000,
        title: "the minute of the restarts slides: the third within any minute closes the room",
        run: withRooms(async (stage, trial) => {
          let client = await stage.client("filled")
          await client.call("addDurably", { by: 5 })
          const { withinMs = 0 } = rowOf("move", "state.worker.three-restarts-close").is ?? {}
          const minute = Number(withinMs)
          await held(trial)
          // The third comes a moment later than a minute after the first, and the fourth a moment
          // earlier than a minute after the second: that is the third within a minute.
          for (const waitMs of [minute / 2, minute / 2 + 1, minute / 2 - 2]) {
            client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
            same(`before ${waitMs} ms more`, (await stateOf(client)).value, 5)
            await trial.control.advance(waitMs)
          }
          client.say("fill", { bytes: 200 * mib, kind: "buffer" })
          const closed = await client.end()
          trial.chosen("D-22", () => same("the close", closed.reason, "E_ROOM_CRASHED"))
        })
      }
    ]
  }),
  "state.room.delete-race-fresh-room": tierC(
    204,
    "a player reconnecting between eviction and deletion gets a fresh room of the same id; the delete removes nothing of it",
    {
      probe: ["http", "ws"],
      hooks: ["fixture", "servers"],
      move: {
        subject: "room",
        from: "being deleted",
        trigger: "a player reconnects",
        to: "a fresh room of the same id"
      },
      check: [
        joinsInSomeOrder,
        {
          timeoutMs: 40_000,
          title: "who comes back between eviction and deletion has a fresh room, which stays",
          run: withRooms(async (stage) => {
            const client = await stage.client("raced")
            await client.call("addDurably", { by: 7 })
            await client.call("save")
            const deleted = stage.remove("raced", "?force=true")
            await client.end()
            // As a player who does not take 4291 for an end: at once, while the state is being removed.
            const back = await stage.client("raced")
            isSuccess(await deleted)
            const { value, created } = await stateOf(back)
            same("a room without state", { value, created }, { value: 0, created: 1 })
            await back.call("addDurably", { by: 1 })
            holds("it stays", back.isOpen(), "closed")
            await back.leave()
            await stage.asleep("raced")
            same("also asleep", (await stateOf(await stage.client("raced"))).value, 1)
          })
        }
      ]
    }
  )
})
