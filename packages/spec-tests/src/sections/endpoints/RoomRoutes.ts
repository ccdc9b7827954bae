import { isSuccess, isRefusal, isRefused } from "../../check/Answers.ts"
import { same, holds } from "../../check/Expect.ts"
import { relayStage, board } from "../../trial/RelayStage.ts"
import { roomStage, stateOf, withRooms } from "../../trial/RoomStage.ts"
import { savedRoom, badRequest, hasShape } from "../DecidedShapes.ts"
import { roomRoutesHeading } from "../Headings.ts"
import { rooms, momentField } from "../Literals.ts"
import { keyRoute } from "../RowKinds.ts"
import { section, tierA, tierB, rowOf } from "../Section.ts"
import { refusalOf } from "../states/MoveRefusal.ts"
import { changedSinceSave, restored } from "../states/Restores.ts"
import { shapeFirst } from "./BadBodies.ts"
import {
  activeValues,
  needsItsScope,
  publicType,
  retentionType,
  takesAKey,
  tiesById
} from "./RoomRoutesProbes.ts"

/** Lines 222 to 228 of the specification: Rooms, the routes. */
export const roomRoutesSection = section(roomRoutesHeading, {
  "route.rooms.list": keyRoute(222, `GET ${rooms}`, { scope: "rooms:read", check: takesAKey }),
  "scope.rooms.list": tierA(222, "rooms.list needs rooms:read", {
    literalsOf: "route.rooms.list",
    check: needsItsScope
  }),
  "rooms.list.array": tierA(222, "the list is a bare array of rows", {
    decisions: ["D-04"],
    provedBy: "rooms.row.exact-keys",
    check: {
      title: "the list of no rooms is an empty array, with every filter",
      run: async (trial) => {
        const project = await trial.project()
        const queries = ["", "?active=true", "?active=false", "?idle-longer-than=1m"]
        for (const query of [...queries, "?active=true&idle-longer-than=1h"]) {
          const answer = await project.ask(`/rooms${query}`)
          isSuccess(answer)
          same(`the list${query}`, answer.json, [])
        }
      }
    }
  }),
  "rooms.list.pagination": tierB(222, "pagination is not mentioned", {
    level: "decided",
    decisions: ["D-04"],
    is: { rooms: 120 },
    check: [
      {
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
      },
      tiesById
    ]
  }),
  "rooms.list.active.bad-value": tierA(222, "active outside true/false", {
    level: "decided",
    decisions: ["D-03", "T-03"],
    error: { outcome: { status: 400, code: "E_BAD_REQUEST" }, names: "active" },
    check: {
      title: "active is true or false, written so and once",
      run: activeValues
    }
  }),
  "route.rooms.get": keyRoute(223, `GET ${rooms}/:roomId`, {
    scope: "rooms:read",
    check: takesAKey
  }),
  "scope.rooms.get": tierA(223, "rooms.get needs rooms:read", {
    literalsOf: "route.rooms.get",
    check: needsItsScope
  }),
  "route.rooms.patch": keyRoute(224, `PATCH ${rooms}/:roomId`, {
    scope: "rooms:write",
    check: takesAKey
  }),
  "scope.rooms.patch": tierA(224, "rooms.patch needs rooms:write", {
    literalsOf: "route.rooms.patch",
    check: needsItsScope
  }),
  "rooms.patch.returns-detail": tierA(224, "PATCH answers with the same shape as GET", {
    alsoLines: [34],
    provedBy: "rooms.detail.exact-keys"
  }),
  "rooms.patch.retention.type": tierA(224, "retention: duration, forever or null", {
    text: {
      pattern: "^(forever|[1-9]\\d*[mhd])$",
      good: ["30m", "12h", "7d", "forever"],
      bad: ["", "never", "Forever", "10", "10s", "null"],
      outcome: { status: 400, code: "E_BAD_REQUEST" }
    },
    provedBy: "rooms.patch.public.type#both",
    check: [
      {
        title: "retention is a duration, forever or null; nothing else changes it",
        needs: ["fixture"],
        run: retentionType
      },
      {
        title: "every retention that is well-formed is taken for one before the room is looked for",
        run: (trial) => {
          const { good, bad } = rowOf("text", "rooms.patch.retention.type")
          const asBody = (retention: unknown) => ({ retention })
          const unfit = [...bad, 5, 0, true, false, {}, [], ["1h"]].map(asBody)
          return shapeFirst(trial, { unfit, fit: [...good, null].map(asBody) })
        }
      }
    ]
  }),
  "rooms.patch.public.type": tierA(224, "public: boolean", {
    shape: {
      of: "the body of PATCH /v1/projects/:id/rooms/:roomId",
      fields: { public: { type: ["boolean"] } }
    },
    check: [
      {
        name: "both",
        needs: ["fixture"],
        title: "public is a boolean, retention a duration, forever or null",
        run: withRooms(async (stage) => {
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
        })
      },
      {
        title: "public is a boolean; what is refused beside it is not set",
        needs: ["fixture"],
        run: publicType
      },
      {
        title: "true and false are taken for it before the room is looked for, and nothing else is",
        run: (trial) => {
          const asBody = (shown: unknown) => ({ public: shown })
          const unfit = ["true", "false", 1, 0, null, "", {}, [true]].map(asBody)
          return shapeFirst(trial, { unfit, fit: [true, false].map(asBody) })
        }
      }
    ]
  }),
  "route.rooms.delete": keyRoute(225, `DELETE ${rooms}/:roomId`, {
    scope: "rooms:write",
    check: takesAKey
  }),
  "scope.rooms.delete": tierA(225, "rooms.delete needs rooms:write", {
    literalsOf: "route.rooms.delete",
    check: needsItsScope
  }),
  "rooms.delete.force.value": tierB(225, "force takes `true`", {
    decisions: ["T-03"],
    is: { force: "true" },
    check: {
      title: "force=true forces, and nothing else does",
      run: withRooms(async (stage, trial) => {
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
      })
    }
  }),
  "route.saves.list": tierB(
    226,
    "GET /v1/projects/:id/rooms/:roomId/saves exists and succeeds with a proper credential",
    {
      decisions: ["D-01"],
      route: {
        method: "GET",
        path: `${rooms}/:roomId/saves`,
        scope: "rooms:read",
        credential: "key",
        success: 200
      },
      provedBy: "saves.newest-first"
    }
  ),
  "scope.saves.list": tierA(226, "saves.list needs rooms:read", {
    literalsOf: "route.saves.list",
    check: needsItsScope
  }),
  "route.saves.bytes": tierB(
    227,
    "GET …/saves/:saveId/bytes exists and succeeds with a proper credential",
    {
      decisions: ["D-01"],
      route: {
        method: "GET",
        path: `${rooms}/:roomId/saves/:saveId/bytes`,
        scope: "rooms:read",
        credential: "key",
        success: 200
      },
      provedBy: "saves.bytes-raw"
    }
  ),
  "scope.saves.bytes": tierA(227, "saves.bytes needs rooms:read", {
    literalsOf: "route.saves.bytes",
    check: needsItsScope
  }),
  "route.saves.restore": tierB(228, "POST …/restore exists and succeeds with a proper credential", {
    decisions: ["D-01"],
    route: {
      method: "POST",
      path: `${rooms}/:roomId/restore`,
      scope: "rooms:write",
      success: 202,
      credential: "key"
    },
    provedBy: "state.room.restore.discards-current"
  }),
  "scope.saves.restore": tierA(228, "saves.restore needs rooms:write", {
    literalsOf: "route.saves.restore",
    check: needsItsScope
  }),
  "saves.restore.body": tierB(228, "the body naming the generation is not given", {
    level: "decided",
    decisions: ["D-11"],
    is: { field: "saveId", unknown: "E_SAVE_NOT_FOUND" },
    check: {
      title:
        "a restore names its generation as `saveId`; without one, or with an unknown one, nothing moves",
      run: async (trial) => {
        const { stage, client, saveId } = await savedRoom(trial)
        const { field = "", unknown } = rowOf("statement", "saves.restore.body").is ?? {}
        const restore = (body: unknown) => stage.ask("/saved/restore", { method: "POST", body })
        const name = String(field)
        for (const body of [{}, { [name]: 5 }]) {
          const answer = await restore(body)
          trial.chosen("D-11", () => isRefusal(trial, answer, { ...badRequest(), naming: name }))
        }
        const other = await restore({ save: saveId })
        trial.chosen("D-11", () => isRefusal(trial, other, badRequest()))
        const missing = await restore({ [name]: "sv_0123456789abcdef" })
        const outcome = { status: 404, code: String(unknown) }
        trial.chosen("D-11", () => isRefusal(trial, missing, { outcome }))
        same("who was there stays", client.isOpen(), true)
        const answer = await restore({ [name]: saveId })
        trial.chosen("D-11", () => isSuccess(answer))
      }
    }
  }),
  "saves.restore.response": tierB(228, "the response shape is not given", {
    level: "decided",
    decisions: ["D-11"],
    shape: {
      of: "the answer of POST /v1/projects/:id/rooms/:roomId/restore",
      fields: {
        roomId: { type: ["string"] },
        saveId: { type: ["string"] },
        status: { type: ["string"], values: ["queued"] },
        queuedAt: momentField
      },
      exact: true
    },
    check: {
      title: "a restore answers with the room, the generation, `queued` and the moment",
      run: async (trial) => {
        const { stage, saveId } = await savedRoom(trial)
        const answer = await stage.restore("saved", saveId)
        isSuccess(answer)
        hasShape(trial, { id: "saves.restore.response", decision: "D-11" }, answer.json)
        const { roomId, saveId: named } = Object(answer.json)
        trial.chosen("D-11", () => same("what is restored", [roomId, named], ["saved", saveId]))
      }
    }
  }),
  "saves.restore.queued": tierB(228, "restore is queued, not done when the answer arrives", {
    decisions: ["D-11"],
    check: {
      title: "the answer to a restore comes before it takes effect",
      run: withRooms(async (stage, trial) => {
        // A queued restore may take effect at once, so one answer of three that comes before it is enough.
        for (let attempt = 0; attempt < 3; attempt++) {
          const room = `queued-${attempt}`
          const { client, saveId } = await changedSinceSave(stage, room, 1)
          isSuccess(await stage.restore(room, saveId))
          const isEarly = client.isOpen()
          await client.end()
          same("it takes effect afterwards", (await restored(trial, stage, room)).value, 1)
          if (isEarly) return
        }
        holds("an answer before the restore", false, "each came after it")
      })
    }
  })
})
