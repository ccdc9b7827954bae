import { quoted } from "./Quoting.ts"

/** The credential that a route takes: an API key reaches some, a login all of an account. */
export type Credential = "key" | "login"

/** What a panel asks of the service. */
export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  /** Its parts are encoded already. */
  readonly path: string
  readonly body?: unknown
  readonly credential: Credential
  /** The answer goes on until it is broken off. */
  readonly live?: boolean
}

const variables = { key: "SERVICE_API_KEY", login: "ATRIUM_TOKEN" } as const

/**
 * The line with which a terminal asks the same. Each value is one word of the shell, and the credential is in
 * a variable of the environment. Source: C-764.
 *
 * @param origin of the service
 */
export const curlLine = (origin: string, asked: Asked): string => {
  const { method, path, body, credential, live } = asked
  return [
    "curl",
    live === true ? "-sSN" : "-sS",
    ...(method === "GET" ? [] : ["-X", method]),
    `-H "authorization: Bearer $${variables[credential]}"`,
    ...(live === true ? ["-H", quoted("accept: text/event-stream")] : []),
    ...(body === undefined
      ? []
      : ["-H", quoted("content-type: application/json"), "-d", quoted(JSON.stringify(body))]),
    quoted(`${origin}${path}`)
  ].join(" ")
}

/** A command of `atrium`: its words, the values that stand in their places, and its flags. */
export interface Command {
  readonly words: ReadonlyArray<string>
  /** `null` = the flag has no value. */
  readonly flags?: Readonly<Record<string, string | number | null | undefined>>
  readonly values?: ReadonlyArray<string>
}

/** The service that commands ask when nobody names one. */
const defaultOrigins: ReadonlyArray<string> = ["http://127.0.0.1:8787", "http://localhost:8787"]

/**
 * The same as a command of `atrium`. A value that begins with `-` stands behind `--`, and a flag takes such a
 * one with `=`. Source: C-764.
 */
export const atriumLine = (origin: string, { words, flags = {}, values = [] }: Command): string => {
  const named: ReadonlyArray<readonly [string, string | number | null | undefined]> = [
    ...Object.entries(flags),
    ["url", defaultOrigins.includes(origin) ? undefined : origin]
  ]
  const flagWords = named.flatMap(([name, value]) => {
    if (value === undefined) return []
    if (value === null) return [`--${name}`]
    const text = String(value)
    return text.startsWith("-") ? [quoted(`--${name}=${text}`)] : [`--${name}`, quoted(text)]
  })
  const dashed = values.some((value) => value.startsWith("-"))
  return ["atrium", ...words, ...flagWords, ...(dashed ? ["--"] : []), ...values.map(quoted)].join(
    " "
  )
}
