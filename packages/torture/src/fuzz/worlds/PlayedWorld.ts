import { RoomHarness } from "@atrium/sdk/testing"

import {
  type WorldRoom,
  worldPhysics,
  worldRoom,
  worldSchema,
  type WorldWrite,
  writeTo
} from "./FuzzedWorld.ts"

/** Balls of a room, with ids from 1 on. */
export const Balls = 4

/** A room with a world, its client, and what room code does at its next tick. */
export class PlayedWorld {
  readonly #harness: RoomHarness<typeof worldSchema>
  readonly #joining: Promise<{
    readonly connected: boolean
    send(name: "write", said: object): void
  }>
  #room: WorldRoom | null = null
  #next: ((room: WorldRoom) => void) | null = null

  constructor() {
    this.#harness = new RoomHarness(
      worldRoom(Balls, (room) => {
        this.#room = room
        const next = this.#next
        this.#next = null
        next?.(room)
      })
    )
    this.#joining = this.#harness.client({ playerId: "ann" }).joinOrCreate(worldSchema)
  }

  /** Lets ticks pass. */
  async ticks(count: number): Promise<void> {
    await this.#harness.advance((count * 1000) / worldSchema.tickHz)
  }

  /** A client says it, and the room believes it. */
  async say(write: WorldWrite): Promise<void> {
    const client = await this.#joining
    client.send("write", write)
    await this.#harness.advance(0)
  }

  /** Room code does it at the next tick. */
  code(run: (room: WorldRoom) => void): void {
    this.#next = run
  }

  /** The room is stored, and wakes. */
  async sleep(): Promise<void> {
    await this.#harness.sleepFor(1000)
    await this.ticks(1)
  }

  async connected(): Promise<boolean> {
    return (await this.#joining).connected
  }

  /** Lines of the log since the last look. */
  logged(): ReadonlyArray<string> {
    return this.#harness.logs.splice(0)
  }

  /** The bytes of the world. */
  world(): Uint8Array {
    return worldPhysics.worldOf(this.#opened()).takeSnapshot()
  }

  /** The balls as the room has them. */
  balls(): string {
    const { balls } = this.#opened().state
    return JSON.stringify(
      Array.from(balls, ({ id, x, y, z, vx, vy, vz }) => [id, x, y, z, vx, vy, vz])
    )
  }

  #opened(): WorldRoom {
    if (this.#room === null) throw new Error("no tick has run")
    return this.#room
  }
}

/** The error of a number that a world or a field cannot have. */
const isRefusal = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && error.name === "FieldError")

/** Writes as room code. The write is `refused`, or `taken`; else the fault is told. */
export const outcomeOf = (room: WorldRoom, write: WorldWrite): string => {
  const world = worldPhysics.worldOf(room)
  const before = world.takeSnapshot()
  try {
    writeTo(room, write)
    return "taken"
  } catch (error) {
    if (!isRefusal(error)) return `threw ${String(error)}`
    const same = Buffer.compare(before, world.takeSnapshot()) === 0
    return same ? "refused" : "threw, and changed the world"
  }
}
