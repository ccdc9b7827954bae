import fc from "fast-check"

import { isRefusal, isSuccess } from "../../check/Answers.ts"
import type { ProbeOf } from "../../check/Check.ts"
import { same } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import { type RoomStage, roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { keyRouteIds, callOf, type ManagementRouteId } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"
import { named } from "./BadBodies.ts"

export const lobbyOf = async (
  trial: Trial,
  stage: RoomStage
): Promise<ReadonlyArray<string> | null> => {
  const path = trial.codecs.lobbyPath(stage.project.id)
  return trial.codecs.lobbyRooms((await trial.send({ method: "GET", path })).json)
}

/** Until the registry lists these rooms and no others: what a room says in its code is not at once. */
export const lobbyBecomes = (trial: Trial, stage: RoomStage, rooms: ReadonlyArray<string>) =>
  trial.until(`the registry lists ${rooms.join() || "nothing"}`, async () => {
    const listed = await lobbyOf(trial, stage)
    return listed?.join() === rooms.join() ? listed : null
  })

const filters = ["active", "idle-longer-than"] as const

export async function unknownParameters(trial: Trial): Promise<void> {
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

export function findsNoRoom(route: ManagementRouteId): ProbeOf {
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
    trial.chosen("T-29", () => isRefusal(trial, answer, rowOf("error", id)))
  }
  same("the list afterwards", (await project.ask("/rooms")).json, [])
}

export async function unknownFields(trial: Trial): Promise<void> {
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

/** Rooms that nobody made: usual names, odd ones, and what is no id of a room. */
export const strangeRooms: ReadonlyArray<string> = [
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
