import fc from "fast-check"

import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import { type Check, manyAskedMs, type ProbeOf } from "../check/Check.ts"
import { same } from "../check/Expect.ts"
import { forAll } from "../check/ForAll.ts"
import { rowOf } from "../tables/Tables.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { callOf, keyRouteIds, type ManagementRouteId } from "./RouteCall.ts"

const filters = ["active", "idle-longer-than"] as const

/** Rooms over HTTP: filters and bodies that are refused, and rooms that are not there. */
export const roomChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.list.array"],
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
  },
  {
    ids: ["rooms.list.unknown-param"],
    title: "a query parameter that the list does not know is 400 and named",
    timeoutMs: manyAskedMs,
    run: unknownParameters
  },
  {
    ids: ["rooms.list.bad-duration"],
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
  },
  {
    ids: ["rooms.list.active.bad-value"],
    title: "active is true or false, written so and once",
    run: async (trial) => {
      const project = await trial.project()
      for (const value of ["true", "false"]) isSuccess(await project.ask(`/rooms?active=${value}`))
      const bad = ["maybe", "1", "0", "", "True", "FALSE", "yes", "true%20", "null", "true,false"]
      const twice = ["active=true&active=true", "active=true&active=false"]
      for (const query of [...bad.map((value) => `active=${value}`), ...twice]) {
        const answer = await project.ask(`/rooms?${query}`)
        trial.chosen("D-03", () =>
          isRefusal(trial, answer, {
            ...rowOf("error", "rooms.list.active.bad-value"),
            naming: "active"
          })
        )
      }
    }
  },
  {
    ids: ["rooms.get.not-found"],
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
  },
  { ids: ["rooms.patch.not-found"], ...findsNoRoom("route.rooms.patch")("rooms.patch.not-found") },
  {
    ids: ["rooms.delete.not-found"],
    ...findsNoRoom("route.rooms.delete")("rooms.delete.not-found")
  },
  { ids: ["rooms.saves.not-found"], ...findsNoRoom("route.saves.list")("rooms.saves.not-found") },
  {
    ids: ["rooms.restore.not-found"],
    ...findsNoRoom("route.saves.restore")("rooms.restore.not-found")
  },
  {
    ids: ["rooms.patch.unknown-field"],
    title:
      "a field that PATCH does not take is 400 and named, and what stands beside it is not set",
    needs: ["fixture"],
    timeoutMs: manyAskedMs,
    run: unknownFields
  },
  {
    ids: ["rooms.patch.retention.type"],
    title: "retention is a duration, forever or null; nothing else changes it",
    needs: ["fixture"],
    run: retentionType
  },
  {
    ids: ["rooms.patch.public.type"],
    title: "public is a boolean; what is refused beside it is not set",
    needs: ["fixture"],
    run: publicType
  },
  {
    ids: ["rooms.patch.unknown-field"],
    title: "a field that PATCH does not take is named before the room is looked for",
    run: (trial) => shapeFirst(trial, { unfit: [{ class: "large" }, { retention: "1d", foo: 1 }] })
  },
  {
    ids: ["rooms.patch.retention.type"],
    title: "every retention that is well-formed is taken for one before the room is looked for",
    run: (trial) => {
      const { good, bad } = rowOf("text", "rooms.patch.retention.type")
      const asBody = (retention: unknown) => ({ retention })
      const unfit = [...bad, 5, 0, true, false, {}, [], ["1h"]].map(asBody)
      return shapeFirst(trial, { unfit, fit: [...good, null].map(asBody) })
    }
  },
  {
    ids: ["rooms.patch.public.type"],
    title: "true and false are taken for it before the room is looked for, and nothing else is",
    run: (trial) => {
      const asBody = (shown: unknown) => ({ public: shown })
      const unfit = ["true", "false", 1, 0, null, "", {}, [true]].map(asBody)
      return shapeFirst(trial, { unfit, fit: [true, false].map(asBody) })
    }
  }
]

/** Of a room that is not there: what does not fit is 400, and what fits 404. */
async function shapeFirst(
  trial: Trial,
  {
    unfit,
    fit = [{}]
  }: { readonly unfit: ReadonlyArray<object>; readonly fit?: ReadonlyArray<object> }
): Promise<void> {
  const project = await trial.project()
  const ask = (body: object) => project.ask("/rooms/nobody", { method: "PATCH", body })
  for (const body of fit) {
    const answer = await ask(body)
    trial.chosen("D-20", () => isRefusal(trial, answer, rowOf("error", "rooms.patch.not-found")))
  }
  for (const body of unfit) {
    const answer = await ask(body)
    isRefused(answer)
    const naming = Object.keys(body).at(-1) ?? ""
    trial.chosen("D-03", () => isRefusal(trial, answer, named(naming)))
  }
}

async function unknownParameters(trial: Trial): Promise<void> {
  const project = await trial.project()
  const ask = async (name: string): Promise<void> => {
    const answer = await project.ask(`/rooms?${encodeURIComponent(name)}=1`)
    isRefusal(trial, answer, { ...rowOf("error", "rooms.list.unknown-param"), naming: name })
  }
  const near = [
    "Active",
    "ACTIVE",
    "idle_longer_than",
    "idleLongerThan",
    "idle-longer-than-",
    "activ"
  ]
  const usual = ["foo", "limit", "page", "offset", "cursor", "status", "sort", "force", "actives"]
  const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__", "length"]
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,15}$/).filter((text) => !isFilter(text))
  await forAll(
    trial,
    { of: name, runs: 16, examples: [...near, ...usual, ...inherited], atOnce: 8 },
    ask
  )
  // Known ones beside it do not hide it, wherever it stands.
  for (const query of ["active=true&foo=1", "foo=1&idle-longer-than=1h", "foo", "foo="]) {
    const answer = await project.ask(`/rooms?${query}`)
    isRefusal(trial, answer, { ...rowOf("error", "rooms.list.unknown-param"), naming: "foo" })
  }
  for (const id of keyRouteIds) {
    if (id === "route.rooms.list") continue
    const call = callOf(trial, id, { project: project.id })
    const bearer = project.login
    const answer = await trial.send({ ...call, path: `${call.path}?foo=1`, bearer })
    trial.chosen("T-03", () => isRefusal(trial, answer, named("foo")))
  }
}

function findsNoRoom(route: ManagementRouteId): ProbeOf {
  return (id) => ({
    title: `${rowOf("route", route).method} of a room that never was is 404, and makes none`,
    run: (trial) => notFound(trial, id, route)
  })
}

async function notFound(trial: Trial, id: string, route: ManagementRouteId): Promise<void> {
  const project = await trial.project()
  for (const room of strangeRooms) {
    const call = callOf(trial, route, { project: project.id, room })
    const answer = await trial.send({ ...call, bearer: project.login })
    trial.chosen("D-20", () => isRefusal(trial, answer, rowOf("error", id)))
  }
  same("the list afterwards", (await project.ask("/rooms")).json, [])
}

async function unknownFields(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  await stage.client("patched")
  isSuccess(await stage.patch("patched", { retention: "5d" }))
  const field = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,15}$/).filter((text) => !isField(text))
  const examples = ["class", "type", "status", "roomId", "retentionOverride", "slot", "Retention"]
  const inherited = ["constructor", "toString", "__proto__"]
  await forAll(
    trial,
    { of: field, runs: 10, examples: [...examples, ...inherited], atOnce: 8 },
    async (name) => {
      for (const known of [{}, { retention: "9d" }, { public: true }]) {
        // As text: a literal would not hold the name __proto__.
        const body = `${JSON.stringify(known).slice(0, -1)}${Object.keys(known).length > 0 ? "," : ""}${JSON.stringify(name)}:"large"}`
        const headers = { "content-type": "application/json" }
        const answer = await stage.ask("/patched", { method: "PATCH", body, headers })
        isRefusal(trial, answer, { ...rowOf("error", "rooms.patch.unknown-field"), naming: name })
      }
    }
  )
  same("the retention afterwards", (await stage.detail("patched"))["retentionOverride"], "5d")
  const lobby = await trial.send({ method: "GET", path: trial.codecs.lobbyPath(stage.project.id) })
  trial.chosen("D-21", () => same("public rooms", trial.codecs.lobbyRooms(lobby.json), []))
}

async function retentionType(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  await stage.client("kept")
  const { good, bad, outcome } = rowOf("text", "rooms.patch.retention.type")
  for (const retention of [...good, null, ...good]) {
    const answer = await stage.patch("kept", { retention })
    isSuccess(answer)
    same("the override", Object(answer.json)["retentionOverride"], retention)
  }
  const inForce = (await stage.detail("kept"))["retentionOverride"]
  const others = [5, 0, true, false, {}, [], ["1h"], { m: 5 }]
  for (const retention of [...bad, ...others]) {
    isRefusal(trial, await stage.patch("kept", { retention }), { outcome })
  }
  same("the override afterwards", (await stage.detail("kept"))["retentionOverride"], inForce)
}

async function publicType(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  await stage.client("shown")
  for (const value of ["true", "false", 1, 0, null, "", {}, [true]]) {
    const answer = await stage.patch("shown", { retention: "3d", public: value })
    isRefused(answer)
    trial.chosen("D-02", () => isRefusal(trial, answer, named("public")))
  }
  same("the override afterwards", (await stage.detail("shown"))["retentionOverride"], null)
  for (const value of [true, false]) isSuccess(await stage.patch("shown", { public: value }))
}

/** Rooms that nobody made: usual names, odd ones, and what is no id of a room. */
const strangeRooms: ReadonlyArray<string> = [
  "lobby",
  "0",
  "-",
  "a:b~c.d_e-f",
  "constructor",
  "__proto__",
  "x".repeat(128),
  "x".repeat(129),
  "%20",
  "%00",
  "%F0%9F%98%80",
  "a%2Fb",
  "%2e%2e%2f"
]

const isFilter = (text: string): boolean => filters.some((filter) => filter === text)
const isField = (text: string): boolean => text === "retention" || text === "public"

const named = (naming: string) => ({ ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })
