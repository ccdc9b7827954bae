import { isRefusal, isSuccess, isRefused } from "../../check/Answers.ts"
import { manyAskedMs } from "../../check/Check.ts"
import { same, holds } from "../../check/Expect.ts"
import { board, withRelayRooms } from "../../trial/RelayStage.ts"
import { stateOf, withRooms } from "../../trial/RoomStage.ts"
import { roomRoutesHeading } from "../Headings.ts"
import { outlivesRooms } from "../limits/LeaderboardProbes.ts"
import { markOf, setMark, isThere } from "../limits/Marks.ts"
import { section, tierA, tierC, tierB, rowOf } from "../Section.ts"
import { held, advanceTo } from "../states/HeldTime.ts"
import { paused, serverOf } from "../states/ServerOfRoom.ts"
import { minuteMs } from "../Units.ts"
import { named, shapeFirst } from "./BadBodies.ts"
import {
  unknownParameters,
  strangeRooms,
  findsNoRoom,
  lobbyOf,
  lobbyBecomes,
  unknownFields
} from "./RoomRulesProbes.ts"

/** Lines 232 to 239 of the specification: Rooms, the rules. */
export const roomRulesSection = section(roomRoutesHeading, {
  "rooms.list.unknown-param": tierA(
    232,
    "an unknown query parameter: 400 E_BAD_REQUEST naming it",
    {
      decisions: ["T-03"],
      alsoLines: [326],
      error: { outcome: { status: 400, code: "E_BAD_REQUEST" }, names: "the parameter" },
      check: {
        title: "a query parameter that the list does not know is 400 and named",
        timeoutMs: manyAskedMs,
        run: unknownParameters
      }
    }
  ),
  "rooms.list.bad-duration": tierA(232, "a filter that is not a duration: 400", {
    alsoLines: [326],
    error: { outcome: { status: 400 } },
    check: {
      title: "a filter that is no duration is 400",
      run: async (trial) => {
        const project = await trial.project()
        for (const text of ["abc", "10", "1.5h", "", "true", "1h30m", "forever"]) {
          const filter = `idle-longer-than=${encodeURIComponent(text)}`
          for (const query of [filter, `active=true&${filter}`, `${filter}&active=false`]) {
            const answer = await project.ask(`/rooms?${query}`)
            isRefusal(trial, answer, rowOf("error", "rooms.list.bad-duration"))
            trial.chosen("D-02", () => isRefusal(trial, answer, named("idle-longer-than")))
          }
        }
        isSuccess(await project.ask("/rooms?idle-longer-than=10m"))
      }
    }
  }),
  "rooms.list.filters-combine": tierC(233, "both filters can be used together (AND)", {
    hooks: ["clock", "fixture"],
    provedBy: "rooms.list.idle-longer-than"
  }),
  "rooms.list.idle-longer-than": tierC(
    233,
    "idle-longer-than returns rooms last reported longer ago than the duration",
    {
      hooks: ["clock"],
      check: {
        needs: ["fixture"],
        alone: true,
        title: "idle-longer-than lists rooms last reported longer ago, also together with active",
        run: withRooms(async (stage, trial) => {
          await stage.played("old")
          await stage.client("awake")
          await held(trial)
          const seenAtMs = Date.parse(String((await stage.row("old"))?.["lastSeen"]))
          await advanceTo(trial, seenAtMs + 5 * minuteMs)
          same("5 minutes ago is not longer", await stage.roomIds("?idle-longer-than=5m"), [])
          await trial.control.advance(1)
          same("a ms more is", await stage.roomIds("?idle-longer-than=5m"), ["old"])
          const recent = await stage.client("recent")
          await recent.leave()
          await trial.control.advance(2000)
          await stage.asleep("recent")
          same("only the old", await stage.roomIds("?idle-longer-than=5m"), ["old"])
          const combined = async (active: boolean, window: string) =>
            (await stage.roomIds(`?active=${active}&idle-longer-than=${window}`)).toSorted()
          same("asleep and idle", await combined(false, "5m"), ["old"])
          same("awake and idle", await combined(true, "5m"), [])
          same("asleep", (await stage.roomIds("?active=false")).toSorted(), ["old", "recent"])
          same("awake", await stage.roomIds("?active=true"), ["awake"])
          same("in the other order", await stage.roomIds("?idle-longer-than=5m&active=false"), [
            "old"
          ])
          same("idle for an hour", await combined(false, "1h"), [])
        })
      }
    }
  ),
  "rooms.list.active-true": tierC(233, "active=true returns only rooms awake in a live server", {
    hooks: ["fixture", "servers"],
    check: {
      needs: ["fixture"],
      timeoutMs: 40_000,
      title: "active=true lists rooms that are awake in a server that lives",
      run: withRooms(async (stage, trial) => {
        await stage.played("asleep")
        await stage.client("awake")
        same("awake", await stage.roomIds("?active=true"), ["awake"])
        await paused(trial, await serverOf(trial, stage, "awake"))
        await trial.until(
          "the room of a dead server leaves active=true",
          async () => ((await stage.roomIds("?active=true")).length === 0 ? true : null),
          20_000
        )
        same("it is among the others", (await stage.roomIds("?active=false")).toSorted(), [
          "asleep",
          "awake"
        ])
        holds(
          "its row says awake",
          (await stage.row("awake"))?.["status"] !== "hibernated",
          "asleep"
        )
      })
    }
  }),
  "rooms.list.active-false": tierB(233, "active=false returns only the others", {
    provedBy: "state.room.filter-classes"
  }),
  "rooms.get.not-found": tierA(234, "neither row nor state: 404 E_ROOM_NOT_FOUND", {
    alsoLines: [330],
    error: { outcome: { status: 404, code: "E_ROOM_NOT_FOUND" } },
    check: {
      title: "a room that never was is 404 E_ROOM_NOT_FOUND to whoever reads it",
      run: async (trial) => {
        const project = await trial.project()
        const key = await project.key("rooms:read")
        for (const bearer of [key.secret, project.login]) {
          for (const room of strangeRooms) {
            const answer = await project.ask(`/rooms/${room}`, { bearer })
            isRefusal(trial, answer, rowOf("error", "rooms.get.not-found"))
          }
        }
        same("the list afterwards", (await project.ask("/rooms")).json, [])
      }
    }
  }),
  "rooms.get.rowless-hibernated": tierC(234, "state without row answers normally as hibernated", {
    hooks: ["clock"],
    alsoLines: [39],
    is: { status: "hibernated" },
    provedBy: "state.row.pruned-30d"
  }),
  "rooms.patch.not-found": tierA(
    234,
    "patch on a room with neither row nor state: 404 E_ROOM_NOT_FOUND",
    {
      level: "decided",
      decisions: ["T-29"],
      alsoLines: [330],
      error: { outcome: { status: 404, code: "E_ROOM_NOT_FOUND" } },
      provedBy: "state.room.delete-awake-noforce#model",
      check: findsNoRoom("route.rooms.patch")
    }
  ),
  "rooms.delete.not-found": tierA(
    234,
    "delete on a room with neither row nor state: 404 E_ROOM_NOT_FOUND",
    {
      level: "decided",
      decisions: ["T-29"],
      alsoLines: [330],
      literalsOf: "rooms.patch.not-found",
      provedBy: "state.room.delete-awake-noforce#model",
      check: findsNoRoom("route.rooms.delete")
    }
  ),
  "rooms.saves.not-found": tierA(
    234,
    "saves on a room with neither row nor state: 404 E_ROOM_NOT_FOUND",
    {
      level: "decided",
      decisions: ["T-29"],
      alsoLines: [330],
      literalsOf: "rooms.patch.not-found",
      check: findsNoRoom("route.saves.list")
    }
  ),
  "rooms.restore.not-found": tierA(
    234,
    "restore on a room with neither row nor state: 404 E_ROOM_NOT_FOUND",
    {
      level: "decided",
      decisions: ["T-29"],
      alsoLines: [330],
      literalsOf: "rooms.patch.not-found",
      check: findsNoRoom("route.saves.restore")
    }
  ),
  "rooms.patch.retention.duration": tierC(
    235,
    "a duration keeps the room that long past last activity whatever the type says",
    { hooks: ["clock", "fixture"], provedBy: "state.room.retention.type-or-override" }
  ),
  "rooms.patch.retention.forever": tierC(235, "forever: never deleted by retention", {
    hooks: ["clock", "fixture"],
    decisions: ["D-08", "T-08"],
    is: { value: "forever" },
    provedBy: "state.room.retention.type-or-override"
  }),
  "rooms.patch.retention.null": tierC(235, "null clears the override and the type rules again", {
    hooks: ["clock", "fixture"],
    is: { value: null },
    provedBy: "state.room.retention.type-or-override"
  }),
  "rooms.patch.retention.wins-both-ways": tierC(235, "an override wins longer and shorter", {
    hooks: ["clock", "fixture"],
    provedBy: "state.room.retention.type-or-override"
  }),
  "rooms.patch.public.true": tierB(236, "public true puts the room in the public registry", {
    decisions: ["D-21", "T-61"],
    provedBy: "state.room.delete-awake-noforce#model",
    check: {
      title: "public puts a room into the public registry, and takes it out",
      run: withRooms(async (stage, trial) => {
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
        await stage.played("asleep")
        for (const room of ["shown", "hidden", "asleep"]) {
          isSuccess(await stage.patch(room, { public: true }))
        }
        await stage.client("asleep")
        const all = await lobbyOf(trial, stage)
        same("all of them, one having slept", all?.toSorted(), ["asleep", "hidden", "shown"])
        trial.chosen("D-21", () => same("in the order of their ids", all, all?.toSorted()))
      })
    }
  }),
  "rooms.patch.public.false": tierB(236, "public false takes it out", {
    decisions: ["D-21"],
    provedBy: ["state.room.delete-awake-noforce#model", "rooms.patch.public.true"]
  }),
  "rooms.patch.public.same-row": tierB(236, "it moves the row that room.lobby.setPublic moves", {
    probe: ["http", "ws"],
    check: {
      title: "PATCH public and the room's own call move the same row",
      run: withRooms(async (stage, trial) => {
        const client = await stage.client("room")
        await client.call("setPublic", { public: true })
        await lobbyBecomes(trial, stage, ["room"])
        isSuccess(await stage.patch("room", { public: false }))
        same("out by PATCH", await lobbyOf(trial, stage), [])
        isSuccess(await stage.patch("room", { public: true }))
        same("in by PATCH", await lobbyOf(trial, stage), ["room"])
        await client.call("setPublic", { public: false })
        await lobbyBecomes(trial, stage, [])
      })
    }
  }),
  "rooms.patch.atomic": tierB(236, "a refused PATCH applies nothing", {
    level: "decided",
    decisions: ["D-21"],
    provedBy: ["state.room.delete-awake-noforce#model", "state.room.delete-asleep#race"],
    check: {
      title: "a PATCH that is refused in one part sets nothing",
      run: withRooms(async (stage, trial) => {
        const client = await stage.client("begun")
        await client.call("setStarted", { started: true })
        isRefused(await stage.patch("begun", { retention: "1h", public: true }))
        isRefused(await stage.patch("begun", { retention: "1h", clazz: "large" }))
        const empty = await stage.patch("begun", {})
        trial.chosen("D-21", () => isSuccess(empty))
        const { retention, retentionOverride } = await stage.detail("begun")
        same(
          "what was set",
          { retention, retentionOverride },
          { retention: null, retentionOverride: null }
        )
        isSuccess(await stage.patch("begun", { retention: "1h" }))
      })
    }
  }),
  "rooms.patch.unknown-field": tierA(237, "any other field: 400 E_BAD_REQUEST naming it", {
    alsoLines: [326],
    error: { outcome: { status: 400, code: "E_BAD_REQUEST" }, names: "the field" },
    provedBy: "state.room.delete-awake-noforce#model",
    check: [
      {
        title:
          "a field that PATCH does not take is 400 and named, and what stands beside it is not set",
        needs: ["fixture"],
        timeoutMs: manyAskedMs,
        run: unknownFields
      },
      {
        title: "a field that PATCH does not take is named before the room is looked for",
        run: (trial) =>
          shapeFirst(trial, { unfit: [{ class: "large" }, { retention: "1d", foo: 1 }] })
      }
    ]
  }),
  "rooms.delete.player-data-kept": tierB(238, "player data is untouched by a room delete", {
    probe: ["http", "ws"],
    features: ["playerFields"],
    check: {
      title: "a player's data outlives the room that it was written in",
      run: withRooms(async (stage) => {
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
      })
    }
  }),
  "rooms.delete.scores-kept": tierB(238, "leaderboard scores are untouched by a room delete", {
    probe: ["http", "ws"],
    features: ["boards"],
    check: outlivesRooms
  }),
  "rooms.delete.force.names-server": tierC(239, "the 502 message names the server", {
    hooks: ["servers"],
    alsoLines: [333],
    error: { outcome: { status: 502, code: "E_EVICT_FAILED" }, names: "the server" },
    provedBy: "state.room.force-delete.unreachable"
  }),
  "rooms.delete.relay-ends-with-last-client": tierB(
    239,
    "a relay room ends when its last client leaves",
    {
      probe: ["ws", "http"],
      features: ["relay"],
      check: {
        timeoutMs: 60_000,
        title: "a relay room ends when its last client leaves, not before; its state is kept",
        run: withRelayRooms(async (stage) => {
          const [first, last] = [await stage.client("a", board), await stage.client("a", board)]
          const key = await markOf(first)
          await first.leave()
          await last.ping()
          await setMark(last, await markOf(last))
          same("the room that one has left", last.welcomes().length, 1)
          last.drop()
          await stage.asleep("a")
          const back = await stage.client("a", board)
          holds("what it held is there", await isThere(back, key), "gone")
          await back.leave()
          await stage.asleep("a")
        })
      }
    }
  )
})
