import { isRefusal, isRefused, isSuccess } from "../../check/Answers.ts"
import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { loginRouteIds, type ManagementRouteId, callOf } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"

type Look = (trial: Trial, answer: HttpAnswer) => void

/** One look at the body of each answer of the routes of keys, settings and caps. */
const loginBodies: Readonly<Record<(typeof loginRouteIds)[number], Look>> = {
  "route.keys.mint": ({ codecs }, { json, text }) =>
    holds("a key with its secret", codecs.minted(json) !== null, text),
  "route.keys.list": (_, { json, text }) => holds("an array", Array.isArray(json), text),
  "route.keys.revoke": (trial, { json, text }) =>
    trial.chosen("D-19", () => holds("a revoked row", trial.codecs.revokedAt(json) !== null, text)),
  "route.project.patch": (trial, { json, text }) =>
    holds("the project", trial.codecs.projectId(json) !== null, text),
  "route.caps.patch": (trial, answer) => trial.chosen("D-10", () => hasMeters(trial, answer)),
  "route.caps.get": (trial, answer) => hasMeters(trial, answer)
}

export function pathOf(id: ManagementRouteId): string {
  const { method, path } = rowOf("route", id)
  return `${method} ${path}`
}

export function takesALogin(id: string): Probe {
  const route = loginRouteIds.find((known) => known === id)
  if (route === undefined) throw new Error(`${id} is no route of a login`)
  return {
    title: `${pathOf(route)} takes the owner's login and no other credential`,
    run: (trial) => loginRoute(trial, route)
  }
}

async function loginRoute(trial: Trial, id: (typeof loginRouteIds)[number]): Promise<void> {
  const project = await trial.project()
  const foreign = await trial.project(1)
  const key = await project.key("rooms:read", "rooms:write")
  const { keyId } = await project.key("rooms:read")
  const call = callOf(trial, id, { project: project.id, projectName: project.name, keyId })
  const answer = await trial.send({ ...call, bearer: project.login })
  succeeds(trial, id, answer)
  loginBodies[id](trial, answer)
  for (const credential of [{}, { bearer: key.secret }, { bearer: "unknown" }, { bearer: keyId }]) {
    const refused = await trial.send({ ...call, ...credential })
    isRefusal(trial, refused, rowOf("error", "error.http.E_UNAUTHENTICATED"))
  }
  const stranger = await trial.send({ ...call, bearer: foreign.login })
  isRefused(stranger)
  const refused = () => isRefusal(trial, stranger, rowOf("error", "error.http.E_NOT_FOUND"))
  trial.chosen("D-03", refused)
}

export const succeeds = (trial: Trial, id: string, answer: HttpAnswer): void => {
  isSuccess(answer)
  trial.chosen("D-01", () => same(`${id}: the status`, answer.status, rowOf("route", id).success))
}

const hasMeters = ({ codecs }: Trial, { json, text }: HttpAnswer): void =>
  holds("a view of meters", codecs.cap(json, "roomHours") !== null, text)
