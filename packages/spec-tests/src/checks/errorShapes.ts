import { isRefusal, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import { mib } from "../tables/Units.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"

const isShaped = (trial: Trial, answer: HttpAnswer, outcome: { status: number; code: string }) =>
  trial.chosen("D-02", () => {
    isRefusal(trial, answer, { outcome })
    same("the fields of the body", Object.keys(Object(answer.json)), ["error"])
    const { code, message, ...others } = Object(Object(answer.json)["error"])
    same("the fields of the error", [typeof code, typeof message, others], ["string", "string", {}])
    const type = answer.headers["content-type"] ?? ""
    matches("the content type", type, /^application\/json;\s*charset=utf-8$/i)
  })

/** What D-02 says of every refusal. */
export const errorShapeChecks: ReadonlyArray<Check> = [
  {
    ids: ["error.body-shape"],
    title: "an unrouted path is 404, another method 405 with its `allow`, a body over 1 MiB 413",
    run: async (trial) => {
      const project = await trial.project()
      const notFound = { status: 404, code: "E_NOT_FOUND" }
      isShaped(trial, await project.ask("/no-such-route"), notFound)
      isShaped(trial, await trial.send({ method: "GET", path: "/no/such/path" }), notFound)
      isShaped(trial, await project.ask("/rooms/nobody"), { status: 404, code: "E_ROOM_NOT_FOUND" })
      isShaped(trial, await project.ask("/rooms?x=1"), { status: 400, code: "E_BAD_REQUEST" })
      const unauthenticated = { status: 401, code: "E_UNAUTHENTICATED" }
      isShaped(trial, await project.ask("/rooms", { bearer: null }), unauthenticated)
      const method = await project.ask("/rooms", { method: "PUT", body: {} })
      isShaped(trial, method, { status: 405, code: "E_METHOD_NOT_ALLOWED" })
      const allow = (method.headers["allow"] ?? "").split(/,\s*/)
      trial.chosen("D-02", () => holds("allow names GET", allow.includes("GET"), allow))
      const headers = { "content-type": "application/json" }
      const sized = (bytes: number) => {
        const body = JSON.stringify({ name: project.name })
        return project.ask("", { method: "PATCH", headers, body: body.padEnd(bytes) })
      }
      isSuccess(await sized(mib))
      isShaped(trial, await sized(mib + 1), { status: 413, code: "E_BODY_TOO_LARGE" })
    }
  }
]
