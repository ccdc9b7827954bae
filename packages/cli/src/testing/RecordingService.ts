import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly lastEventId?: string
  readonly body: string
}

interface CannedAnswer {
  readonly status: number
  /** Bytes and text as they are, all else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Answer = CannedAnswer | "cut"

/** A service that remembers what it was asked, and answers as it was told. */
export interface RecordingService {
  readonly url: string
  readonly requests: Array<RecordedRequest>
  /** Asked for every request before the usual answers; `null` lets those be given, "cut" ends the connection. */
  answer: (request: RecordedRequest) => Promise<Answer | null> | Answer | null
  readonly close: () => Promise<void>
}

export const createdId = "p_00000000000000aa"

export const refusal = (status: number, code: string, message: string): CannedAnswer => ({
  status,
  body: { error: { code, message } }
})

export const deploymentOf = (version: number, { body }: RecordedRequest): object => ({
  version,
  bytes: Buffer.byteLength(body),
  createdAt: "2026-01-01T00:00:00.000Z",
  roomTypes: [{ type: "tiny", class: "standard", maxClients: 8, schemaHash: "0123456789abcdef" }],
  relay: false,
  rollbackOf: null,
  made: true
})

/** The settings that came before a bundle. */
export const settingsOf = ({ path, body }: RecordedRequest): unknown => {
  const bytes = Number(/\?settingsBytes=(\d+)$/.exec(path)?.[1] ?? 0)
  return bytes === 0 ? null : JSON.parse(Buffer.from(body).toString("utf8", 0, bytes))
}

const projectOf = (name: unknown): unknown => ({
  id: createdId,
  name,
  plan: "free",
  createdAt: "2026-01-01T00:00:00.000Z",
  connectionsPerIpPerMin: null,
  vmMemMib: null,
  queues: {},
  boards: {},
  origins: [],
  audienceRole: null,
  preRelease: false,
  static: null,
  currentVersion: null
})

interface Manifest {
  readonly label?: string
  readonly files: ReadonlyArray<{ readonly hash: string; readonly bytes: number }>
}

/** No content is there yet. */
const uploadOf = ({ label = "kept", files }: Manifest): object => ({
  upload: "u_1",
  label,
  missing: [...new Set(files.map(({ hash }) => hash))],
  expiresAt: "2026-01-01T01:00:00.000Z"
})

const siteOf = ({ label = "kept", files }: Manifest): object => ({
  label,
  url: `http://${label}.localhost:8787`,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  changed: files.length
})

/** @param host an address of this machine */
export const startRecordingService = async (host = "127.0.0.1"): Promise<RecordingService> => {
  let version = 0
  let name: unknown = "kept"
  let manifest: Manifest = { files: [] }
  const usual = (request: RecordedRequest): CannedAnswer => {
    switch (
      `${request.method} ${request.path.replace(/projects\/[^/]+/, "projects/:id").split("?", 1)[0]}`
    ) {
      case "GET /health":
        return { status: 200, body: { status: "ok" } }
      case "POST /v1/projects":
        name = JSON.parse(request.body).name
        return { status: 201, body: projectOf(name) }
      case "PUT /v1/projects/:id/name":
        name = JSON.parse(request.body).name
        return { status: 200, body: projectOf(name) }
      case "GET /v1/projects/:id":
        return { status: 200, body: projectOf(name) }
      case "POST /v1/projects/:id/deployments":
        return { status: 201, body: deploymentOf((version += 1), request) }
      case "POST /v1/projects/:id/site/uploads":
        manifest = JSON.parse(request.body)
        return { status: 201, body: uploadOf(manifest) }
      case "POST /v1/projects/:id/site/uploads/u_1/finish":
        return { status: 201, body: siteOf(manifest) }
      case "PUT /v1/projects/:id/dev-lease":
        return { status: 200, body: { expiresAt: "2026-01-01T00:00:06.000Z" } }
      default:
        if (request.path.includes("/site/uploads/u_1/files/")) {
          const hash = request.path.slice(-64)
          return { status: 200, body: { hash, bytes: Buffer.byteLength(request.body) } }
        }
        return refusal(404, "E_NOT_FOUND", "not found")
    }
  }
  const server = createServer(async (incoming, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const lastEventId = incoming.headers["last-event-id"]
    const request: RecordedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization,
      contentType: incoming.headers["content-type"],
      ...(typeof lastEventId === "string" ? { lastEventId } : {}),
      body: Buffer.concat(chunks).toString()
    }
    service.requests.push(request)
    const answer = (await service.answer(request)) ?? usual(request)
    if (answer === "cut") return void incoming.socket.destroy()
    const { status, body, headers } = answer
    const isBytes = body instanceof Uint8Array
    const contentType = isBytes ? "application/octet-stream" : "application/json; charset=utf-8"
    response.writeHead(status, { "content-type": contentType, ...headers })
    response.end(isBytes || typeof body === "string" ? body : JSON.stringify(body))
  })
  // It closes no connection by itself: a command that leaves one open would not end.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  // Listening on TCP, so the address is none of a pipe.
  const { port } = server.address() as AddressInfo
  const service: RecordingService = {
    url: `http://${host}:${port}`,
    requests: [],
    answer: () => null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
  return service
}
