import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

// The reference for the management API: the least that `node:http` and PostgreSQL do for an
// authenticated read of one room, and a list from objects in memory. Arguments: address of the
// database, project, how many rooms the list has. Its first line is its port.

const [url = "", project = "", count = "0"] = process.argv.slice(2)

const runtime = ManagedRuntime.make(
  PgClient.layer({ url: Redacted.make(url), maxConnections: 20 }).pipe(
    Layer.provide(Reactivity.layer)
  )
)
const sql = await runtime.runPromise(PgClient.PgClient)

const iso = (ms: number): string => new Date(ms).toISOString()

const listed = Array.from({ length: Number(count) }, (_, index) => ({
  ...{ project, roomId: `r${index}`, status: "hibernated", slot: 0, lastSeenMs: 1.79e12 + index },
  ...{ clients: 0, maxClients: 64, backfill: false, retention: null },
  ...{ retentionOverride: null, deletesAt: null }
}))

const list = (): string =>
  JSON.stringify(listed.map(({ lastSeenMs, ...room }) => ({ ...room, lastSeen: iso(lastSeenMs) })))

interface Row {
  readonly room_id: string
  readonly status: string
  readonly type: string
  readonly class: string
  readonly last_seen_ms: bigint
}

/** The key by its hash, then the row and what is stored of the room. */
const read = Effect.fnUntraced(function* (secret: string, roomId: string) {
  const hash = createHash("sha256").update(secret).digest()
  const keys = yield* sql`select scopes from api_keys
    where secret_hash = ${new Uint8Array(hash)} and revoked_at_ms is null`
  if (keys.length === 0) return null
  // An underscore stands for any character: unescaped, it would make the index useless.
  const prefix = `rooms/${project}/${roomId}/%`.replaceAll("_", "\\_")
  const [rows, objects] = yield* Effect.all(
    [
      sql<Row>`select room_id, status, type, class, last_seen_ms from rooms
        where project_id = ${project} and room_id = ${roomId}`,
      sql`select key, octet_length(bytes) as size, stored_at_ms from objects
        where key like ${prefix} order by key collate "C"`
    ],
    { concurrency: 2 }
  )
  const row = rows[0]
  if (row === undefined) return null
  return {
    ...{ roomId, status: row.status, type: row.type, class: row.class, retention: null },
    ...{ retentionOverride: null, deletesAt: null, saves: objects.length },
    ...{ stateBytes: 1, lastSeen: iso(Number(row.last_seen_ms)) }
  }
})

const send = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(text)
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = request.url ?? ""
  if (path.endsWith("/rooms")) return send(response, list())
  const secret = request.headers.authorization?.slice("Bearer ".length) ?? ""
  const roomId = path.slice(path.lastIndexOf("/") + 1)
  const detail = await runtime.runPromise(Effect.orDie(read(secret, roomId)))
  if (detail === null) response.writeHead(404).end()
  else send(response, JSON.stringify(detail))
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`)
})
process.stdin.on("end", () => process.exit(0)).resume()
