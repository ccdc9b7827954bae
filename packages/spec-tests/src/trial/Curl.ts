import type { HttpRequest } from "./HttpProbe.ts"

const bodyMax = 2000

/** A request as a command for a shell; the credential is `$TOKEN`. */
export const curlOf = (request: HttpRequest, baseUrl: string): string => {
  const base = withoutCredentials(request.base ?? baseUrl).replace(/\/$/, "")
  const headers = [
    ...(request.bearer === undefined ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...(typeof request.body === "object" ? ["-H 'content-type: application/json'"] : []),
    ...Object.entries(request.headers ?? {}).map(
      ([name, value]) => `-H ${quoted(headerOf(name, value))}`
    )
  ]
  return [
    `curl -i -X ${request.method}`,
    ...headers,
    ...bodyOf(request.body),
    quoted(`${base}${request.path}`)
  ].join(" ")
}

/** An address as it may be shown. */
export const withoutCredentials = (address: string): string => {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.username === "" && url.password === "") return address
  url.username = ""
  url.password = ""
  return url.href
}

const headerOf = (name: string, value: string): string =>
  /authorization|cookie|token|secret/i.test(name) ? `${name}: $TOKEN` : `${name}: ${value}`

const bodyOf = (body: unknown): ReadonlyArray<string> => {
  if (body === undefined) return []
  if (body instanceof Uint8Array) return [`--data-binary '(${body.byteLength} bytes)'`]
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "")
  return [`--data-raw ${quoted(text.length > bodyMax ? `(${text.length} characters)` : text)}`]
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
