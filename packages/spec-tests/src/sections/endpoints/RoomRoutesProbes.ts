import { isSuccess, isRefusal, isRefused } from "../../check/Answers.ts"
import type { Probe } from "../../check/Check.ts"
import { same, holds } from "../../check/Expect.ts"
import { fitsShape } from "../../check/FitsShape.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import { roomStage, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { callOf, keyRouteIds } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { named } from "./BadBodies.ts"
import { pathOf, succeeds } from "./LoginRoutes.ts"
import { scopesOf } from "./Scopes.ts"

export async function retentionType(trial: Trial): Promise<void> {
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

export async function publicType(trial: Trial): Promise<void> {
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

const roomRouteIds = [
  "route.rooms.list",
  "route.rooms.get",
  "route.rooms.patch",
  "route.rooms.delete"
] as const

export function takesAKey(id: string): Probe {
  const route = roomRouteIds.find((known) => known === id)
  if (route === undefined) throw new Error(`${id} is no route of a room`)
  return {
    title: `${pathOf(route)} takes a key of the project with the scope and no other`,
    needs: ["fixture"],
    run: (trial) => roomRoute(trial, route)
  }
}

async function roomRoute(trial: Trial, id: (typeof roomRouteIds)[number]): Promise<void> {
  const [stage, foreign] = [await roomStage(trial), await trial.project(1)]
  const { project } = stage
  await stage.client("there")
  await stage.counted("there", 1)
  const { scope = "rooms:read" } = rowOf("route", id)
  const [key, other] = [await project.key(scope), await foreign.key("rooms:read", "rooms:write")]
  const plain = callOf(trial, id, { project: project.id, room: "there" })
  const call = id === "route.rooms.delete" ? { ...plain, path: `${plain.path}?force=true` } : plain
  for (const credential of [{}, { bearer: "unknown" }, { bearer: key.keyId }]) {
    const refused = await trial.send({ ...call, ...credential })
    isRefusal(trial, refused, rowOf("error", "error.http.E_UNAUTHENTICATED"))
  }
  const stranger = await trial.send({ ...call, bearer: other.secret })
  isRefusal(trial, stranger, rowOf("error", "error.http.E_NOT_FOUND"))
  if (scope === "rooms:write") {
    const { secret: bearer } = await project.key("rooms:read")
    const refused = await trial.send({ ...call, bearer })
    isRefusal(trial, refused, { ...rowOf("error", "error.http.E_SCOPE"), naming: scope })
  }
  const answer = await trial.send({ ...call, bearer: key.secret })
  succeeds(trial, id, answer)
  hasRoomShape(trial, id, answer)
}

const hasRoomShape = (
  trial: Trial,
  id: (typeof roomRouteIds)[number],
  { json, text }: HttpAnswer
): void => {
  const shapes = {
    "route.rooms.list": "rooms.row.exact-keys",
    "route.rooms.get": "rooms.detail.exact-keys",
    "route.rooms.patch": "rooms.detail.exact-keys",
    "route.rooms.delete": "rooms.delete.result.roomId"
  } as const
  const shape = rowOf("shape", shapes[id])
  const values: ReadonlyArray<unknown> = Array.isArray(json) ? json : [json]
  if (id === "route.rooms.list") holds("an array with the room", values.length === 1, text)
  for (const value of values) {
    fitsShape(trial, shape, Object(value))
    same("the room", Object(value)["roomId"], "there")
  }
}

export function needsItsScope(id: string): Probe {
  const route = keyRouteIds.find((known) => known === id.replace("scope.", "route."))
  if (route === undefined) throw new Error(`${id} is no scope of a route`)
  const { method, path, scope } = rowOf("route", route)
  return {
    title: `${method} ${path} needs ${scope}`,
    run: (trial) => scopesOf(trial, [route], ["rooms:read", "rooms:write"])
  }
}

export async function activeValues(trial: Trial): Promise<void> {
  const project = await trial.project()
  for (const value of ["true", "false"]) isSuccess(await project.ask(`/rooms?active=${value}`))
  const bad = ["maybe", "1", "0", "", "True", "FALSE", "yes", "true%20", "null", "true,false"]
  const twice = ["active=true&active=true", "active=true&active=false"]
  for (const query of [...bad.map((value) => `active=${value}`), ...twice]) {
    const answer = await project.ask(`/rooms?${query}`)
    trial.chosen(twice.includes(query) ? "D-03" : "T-03", () =>
      isRefusal(trial, answer, {
        ...rowOf("error", "rooms.list.active.bad-value"),
        naming: "active"
      })
    )
  }
}

/** Rooms by `lastSeen`, and then by id. Source: D-04. */
export const tiesById: Probe = {
  needs: ["clock", "fixture"],
  alone: true,
  title: "rooms that were seen at one moment are listed in the order of their ids",
  run: withRooms(async (stage, trial) => {
    await held(trial)
    for (const room of ["b", "C", "a"]) await stage.client(room)
    const rows = await stage.rows()
    const seen = new Set(rows.map(({ lastSeen }) => lastSeen))
    same("how many moments they were seen at", seen.size, 1)
    const ids = rows.map(({ roomId }) => roomId)
    trial.chosen("D-04", () => same("their order", ids, ["C", "a", "b"]))
  })
}
