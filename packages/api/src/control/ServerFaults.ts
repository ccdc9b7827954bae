import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import { serverIdOf } from "@atrium/actors/servers/ServerProtocol"
import { Deferred, Effect } from "effect"

type Fault = "paused" | "isolated"

/** A project's server as the control listener shows it. */
export interface ServerView {
  readonly id: string
  readonly state: "running" | "stopped" | Fault
  readonly rooms: ReadonlyArray<string>
}

interface Played {
  readonly fault: Fault
  /** `null` = it held no room that would tell. */
  readonly projectId: string | null
  readonly ended: Deferred.Deferred<void>
}

const running = (room: AwakeRoom) => room.incarnation()?.process ?? null

const serverOf = (room: AwakeRoom): string | null => {
  const order = room.incarnation()?.order
  return order === undefined ? null : serverIdOf(room.key.projectId, order.serverIndex)
}

/** Faults that are played on servers, as operating system and network make them. */
export class ServerFaults {
  readonly #played = new Map<string, Played>()
  #awake: () => ReadonlyArray<AwakeRoom> = () => []

  follow(awake: () => ReadonlyArray<AwakeRoom>): void {
    this.#awake = awake
  }

  /** Calls of a server wait while it is paused or isolated. */
  readonly reach = (serverId: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const played = this.#played.get(serverId)
      return played === undefined ? Effect.void : Deferred.await(played.ended)
    })

  /** Servers that hold rooms of the project now, or on which a fault is played. */
  list(projectId: string): ReadonlyArray<ServerView> {
    const rooms = this.#awake().filter(({ key }) => key.projectId === projectId)
    const ids = new Set(rooms.map(serverOf).filter((id) => id !== null))
    for (const [id, played] of this.#played) if (played.projectId === projectId) ids.add(id)
    return [...ids].toSorted().map((id) => this.view(id))
  }

  view(serverId: string): ServerView {
    const rooms = this.#roomsOn(serverId).map(({ key }) => key.roomId)
    const played = this.#played.get(serverId)?.fault
    return {
      id: serverId,
      state: played ?? (rooms.length === 0 ? "stopped" : "running"),
      rooms: rooms.toSorted()
    }
  }

  /** Its processes stand still, and it does not answer. */
  pause(serverId: string): void {
    this.#play(serverId, "paused")
    this.#signal(serverId, "SIGSTOP")
  }

  /** It does not answer; its clients play on. */
  isolate(serverId: string): void {
    this.resume(serverId)
    this.#play(serverId, "isolated")
  }

  /** Ends pause and isolation. */
  resume(serverId: string): void {
    const played = this.#played.get(serverId)
    this.#played.delete(serverId)
    if (played?.fault === "paused") this.#signal(serverId, "SIGCONT")
    if (played !== undefined) Deferred.doneUnsafe(played.ended, Effect.void)
  }

  /** Its processes end at once; what they had not stored is lost. */
  kill(serverId: string): void {
    this.#signal(serverId, "SIGKILL")
    this.resume(serverId)
  }

  /** Nothing stands still when the service ends. */
  resumeAll(): void {
    for (const serverId of Array.from(this.#played.keys())) this.resume(serverId)
  }

  #play(serverId: string, fault: Fault): void {
    const before = this.#played.get(serverId)
    const projectId = before?.projectId ?? this.#roomsOn(serverId)[0]?.key.projectId ?? null
    const ended = before?.ended ?? Deferred.makeUnsafe<void>()
    this.#played.set(serverId, { fault, projectId, ended })
  }

  #roomsOn(serverId: string): ReadonlyArray<AwakeRoom> {
    return this.#awake().filter((room) => serverOf(room) === serverId)
  }

  #signal(serverId: string, signal: NodeJS.Signals): void {
    for (const room of this.#roomsOn(serverId)) {
      const child = running(room)
      if (child === null) continue
      if (child.pid === 0) {
        // A room without code has no process: it cannot be halted, and ends when it is told.
        if (signal === "SIGKILL") child.kill("killed")
        continue
      }
      try {
        process.kill(child.pid, signal)
      } catch {
        // It has ended meanwhile, which is what a signal could do at most.
      }
    }
  }
}
