import { createHmac, randomUUID } from "node:crypto"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"

import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { JoinError } from "@atrium/sdk/client"

/** Where players have their join credentials from. Errors: `JoinError`. */
export type LoadTokens = (player: string, from: string | null) => Promise<string>

/** Unix milliseconds; the service compares them with its own clock. */
const nowMs = (): number => performance.timeOrigin + performance.now()

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url")

/** Signed here, as a game's own backend signs them: no rate of the service counts. Source: D-25. */
export const signedTokens = (project: string, secret: string): LoadTokens => {
  const header = base64url({ alg: "HS256", typ: "JWT" })
  return async (player) => {
    const iat = Math.floor(nowMs() / 1000)
    const exp = iat + IdentityLimits.joinTokenLife.ms / 1000
    const claims = { iss: project, aud: "rooms", role: "player", sub: player, room: "*", iat, exp }
    const signed = `${header}.${base64url({ ...claims, jti: randomUUID() })}`
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
  }
}

const answerBytesMax = 16_384
const answerWithinMs = 10_000

/** Anonymous players, each of whom asks the service who they are, as a browser does. Source: D-27. */
export const mintedTokens =
  (http: string, project: string): LoadTokens =>
  async (_, from) => {
    const answer = await post(`${http}/v1/identity`, { body: JSON.stringify({ project }), from })
    const body = objectIn(answer.text)
    const { token } = body
    if (answer.status < 300 && typeof token === "string") return token
    const { code, message } = objectOf(body["error"])
    throw new JoinError(
      {
        code: typeof code === "string" ? code : "E_UNREACHABLE",
        message: typeof message === "string" ? message : `/v1/identity: HTTP ${answer.status}`
      },
      null
    )
  }

interface Answer {
  readonly status: number
  readonly text: string
}

const post = (
  url: string,
  { body, from }: { readonly body: string; readonly from: string | null }
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const unreachable = (message: string): void =>
      reject(new JoinError({ code: "E_UNREACHABLE", message: `/v1/identity: ${message}` }, null))
    const request = url.startsWith("https:") ? requestHttps : requestHttp
    const sent = request(url, {
      method: "POST",
      agent: false,
      timeout: answerWithinMs,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      ...(from === null ? {} : { localAddress: from, family: 4 })
    })
    sent.on("timeout", () => sent.destroy(new Error(`no answer within ${answerWithinMs} ms`)))
    sent.on("error", ({ message }) => unreachable(message))
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text = (text + part).slice(0, answerBytesMax)
      })
      response.on("error", ({ message }) => unreachable(message))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}
