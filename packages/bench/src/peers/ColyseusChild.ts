import { createRequire } from "node:module"
import { join } from "node:path"

// Colyseus as its guide has it: the pace of patches, the pings and the limits are those that it comes with.
// The first argument is the folder where it is installed.

const bodies = 200
const tickEveryMs = 50
const reconnectForSeconds = 60
/** A client that leaves by itself. */
const normalClosure = 1000

// As its guide has it for production.
process.env["NODE_ENV"] = "production"
const load = createRequire(join(process.argv[2] ?? "", "package.json"))

// The peers are installed at run time. These are the parts of them that are used here.
interface Body {
  x: number
  y: number
  vx: number
  vy: number
}
interface Core {
  readonly Room: new () => RoomParts
  readonly Server: new (options: object) => {
    define(kind: string, room: new () => RoomParts): unknown
    listen(port: number, host: string): Promise<unknown>
    readonly transport: { readonly server: { address(): { readonly port: number } } }
  }
}
interface RoomParts {
  autoDispose: boolean
  state: unknown
  onMessageBytes(type: string, handler: (client: object, bytes: Uint8Array) => void): void
  broadcastBytes(type: string, bytes: Uint8Array, options: { readonly except: object }): void
  setTimestep(tick: () => void, everyMs: number): void
  allowReconnection(client: object, seconds: number): Promise<unknown>
}
interface SchemaParts {
  readonly Encoder: { BUFFER_SIZE: number }
  readonly t: { float32(): unknown; uint32(): unknown; map(of: unknown): unknown }
  schema<A>(fields: object, name: string): new (values?: Partial<A>) => A
}

const { Room, Server }: Core = load("@colyseus/core")
const { WebSocketTransport }: { readonly WebSocketTransport: new (options: object) => unknown } =
  load("@colyseus/ws-transport")
const { Encoder, schema, t }: SchemaParts = load("@colyseus/schema")
// It grows by itself to what a state needs, with a warning each time.
Encoder.BUFFER_SIZE = 16 * 1024

const Body = schema<Body>(
  { x: t.float32(), y: t.float32(), vx: t.float32(), vy: t.float32() },
  "Body"
)
const Bodies = schema<{ readonly bodies: Map<string, Body> }>({ bodies: t.map(Body) }, "Bodies")
const Counter = schema<{ value: number }>({ value: t.uint32() }, "Counter")

const makeBodies = () => {
  const state = new Bodies()
  for (let body = 0; body < bodies; body++) {
    state.bodies.set(String(body), new Body({ x: body + 0.1, y: body + 0.2, vx: 0.3, vy: 0.4 }))
  }
  return state
}

class RelayRoom extends Room {
  override autoDispose = false

  onCreate(): void {
    this.onMessageBytes("say", (client, bytes) =>
      this.broadcastBytes("say", bytes, { except: client })
    )
  }
}

class StateRoom extends Room {
  override state = makeBodies()

  onCreate(): void {
    this.setTimestep(() => {
      for (const body of this.state.bodies.values()) {
        body.x += 0.5
        body.y += 0.25
        body.vx += 0.125
        body.vy -= 0.125
      }
    }, tickEveryMs)
  }
}

class HallRoom extends Room {
  override autoDispose = false
  override state = makeBodies()

  async onDrop(client: object, code: number): Promise<void> {
    if (code !== normalClosure) await this.allowReconnection(client, reconnectForSeconds)
  }
}

class LoungeRoom extends Room {
  override autoDispose = false
  override state = new Counter({ value: 1 })
}

const server = new Server({ greet: false, transport: new WebSocketTransport({}) })
server.define("relay", RelayRoom)
server.define("state", StateRoom)
server.define("hall", HallRoom)
server.define("lounge", LoungeRoom)
await server.listen(0, "127.0.0.1")
process.stdout.write(`${server.transport.server.address().port}\n`)

// The bench holds the other end: when it is gone, so is this.
process.stdin.on("end", () => process.exit()).resume()
