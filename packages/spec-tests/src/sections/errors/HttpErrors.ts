import { isRefusal } from "../../check/Answers.ts"
import { holds } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { managementRouteIds, callOf, loginRouteIds, keyRouteIds, noProject } from "../RouteCall.ts"
import { section, tierA, tierB, tierC, rowOf } from "../Section.ts"

/** Lines 326 to 333 of the specification: Errors, of HTTP. */
export const httpErrorsSection = section("Errors", {
  "error.http.E_BAD_REQUEST": tierA(
    326,
    "400 E_BAD_REQUEST: unknown query parameter, non-duration filter, PATCH field not taken",
    {
      decisions: ["D-02"],
      error: { outcome: { status: 400, code: "E_BAD_REQUEST" }, names: "the parameter or field" },
      check: {
        title: "an unknown parameter, a filter and a field that are refused are 400, and named",
        run: badRequests
      }
    }
  ),
  "error.http.400-names": tierA(326, "E_BAD_REQUEST names the offending parameter or field", {
    literalsOf: "error.http.E_BAD_REQUEST",
    provedBy: "error.http.E_BAD_REQUEST"
  }),
  "error.http.E_UNAUTHENTICATED": tierA(
    327,
    "401 E_UNAUTHENTICATED: no/unknown/revoked key; key-unreachable route",
    {
      decisions: ["D-02"],
      error: { outcome: { status: 401, code: "E_UNAUTHENTICATED" } },
      check: {
        title: "no credential, an unknown one and one of the wrong kind are 401 on every route",
        run: async (trial) => {
          const project = await trial.project()
          const { secret } = await project.key("rooms:read", "rooms:write")
          for (const id of managementRouteIds) {
            const call = callOf(trial, id, { project: project.id })
            for (const credential of [{}, { bearer: "unknown" }, { bearer: `${secret}x` }]) {
              const answer = await trial.send({ ...call, ...credential })
              isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
            }
          }
          for (const id of loginRouteIds) {
            const call = callOf(trial, id, { project: project.id })
            const answer = await trial.send({ ...call, bearer: secret })
            isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
          }
        }
      }
    }
  ),
  "error.http.E_SCOPE": tierA(328, "403 E_SCOPE: valid key lacking the scope", {
    decisions: ["D-02"],
    error: { outcome: { status: 403, code: "E_SCOPE" }, names: "the scope" },
    check: {
      title: "a key that lacks the scope of a route is 403 with its name",
      run: async (trial) => {
        const project = await trial.project()
        const { secret: bearer } = await project.key("rooms:read")
        for (const id of keyRouteIds) {
          const { scope = "" } = rowOf("route", id)
          const answer = await trial.send({ ...callOf(trial, id, { project: project.id }), bearer })
          if (scope === "rooms:read") holds(`${id} is not 403`, answer.status !== 403, answer.text)
          else isRefusal(trial, answer, { ...rowOf("error", "error.http.E_SCOPE"), naming: scope })
        }
      }
    }
  }),
  "error.http.E_NOT_FOUND": tierA(
    329,
    "404 E_NOT_FOUND: project the key is not for, or nonexistent",
    {
      decisions: ["D-02"],
      error: { outcome: { status: 404, code: "E_NOT_FOUND" } },
      check: {
        title: "a project that the caller cannot reach is 404 on every route",
        run: async (trial) => {
          const [project, foreign] = [await trial.project(), await trial.project(1)]
          const key = await project.key("rooms:read", "rooms:write")
          for (const id of managementRouteIds) {
            const isKeyRoute = keyRouteIds.some((route) => route === id)
            for (const to of [foreign.id, noProject(trial)]) {
              const call = callOf(trial, id, { project: to })
              const answer = await trial.send({
                ...call,
                bearer: isKeyRoute ? key.secret : project.login
              })
              const refused = () =>
                isRefusal(trial, answer, rowOf("error", "error.http.E_NOT_FOUND"))
              if (isKeyRoute) refused()
              else trial.chosen("D-03", refused)
            }
          }
        }
      }
    }
  ),
  "error.http.E_ROOM_NOT_FOUND": tierA(
    330,
    "404 E_ROOM_NOT_FOUND: room with neither row nor state",
    {
      decisions: ["D-02"],
      error: { outcome: { status: 404, code: "E_ROOM_NOT_FOUND" } },
      check: {
        title: "a room with neither row nor state is 404 E_ROOM_NOT_FOUND, not E_NOT_FOUND",
        run: async (trial) => {
          const project = await trial.project()
          const { secret: bearer } = await project.key("rooms:read", "rooms:write")
          for (const id of keyRouteIds) {
            if (id === "route.rooms.list") continue
            const answer = await trial.send({
              ...callOf(trial, id, { project: project.id }),
              bearer
            })
            const refused = () =>
              isRefusal(trial, answer, rowOf("error", "error.http.E_ROOM_NOT_FOUND"))
            if (id === "route.rooms.get") refused()
            else trial.chosen("T-29", refused)
          }
        }
      }
    }
  ),
  "error.http.E_ROOM_IN_USE": tierB(331, "409 E_ROOM_IN_USE: awake without force; any relay room", {
    decisions: ["D-02"],
    error: { outcome: { status: 409, code: "E_ROOM_IN_USE" } },
    provedBy: ["state.room.delete-awake-noforce#refused", "state.room.delete-relay"]
  }),
  "error.http.E_ROOM_STARTED": tierB(332, "409 E_ROOM_STARTED: public after start", {
    decisions: ["D-02"],
    error: { outcome: { status: 409, code: "E_ROOM_STARTED" } },
    provedBy: "state.room.public-started"
  }),
  "error.http.E_EVICT_FAILED": tierC(333, "502 E_EVICT_FAILED: holding server unreachable", {
    hooks: ["servers"],
    decisions: ["D-02"],
    error: { outcome: { status: 502, code: "E_EVICT_FAILED" }, names: "the server" },
    provedBy: "state.room.force-delete.unreachable"
  })
})

async function badRequests(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const refused = (answer: HttpAnswer, naming: string): void =>
    isRefusal(trial, answer, { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })
  refused(await project.ask("/rooms?colour=red", { bearer }), "colour")
  refused(await project.ask("/rooms?active=true&colour", { bearer }), "colour")
  refused(await project.ask("/rooms?idle-longer-than=soon", { bearer }), "idle-longer-than")
  const { name } = project
  const bodies: ReadonlyArray<readonly [string, string, unknown]> = [
    ["", "colour", { name, colour: "red" }],
    ["/keys", "colour", { scopes: ["rooms:read"], label: "l", colour: "red" }],
    ["/rooms/nobody", "colour", { colour: "red" }],
    ["/rooms/nobody", "class", { class: "large" }]
  ]
  for (const [path, naming, body] of bodies) {
    const method = path === "/keys" ? "POST" : "PATCH"
    const answer = await project.ask(path, { method, body })
    // That unknown fields are refused is said of rooms only; that it comes before the room, of none.
    trial.chosen("D-02", () => refused(answer, naming))
  }
}
