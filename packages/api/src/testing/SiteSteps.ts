import { createHash } from "node:crypto"
import { request } from "node:http"

import { call, type RunningService } from "./RunningService.ts"

/** The content of a site, by path. */
export type SiteContents = Readonly<Record<string, string | Uint8Array>>

/** An answer of a site, its body as it came. */
export interface SiteResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

const sha256 = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex")

/** The files of a site as an upload lists them. */
export const manifestOf = (contents: SiteContents) =>
  Object.entries(contents).map(([path, content]) => ({
    path,
    hash: sha256(content),
    bytes: Buffer.byteLength(content)
  }))

/** Asks as a browser does that has opened this host; Node itself finds no `*.localhost`. */
export const askHost = (
  url: string,
  {
    host,
    path,
    method = "GET",
    headers = {}
  }: {
    readonly host: string
    readonly path: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
  }
): Promise<SiteResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asking = request(
      { hostname, port, path, method, headers: { ...headers, host }, agent: false },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks)
          })
        )
      }
    )
    asking.on("error", reject)
    asking.end()
  })

/** The steps of a deploy of the site of a project. */
export const siteSteps = (
  service: Pick<RunningService, "url" | "token">,
  project: () => string
) => {
  const ask = (path: string, body?: unknown, method?: string) =>
    call(service.url, `/v1/projects/${project()}/site${path}`, {
      token: service.token,
      ...(body === undefined ? {} : { body }),
      ...(method === undefined ? {} : { method })
    })

  const begin = (contents: SiteContents, other: Readonly<Record<string, unknown>> = {}) =>
    ask("/uploads", { files: manifestOf(contents), ...other })

  /** @param hash of what the upload lists; absent = that of the content */
  const put = async (upload: string, content: string | Uint8Array, hash = sha256(content)) => {
    const path = `/v1/projects/${project()}/site/uploads/${upload}/files/${hash}`
    const response = await fetch(`${service.url}${path}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${service.token}`,
        "content-type": "application/octet-stream"
      },
      body: Buffer.from(content)
    })
    return { status: response.status, body: Object(await response.json()) }
  }

  const finish = (upload: string) => ask(`/uploads/${upload}/finish`, {})

  /** All of it. Errors: `Error` when the service refuses a step. */
  const deploy = async (contents: SiteContents, other: Readonly<Record<string, unknown>> = {}) => {
    const begun = await begin(contents, other)
    const upload = String(begun.body["upload"])
    const missing = begun.body["missing"]
    for (const content of Object.values(contents)) {
      if (Array.isArray(missing) && missing.includes(sha256(content))) await put(upload, content)
    }
    const finished = await finish(upload)
    if (finished.status !== 201) throw new Error(JSON.stringify([begun, finished]))
    return finished.body
  }

  return { ask, begin, put, finish, deploy }
}
