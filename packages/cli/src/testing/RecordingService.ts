import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly body: string
}

interface CannedAnswer {
  readonly status: number
  /** Bytes and text as they are, all else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A service that remembers what it was asked, and answers as it was told. */
export interface RecordingService {
  readonly url: string
  readonly requests: Array<RecordedRequest>
  /** Asked for every request before the usual answers; `null` lets those be given. */
  answer: (request: RecordedRequest) => Promise<CannedAnswer | null> | CannedAnswer | null
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
  made: true
})

const projectOf = (name: unknown, audienceRole: unknown = null): unknown => ({
  id: createdId,
  name,
  plan: "free",
  createdAt: "2026-01-01T00:00:00.000Z",
  connectionsPerIpPerMin: null,
  vmMemMib: null,
  queues: {},
  boards: {},
  origins: [],
  audienceRole,
  preRelease: false,
  static: null,
  currentVersion: null
})

/** @param host an address of this machine */
export const startRecordingService = async (host = "127.0.0.1"): Promise<RecordingService> => {
  let version = 0
  let role: unknown = null
  const usual = (request: RecordedRequest): CannedAnswer => {
    switch (`${request.method} ${request.path.replace(/projects\/[^/]+/, "projects/:id")}`) {
      case "GET /health":
        return { status: 200, body: { status: "ok" } }
      case "POST /v1/projects":
        return { status: 201, body: projectOf(JSON.parse(request.body).name) }
      case "PATCH /v1/projects/:id": {
        const { name, audienceRole } = JSON.parse(request.body)
        role = audienceRole
        return { status: 200, body: projectOf(name, role) }
      }
      case "GET /v1/projects/:id":
        return { status: 200, body: projectOf("kept", role) }
      case "POST /v1/projects/:id/deployments":
        return { status: 201, body: deploymentOf((version += 1), request) }
      case "PUT /v1/projects/:id/dev-lease":
        return { status: 200, body: { expiresAt: "2026-01-01T00:00:06.000Z" } }
      default:
        return refusal(404, "E_NOT_FOUND", "not found")
    }
  }
  const server = createServer(async (incoming, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request: RecordedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization,
      contentType: incoming.headers["content-type"],
      body: Buffer.concat(chunks).toString()
    }
    service.requests.push(request)
    const { status, body, headers } = (await service.answer(request)) ?? usual(request)
    const isBytes = body instanceof Uint8Array
    const contentType = isBytes ? "application/octet-stream" : "application/json; charset=utf-8"
    response.writeHead(status, { "content-type": contentType, ...headers })
    response.end(isBytes || typeof body === "string" ? body : JSON.stringify(body))
  })
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
