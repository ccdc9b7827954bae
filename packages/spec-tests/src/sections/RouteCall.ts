import { createHash } from "node:crypto"

import type { HttpRequest } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"
import { rowOf } from "./Section.ts"

/** Routes of rooms and saves: an API key is their credential. */
export const keyRouteIds = [
  "route.rooms.list",
  "route.rooms.get",
  "route.rooms.patch",
  "route.rooms.delete",
  "route.saves.list",
  "route.saves.bytes",
  "route.saves.restore"
] as const

/** Routes that take the owner's login alone. */
export const loginRouteIds = [
  "route.keys.mint",
  "route.keys.list",
  "route.keys.revoke",
  "route.project.patch",
  "route.caps.patch",
  "route.caps.get"
] as const

export type ManagementRouteId = (typeof keyRouteIds)[number] | (typeof loginRouteIds)[number]

/** Every route of the management API. */
export const managementRouteIds: ReadonlyArray<ManagementRouteId> = [
  ...loginRouteIds,
  ...keyRouteIds
]

/** The ids of a path; an id that is left out names nothing. */
interface PathParts {
  readonly project: string
  readonly projectName?: string
  readonly room?: string
  readonly save?: string
  readonly keyId?: string
}

/** A well-formed request to a route, without a credential. */
export const callOf = (
  trial: Pick<Trial, "seed" | "codecs">,
  id: ManagementRouteId,
  parts: PathParts
): HttpRequest => {
  const { method, path } = rowOf("route", id)
  if (method === "various") throw new Error(`${id} is no single route`)
  const body = bodyOf(trial, id, parts)
  return {
    method,
    path: path
      .replace(":id", parts.project)
      .replace(":roomId", parts.room ?? nobody(trial, "room"))
      .replace(":saveId", parts.save ?? `sv_${nobody(trial, "save")}`)
      .replace(":keyId", parts.keyId ?? `key_${nobody(trial, "key")}`),
    ...(body === undefined ? {} : { body })
  }
}

const bodyOf = (
  trial: Pick<Trial, "seed" | "codecs">,
  id: ManagementRouteId,
  parts: PathParts
): unknown => {
  switch (id) {
    case "route.keys.mint":
      return { scopes: ["rooms:read"], label: "conformance" }
    case "route.project.patch":
      return { name: parts.projectName ?? "conformance" }
    case "route.caps.patch":
      return trial.codecs.capsBody({})
    case "route.rooms.patch":
      return { retention: null }
    case "route.saves.restore":
      return trial.codecs.restoreBody(parts.save ?? `sv_${nobody(trial, "save")}`)
    case "route.keys.list":
    case "route.keys.revoke":
    case "route.caps.get":
    case "route.rooms.list":
    case "route.rooms.get":
    case "route.rooms.delete":
    case "route.saves.list":
    case "route.saves.bytes":
      return undefined
  }
}

/** 16 hex digits that nobody was given, the same for a check's seed. */
const nobody = ({ seed }: Pick<Trial, "seed">, what: string): string =>
  createHash("sha256").update(`${what} ${seed}`).digest("hex").slice(0, 16)

/** The id of a project that does not exist. */
export const noProject = (trial: Pick<Trial, "seed">): string => `p_${nobody(trial, "project")}`
