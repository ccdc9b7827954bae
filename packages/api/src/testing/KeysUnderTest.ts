import type { RunningService } from "./RunningService.ts"

/** One answer, to the byte. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface MintedKey {
  readonly keyId: string
  readonly secret: string
}

type Service = Pick<RunningService, "url" | "token" | "project">

export const ask = async (
  { url }: Pick<Service, "url">,
  path: string,
  request: RequestInit = {}
): Promise<Answer> => {
  const response = await fetch(`${url}${path}`, request)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** A request with this credential; a body makes it JSON. */
export const as = (
  bearer: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: unknown } = {}
): RequestInit => ({
  method,
  headers: {
    authorization: `Bearer ${bearer}`,
    ...(body === undefined ? {} : { "content-type": "application/json" })
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** Code and message of an error answer. */
export const errorOf = ({ text }: Answer): { readonly code: string; readonly message: string } =>
  JSON.parse(text).error

/** Mints a key of the service's project, or of another one of the same account. */
export const mintKey = async (
  service: Service,
  scopes: ReadonlyArray<string>,
  project = service.project
): Promise<MintedKey> => {
  const body = { scopes, label: "under test" }
  const answer = await ask(
    service,
    `/v1/projects/${project}/keys`,
    as(service.token, { method: "POST", body })
  )
  if (answer.status !== 201) throw new Error(`no key: ${answer.text}`)
  return JSON.parse(answer.text)
}

/** The rows of the keys of the service's project. */
export const keysOf = async (service: Service): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const answer = await ask(service, `/v1/projects/${service.project}/keys`, as(service.token))
  if (answer.status !== 200) throw new Error(`no keys: ${answer.text}`)
  return JSON.parse(answer.text)
}
