import { isRefusal, isSameAnswer, isSuccess } from "../../check/Answers.ts"
import { manyAskedMs, type Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import type { HttpRequest } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { noProject } from "../RouteCall.ts"
import { rowOf } from "../Section.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** A route of the service's own OpenAPI document. Source: C-32. */
interface Documented {
  readonly method: (typeof methods)[number]
  /** With the names of its parts in braces. */
  readonly path: string
}

/** All routes that the document shows; none where there is no document. */
const documented = async (trial: Trial): Promise<ReadonlyArray<Documented>> => {
  const { json } = await trial.send({ method: "GET", path: "/openapi.json" })
  const routes = Object.entries(Object(Object(json)["paths"])).flatMap(([path, item]) =>
    methods
      .filter((method) => Object.hasOwn(Object(item), method.toLowerCase()))
      .map((method) => ({ method, path }))
  )
  trial.chosen("C-32", () => holds("the document shows routes", routes.length > 0, routes.length))
  return routes
}

/** Routes below a project that the specification does not name, and which credential each was given. */
const decided = [
  { decision: "D-57", path: /\/clips$/, toKeys: false },
  { decision: "D-57", path: /^\/v1\/projects\/\{\w+\}\/replays(?:\/|$)/, toKeys: true },
  { decision: "D-58", path: /\/branch$/, toKeys: true },
  { decision: "D-60", path: /\/(?:kick|test-players)$/, toKeys: false }
] as const

const decidedOf = ({ path }: Documented) => decided.find((each) => each.path.test(path))

/** Of rooms, and of what rooms record: a key with the scope for it opens these. */
const isForKeys = (route: Documented): boolean =>
  decidedOf(route)?.toKeys ?? /^\/v1\/projects\/\{\w+\}\/rooms(?:\/|$)/.test(route.path)

/** Asserts what the specification says of the route, or what was decided where it says nothing. */
const asserts = (trial: Trial, route: Documented, assert: () => void): void => {
  const { decision } = decidedOf(route) ?? {}
  if (decision === undefined) assert()
  else trial.chosen(decision, assert)
}

const isOfAProject = ({ path }: Documented): boolean => /^\/v1\/projects\/\{\w+\}/.test(path)

/** A request to the route without a credential, and with a body that fits none. */
const callOf = ({ method, path }: Documented, project: string): HttpRequest => ({
  method,
  path: path
    .replace(/^\/v1\/projects\/\{\w+\}/, `/v1/projects/${project}`)
    .replaceAll(/\{\w+\}/g, "nothing"),
  ...(method === "GET" ? {} : { body: {} })
})

/** The routes come from the service's own document, because a list written by hand would forget one. */
export const closedToKeys: Probe = {
  title: "of the routes in the service's own document a key opens those of rooms, and no other",
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const project = await trial.project()
    const { secret: bearer } = await project.key("rooms:read", "rooms:write")
    const before = [(await project.ask("")).text, (await project.ask("/caps")).text]
    for (const route of (await documented(trial)).filter((each) => !isForKeys(each))) {
      const call = callOf(route, project.id)
      if ((await trial.send(call)).status !== 401) continue
      const answer = await trial.send({ ...call, bearer })
      asserts(trial, route, () => isRefusal(trial, answer, rowOf("error", "auth.key.cannot.mint")))
    }
    isSuccess(await project.ask("/rooms", { bearer }))
    same(
      "the project afterwards",
      [(await project.ask("")).text, (await project.ask("/caps")).text],
      before
    )
  }
}

/** Routes that change rooms are closed to a key that reads. Source: D-57, D-58. */
export const changesNothing: Probe = {
  title: "by no route of rooms in the service's own document a key that reads changes something",
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const project = await trial.project()
    const { secret: bearer } = await project.key("rooms:read")
    const changing = (await documented(trial)).filter(
      (route) => route.method !== "GET" && isForKeys(route)
    )
    for (const route of changing) {
      const call = callOf(route, project.id)
      if ((await trial.send(call)).status !== 401) continue
      const answer = await trial.send({ ...call, bearer })
      const outcome = answer.status === 401 ? "auth.key.cannot.mint" : "auth.403.scope"
      asserts(trial, route, () => isRefusal(trial, answer, rowOf("error", outcome)))
    }
    isSuccess(await project.ask("/rooms", { bearer }))
  }
}

/** A stranger learns nothing of a project by any of its routes. */
export const closedToStrangers: Probe = {
  title: "no route in the service's own document tells a stranger that a project is there",
  timeoutMs: manyAskedMs,
  run: async (trial) => {
    const project = await trial.project()
    for (const route of (await documented(trial)).filter(isOfAProject)) {
      const ask = (to: string) => trial.send({ ...callOf(route, to), bearer: trial.login(1) })
      const [foreign, nothing] = [await ask(project.id), await ask(noProject(trial))]
      trial.chosen("D-03", () => {
        isRefusal(trial, foreign, rowOf("error", "auth.login.other-account"))
        isSameAnswer(`${route.method} ${route.path}`, foreign, nothing)
      })
    }
    isSuccess(await project.ask(""))
  }
}
