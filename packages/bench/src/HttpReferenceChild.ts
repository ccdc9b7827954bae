import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

import { Pool } from "pg"

import { makeThreeQueries } from "./ThreeQueries.ts"

// The reference for the management API: the least that `node:http` and `pg` do for an authenticated read
// of one room, and for a list. Arguments: address of the database, project, how many rooms the list has.
// Its first line is its port. `…/rooms/r1` is one statement, `…/rooms/r1?three` three of Effect's client;
// `…/rooms` is an array in memory, `…/rooms?bare` one statement.

const [url = "", project = "", count = "0"] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, max: 20 })
// The bench ends the service, and its PostgreSQL, when it has what it wanted.
pool.on("error", () => undefined)
const threeQueries = await makeThreeQueries(url, project)

const iso = (ms: number): string => new Date(ms).toISOString()

interface Listed {
  readonly room_id: string
  readonly status: string
  /** `pg` shows a bigint as text. */
  readonly last_seen_ms: string | number
}

/** As many fields as the service shows of a room. */
const shown = ({ room_id, status, last_seen_ms }: Listed) => ({
  project,
  roomId: room_id,
  status,
  slot: 0,
  clients: 0,
  maxClients: 64,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null,
  lastSeen: iso(Number(last_seen_ms))
})

const inMemory: ReadonlyArray<Listed> = Array.from({ length: Number(count) }, (_, index) => ({
  room_id: `r${index}`,
  status: "hibernated",
  last_seen_ms: 1.79e12 + index
}))

const listBare = async (): Promise<string> => {
  const { rows } = await pool.query<Listed>({
    name: "list",
    text: `select room_id, status, last_seen_ms from rooms where project_id = $1
      order by last_seen_ms desc, room_id`,
    values: [project]
  })
  return JSON.stringify(rows.map(shown))
}

interface Detail extends Listed {
  readonly type: string
  readonly class: string
  readonly saves: string
  readonly state_bytes: string | null
}

/** The key by its hash, the row, and what is stored of the room, in one question. */
const readBare = async (secret: string, roomId: string): Promise<string | null> => {
  const prefix = `rooms/${project}/${roomId}/`
  const { rows } = await pool.query<Detail>({
    name: "read",
    text: `select room.room_id, room.status, room.type, room.class, room.last_seen_ms,
        stored.saves, stored.state_bytes
      from api_keys key
      join rooms room on room.project_id = key.project_id and room.room_id = $3
      cross join lateral (
        select count(*) saves, max(octet_length(bytes)) state_bytes from objects
        where objects.key ~>=~ $4 and objects.key ~<~ $5
      ) stored
      where key.secret_hash = $1 and key.project_id = $2 and key.revoked_at_ms is null`,
    // The sign after the slash ends the range of all keys that begin so.
    values: [
      createHash("sha256").update(secret).digest(),
      project,
      roomId,
      prefix,
      `${prefix.slice(0, -1)}0`
    ]
  })
  const row = rows[0]
  if (row === undefined) return null
  const { type, class: roomClass, saves, state_bytes: stateBytes } = row
  return JSON.stringify({
    ...shown(row),
    type,
    class: roomClass,
    saves: Number(saves),
    stateBytes: Number(stateBytes)
  })
}

const textOf = ({ url: path = "", headers }: IncomingMessage): Promise<string | null> | string => {
  const [place = "", how] = path.split("?")
  if (place.endsWith("/rooms")) {
    return how === "bare" ? listBare() : JSON.stringify(inMemory.map(shown))
  }
  const secret = headers.authorization?.slice("Bearer ".length) ?? ""
  const roomId = place.slice(place.lastIndexOf("/") + 1)
  return how === "three" ? threeQueries(secret, roomId) : readBare(secret, roomId)
}

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const text = await textOf(request)
  if (text === null) return void response.writeHead(404).end()
  response.writeHead(200, { "content-type": "application/json" })
  response.end(text)
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`)
})
process.stdin.on("end", () => process.exit(0)).resume()
