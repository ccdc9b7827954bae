import { signal } from "@preact/signals"

/** A refusal of the service, or one that this page makes (status 0). */
export interface Refusal {
  readonly _tag: "Refused"
  readonly status: number
  readonly code: string
  readonly message: string
  /** How long to wait before the same is asked again; `null` = the service did not say. */
  readonly retryAfterMs: number | null
}

/** An answer of the service, with the moment that it is of: the service's clock, to the second. */
export interface There<A> {
  readonly _tag: "There"
  readonly value: A
  readonly atMs: number
}

export type Answer<A> = There<A> | Refusal

export interface Request {
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Whether the browser has a session; `null` = nobody has asked yet. */
export const loggedIn = signal<boolean | null>(null)

/** The version that the service told last, which may be another than that of this page. */
export const servedVersion = signal<string | null>(null)

/**
 * The header of every request of this page. It tells the service whose page asks where the browser sends no
 * `sec-fetch-site`, and no other origin may send it. Source: C-360.
 */
export const ownHeaders = { "x-atrium-page": "console" }

/** A refusal that this page makes. */
export const ownRefusal = ({ code, message }: Pick<Refusal, "code" | "message">): Refusal => ({
  _tag: "Refused",
  status: 0,
  code,
  message,
  retryAfterMs: null
})

/** The service gave no answer: it is down, or the network is. */
export const noAnswer = ownRefusal({
  code: "no answer",
  message: "The service does not answer."
})

/** Asks the service. Nothing is thrown: what goes wrong is a refusal. */
export const ask = async <A>(request: Request): Promise<Answer<A>> => {
  const answer = await answerTo(request, "application/json")
  if (answer._tag === "Refused") return answer
  const text = await answer.value.text().catch(() => null)
  // The contract of the route says what it is; a page shows what it finds of that. Source: C-766.
  return text === null ? noAnswer : { ...answer, value: parsed(text) as A }
}

/** Asks for bytes. */
export const askBytes = async (request: Request): Promise<Answer<Uint8Array<ArrayBuffer>>> => {
  const answer = await answerTo(request, "application/octet-stream")
  if (answer._tag === "Refused") return answer
  const bytes = await answer.value.arrayBuffer().catch(() => null)
  return bytes === null ? noAnswer : { ...answer, value: new Uint8Array(bytes) }
}

const answerTo = async (request: Request, accept: string): Promise<Answer<Response>> => {
  const { method = "GET", path, body, signal: abort } = request
  const answer = await fetch(path, {
    method,
    headers: {
      ...ownHeaders,
      accept,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(abort === undefined ? {} : { signal: abort })
  }).catch(() => null)
  if (answer === null) return noAnswer
  heard(answer)
  if (!answer.ok) return refusalOf(answer)
  // Without the header (a proxy may drop it) the reader's clock has to do.
  const atMs = Date.parse(answer.headers.get("date") ?? "") || Date.now()
  return { _tag: "There", value: answer, atMs }
}

/** Notes what each answer tells beside its body. */
export const heard = (answer: Response): void => {
  if (answer.status === 401) loggedIn.value = false
  else if (answer.ok) loggedIn.value = true
  const version = answer.headers.get("x-atrium-version")
  if (version !== null) servedVersion.value = version
}

/** Reads the refusal of an answer that is not ok, also where its body is not JSON. */
export const refusalOf = async (answer: Response): Promise<Refusal> => {
  const found = Object(Object(parsed(await answer.text().catch(() => ""))).error)
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
  return {
    _tag: "Refused",
    status: answer.status,
    code: typeof found.code === "string" ? found.code : `HTTP ${answer.status}`,
    message: typeof found.message === "string" ? found.message : answer.statusText,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
