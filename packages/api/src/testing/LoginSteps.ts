import { expect } from "vitest"

import type { RunningService } from "./RunningService.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Ask {
  readonly method?: string
  readonly body?: unknown
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The fields of a body that is an object. */
export const fields = ({ text }: Answer): Record<string, unknown> => Object(JSON.parse(text))
/** A body that is a list. */
export const rows = ({ text }: Answer): ReadonlyArray<Record<string, unknown>> => JSON.parse(text)
/** One field, as text. */
export const text = (answer: Answer, field: string): string => String(fields(answer)[field])

/** Status and code of a refusal, its whole shape checked on the way. */
export const refusal = (answer: Answer): readonly [number, string] => {
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8")
  const body: { error: { code: string; message: string } } = JSON.parse(answer.text)
  expect(Object.keys(body)).toEqual(["error"])
  expect(Buffer.byteLength(body.error.message)).toBeLessThanOrEqual(96)
  return [answer.status, body.error.code]
}

/** The days until a moment of the answer, by the machine's clock, which the service reads, too. */
export const inDays = (answer: Answer, field: string): number =>
  Math.round((Date.parse(text(answer, field)) - Date.now()) / 86_400_000)

/** What developers and their devices ask of a service, step by step, as each wants it to go. */
export const loginSteps = (service: Pick<RunningService, "url" | "token">) => {
  const ask = async (
    path: string,
    { method, body, bearer, headers }: Ask = {}
  ): Promise<Answer> => {
    const response = await fetch(`${service.url}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  /** A request of the service's own page, in a browser that has this session. */
  const ownPage = (secret: string): Record<string, string> => ({
    cookie: `atrium_session=${secret}`,
    origin: service.url,
    "sec-fetch-site": "same-origin"
  })

  /** Everything secret that the service has told; none of it may be in its output. */
  const secrets: Array<string> = []

  const startDevice = async (label?: string) => {
    const answer = await ask("/v1/login/device", { body: label === undefined ? {} : { label } })
    expect(answer.status).toBe(201)
    const deviceCode = text(answer, "deviceCode")
    secrets.push(deviceCode)
    return { answer, deviceCode, userCode: text(answer, "userCode") }
  }

  const poll = (deviceCode: string) => ask("/v1/login/token", { body: { deviceCode } })

  const decide = (userCode: string, allow: boolean, bearer = service.token) =>
    ask("/v1/login/approve", { body: { userCode, allow }, bearer })

  /** A CLI token, obtained as `atrium login` obtains it. */
  const cliToken = async (label: string, bearer = service.token) => {
    const { deviceCode, userCode } = await startDevice(label)
    expect((await decide(userCode, true, bearer)).status).toBe(200)
    const answer = await poll(deviceCode)
    expect(answer.status).toBe(201)
    secrets.push(text(answer, "token"))
    return { token: text(answer, "token"), tokenId: text(answer, "tokenId"), answer }
  }

  /** A browser's session, with the header that gave it. */
  const startSession = async (token = service.token, headers: Record<string, string> = {}) => {
    const answer = await ask("/v1/login/session", { body: { token }, headers })
    expect(answer.status).toBe(200)
    const given = answer.headers.get("set-cookie") ?? ""
    const secret = /^atrium_session=([^;]*)/.exec(given)?.[1] ?? ""
    secrets.push(secret)
    return { answer, given, secret }
  }

  /** Another account, invited by the owner. */
  const invited = async (name: string) => {
    const invitation = await ask("/v1/me/invitations", { body: { name }, bearer: service.token })
    expect(invitation.status).toBe(201)
    const code = text(invitation, "code")
    const answer = await ask("/v1/login/invitation", { body: { code, name } })
    expect(answer.status).toBe(201)
    secrets.push(code, text(answer, "token"))
    return { invitation, code, answer, token: text(answer, "token") }
  }

  return { ask, ownPage, startDevice, poll, decide, cliToken, startSession, invited, secrets }
}
