import fc from "fast-check"

import { isSuccess, isRefused, isRefusal } from "../../check/Answers.ts"
import { manyAskedMs } from "../../check/Check.ts"
import { same, matches, holds } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { savedRoom } from "../DecidedShapes.ts"
import { hasBody, isOk } from "../EveryExchange.ts"
import { managementRouteIds, callOf } from "../RouteCall.ts"
import { section, tierA, tierB, rowOf } from "../Section.ts"

const notJson = (text: string): ReadonlyArray<string> => [
  "",
  "{",
  text.slice(0, -1),
  `${text}}`,
  `${text},`,
  text.replaceAll('"', "'"),
  `<a>${text}</a>`,
  `[${text}]`,
  "null",
  "true",
  "7",
  JSON.stringify(text),
  "[]",
  `${text}${text}`,
  "{name:1}"
]

/** JSON in bytes that are no UTF-8: some read it all the same. */
const notUtf8 = (text: string): ReadonlyArray<Uint8Array> => [
  Uint8Array.from([...Buffer.from(text.slice(0, -1)), 0xff, 0x7d]),
  Uint8Array.from([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from(text, "utf16le")
]

/** Line 208 of the specification: Endpoints. */
export const jsonBodiesSection = section("Endpoints", {
  "http.json-bodies": tierA(208, "bodies are JSON with content-type application/json", {
    decisions: ["D-02"],
    is: { contentType: "application/json" },
    ambient: [
      {
        title: "every answer of the API but a save's bytes is JSON, by its type and by its content",
        look: (answer) => {
          if (!projectRoute.test(answer.request.path) || !hasBody(answer)) return undefined
          if (isOk(answer) && bytesRoute.test(answer.request.path)) return undefined
          const type = answer.headers["content-type"] ?? "no content type"
          if (!/^application\/json(\s*;|$)/i.test(type)) return type
          return answer.json === undefined ? `no JSON: ${answer.text.slice(0, 200)}` : null
        }
      }
    ],
    check: {
      title:
        "answers are JSON by name and by content; a body that is none is refused, and changes nothing",
      timeoutMs: manyAskedMs,
      run: jsonBodies
    }
  }),
  "http.success-status": tierB(208, "success status codes are not given", {
    level: "decided",
    decisions: ["D-01"],
    is: { read: 200, made: 201, queued: 202 },
    check: {
      title: "what is read is 200, what is made 201, what is queued 202",
      run: async (trial) => {
        const { stage, client, saveId } = await savedRoom(trial)
        const codes = rowOf("statement", "http.success-status").is ?? {}
        for (const [kind, answers] of Object.entries(await statusesOf(trial, stage, saveId))) {
          for (const { status, request } of answers) {
            const what = `${request.method} ${request.path.replace(stage.project.id, ":id")}`
            trial.chosen("D-01", () => same(what, status, codes[kind]))
          }
        }
        await client.end()
        await stage.rejoin("saved")
        const deleted = await stage.remove("saved", "?force=true")
        trial.chosen("D-01", () => same("DELETE of a room", deleted.status, codes["read"]))
      }
    }
  })
})

const projectRoute = /^\/v1\/projects\/[^/?]+/

const bytesRoute = /\/saves\/[^/?]+\/bytes(?:\?|$)/

const statusesOf = async (trial: Trial, stage: RoomStage, saveId: string) => {
  const { project } = stage
  const { name } = project
  const key = { scopes: ["rooms:read"], label: "statuses" }
  const minted = await project.ask("/keys", { method: "POST", body: key })
  const { keyId } = Object(minted.json)
  const identity = trial.codecs.identityBody(project.id)
  const answers = {
    made: [minted, await trial.send({ method: "POST", path: "/v1/identity", body: identity })],
    read: [
      await project.ask("/keys"),
      await project.ask(`/keys/${String(keyId)}`, { method: "DELETE" }),
      await project.ask("", { method: "PATCH", body: { name } }),
      await project.ask("/caps"),
      await project.ask("/caps", { method: "PATCH", body: trial.codecs.capsBody({}) }),
      await stage.ask(""),
      await stage.ask("/saved"),
      await stage.patch("saved", { retention: null }),
      await stage.ask("/saved/saves"),
      await stage.bytes("saved", saveId)
    ],
    queued: [await stage.restore("saved", saveId)]
  }
  return answers
}

async function jsonBodies(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { name } = project
  const named = (answer: HttpAnswer): void => {
    const { method, path } = answer.request
    const type = answer.headers["content-type"]
    matches(`${method} ${path}: the content type`, type, /^application\/json(\s*;|$)/i)
    holds(`${method} ${path}: a body of JSON`, answer.json !== undefined, answer.text)
  }
  const before = await project.ask("", { method: "PATCH", body: { name } })
  isSuccess(before)
  for (const id of managementRouteIds) {
    for (const bearer of [project.login, "unknown"]) {
      named(await trial.send({ ...callOf(trial, id, { project: project.id }), bearer }))
    }
  }
  const headers = { "content-type": "application/json" }
  const text = JSON.stringify({ name, connectionsPerIpPerMin: 7 })
  const keys = await project.ask("/keys")
  const takers = [["PATCH", ""] as const, ["POST", "/keys"] as const, ["PATCH", "/caps"] as const]
  for (const body of [...notJson(text), ...notUtf8(text)]) {
    const asked = takers.map(([method, path]) => project.ask(path, { method, body, headers }))
    for (const answer of await Promise.all(asked)) {
      named(answer)
      const bad = rowOf("error", "error.http.E_BAD_REQUEST")
      if (typeof body === "string") isRefused(answer)
      trial.chosen("D-02", () => isRefusal(trial, answer, bad))
    }
  }
  await forAll(trial, { of: fc.json({ maxDepth: 3 }), atOnce: 8 }, async (body) => {
    const answer = await project.ask("", { method: "PATCH", body, headers })
    isRefused(answer)
    named(answer)
  })
  same("the keys afterwards", (await project.ask("/keys")).json, keys.json)
  const after = await project.ask("", { method: "PATCH", body: { name } })
  same("the project afterwards", after.json, before.json)
}
